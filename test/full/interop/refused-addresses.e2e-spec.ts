import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { buildOffer, encode, type CallLeg, type EmbeddedEngine, type IncomingLeg } from '@app/telephony';
import { hearTone, sineWave } from './heard-tone.js';
import { contactOf } from './raw-dialog.js';
import { headerOf, RawSipPeer } from './raw-sip-peer.js';
import { dialTo, eventOf, mediaOf, startTestEngine, testMedia } from './test-engine.js';

const OURS_HZ = 500;
const THEIRS_HZ = 750;
/** A documentation address (RFC 5737), like that of a PBX behind NAT. */
const REFUSED = '192.0.2.2';

const logged: { message: string; fields: object }[] = [];
const log = {
  debug: () => undefined,
  warn: (message: string, fields: object) => void logged.push({ message, fields }),
};
const engines: EmbeddedEngine[] = [];
const peers: RawSipPeer[] = [];
const phones: Phone[] = [];

/** The audio side of a PBX: sends a tone to a given address and records received audio. */
class Phone {
  readonly heard: Buffer[] = [];
  private sequence = 0;

  private constructor(private readonly socket: Socket) {
    socket.on('message', (packet) => this.heard.push(packet));
  }

  static async open(): Promise<Phone> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const phone = new Phone(socket);
    phones.push(phone);
    return phone;
  }

  get sdp(): string {
    return buildOffer({ address: REFUSED, port: this.socket.address().port, codecs: ['PCMU'] });
  }

  /** Sends a second of its tone immediately. */
  speak(to: number): void {
    const audio = encode('PCMU', sineWave(THEIRS_HZ, 1_000));
    for (let at = 0; at < audio.length; at += 160) {
      const header = Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
      header.writeUInt16BE(this.sequence, 2);
      header.writeUInt32BE(this.sequence++ * 160, 4);
      this.socket.send(Buffer.concat([header, audio.subarray(at, at + 160)]), to, '127.0.0.1');
    }
  }

  /** Resolves when an audible packet has arrived. */
  async hearsSound(): Promise<void> {
    const isSound = (packet: Buffer): boolean =>
      packet.length === 172 && packet.subarray(12).some((one) => one !== 0xff);
    while (!this.heard.some(isSound)) await once(this.socket, 'message');
  }

  close(): void {
    this.socket.close();
  }
}

afterEach(async () => {
  for (const peer of peers) peer.leave();
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  for (const peer of peers.splice(0)) peer.close();
  for (const phone of phones.splice(0)) phone.close();
  logged.length = 0;
});

async function open(refused: string[], mediaTimeoutMs = 30_000): Promise<{ engine: EmbeddedEngine; peer: RawSipPeer }> {
  const checkAddress = (address: string): void => {
    if (refused.includes(address)) throw new Error('refused');
  };
  const engine = await startTestEngine({
    sip: { bind: '127.0.0.1', port: 0, userAgent: 'test', log, checkAddress },
    media: testMedia({ mediaTimeoutMs }),
  });
  engines.push(engine);
  const peer = await RawSipPeer.start();
  peers.push(peer);
  return { engine, peer };
}

const portOf = (message: string): number => Number(/^m=audio (\d+)/m.exec(message)![1]);

/** A call to a PBX that answers with the refused address. */
async function called(mediaTimeoutMs?: number) {
  const { engine, peer } = await open([REFUSED], mediaTimeoutMs);
  const phone = await Phone.open();
  const { leg, ended } = dialTo(engine, peer.port, 'udp');
  const established = eventOf(leg, 'answered');
  const invite = await peer.next('INVITE');
  peer.reply(invite, '200 OK', { tag: 'peer', headers: [contactOf(peer)], body: phone.sdp });
  await established;
  return { leg, ended, phone, port: portOf(invite) };
}

function inviteTo(engine: EmbeddedEngine, peer: RawSipPeer, sdp: string): string {
  return [
    `INVITE sip:agent@127.0.0.1:${engine.port} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKrefused`,
    'From: <sip:pbx@192.0.2.2>;tag=pbx',
    `To: <sip:agent@127.0.0.1:${engine.port}>`,
    'Call-ID: refused',
    'CSeq: 1 INVITE',
    contactOf(peer),
    'Max-Forwards: 70',
    'Content-Type: application/sdp',
    `Content-Length: ${Buffer.byteLength(sdp)}`,
    '',
    sdp,
  ].join('\r\n');
}

/** Both sides hear each other; our audio waited for the first packet of the phone. */
async function talk(leg: CallLeg, phone: Phone, port: number): Promise<void> {
  const media = mediaOf(leg);
  media.write(encode(media.codec, sineWave(OURS_HZ, 1_000)));
  const heard = hearTone(media, THEIRS_HZ, 300);
  phone.speak(port);
  await Promise.all([heard, phone.hearsSound()]);
}

describe('a remote party with a forbidden audio address', () => {
  it('has audio in both directions when its RTP comes from the address of its signalling', async () => {
    const { leg, phone, port } = await called();
    expect(phone.heard).toEqual([]);
    await talk(leg, phone, port);
    expect(leg.stats()).toMatchObject({ refusedAddress: REFUSED });
    leg.hangup('agent_hangup');
  });

  it('ends as media_address_refused without audio, with the address in log and statistics', async () => {
    const { ended, phone } = await called(300);
    const end = await ended;
    expect(end).toMatchObject({ status: 'completed', cause: 'media_address_refused', endedBy: 'system' });
    expect(end.stats).toMatchObject({ refusedAddress: REFUSED, sent: 0, received: 0 });
    expect(phone.heard).toEqual([]);
    expect(logged.filter(({ fields }) => JSON.stringify(fields).includes(REFUSED))).not.toEqual([]);
  });

  it('has audio on inbound calls as well', async () => {
    const { engine, peer } = await open([REFUSED]);
    const phone = await Phone.open();
    const answered = new Promise<IncomingLeg>((resolve) =>
      engine.onIncoming((invitation) => {
        const leg = invitation.accept({ legId: 'in' });
        leg.on('answered', () => resolve(leg));
        leg.answer();
      }),
    );
    peer.send(inviteTo(engine, peer, phone.sdp), engine.port);
    const ok = await peer.next('SIP/2.0 200');
    const leg = await answered;
    await talk(leg, phone, portOf(ok));
    expect(leg.stats()).toMatchObject({ refusedAddress: REFUSED });
    leg.hangup('agent_hangup');
  });

  it('is refused with 488 and a warning when the address of its signalling is forbidden as well', async () => {
    const { engine, peer } = await open([REFUSED, '127.0.0.1']);
    engine.onIncoming(() => undefined);
    const phone = await Phone.open();
    peer.send(inviteTo(engine, peer, phone.sdp), engine.port);
    expect(headerOf(await peer.next('SIP/2.0 488'), 'Warning')).toContain('Sending audio to');
  });
});

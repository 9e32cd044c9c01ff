import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { contactOf } from '../../../../test/full/interop/raw-dialog.js';
import { headerOf, RawSipPeer } from '../../../../test/full/interop/raw-sip-peer.js';
import { dialTo, eventOf, startTestEngine } from '../../../../test/full/interop/test-engine.js';
import { VirtualTime } from '../../../../test/support/virtual-time.js';
import { InvalidDigits } from '../media/signals/dtmf.js';
import { parseRtp } from '../media/rtp/rtp-packet.js';
import { ToneDetector } from '../media/signals/tone-detector.js';
import { buildOffer } from '../sdp.js';
import type { CallLeg, IncomingLeg } from './carrier-engine.js';
import type { EmbeddedEngine } from './embedded-engine.js';

const QUIET = { debug: () => undefined, warn: () => undefined };
const ALL = 'INVITE, ACK, BYE, CANCEL, OPTIONS, INFO';

let time: VirtualTime;
let peer: RawSipPeer;
let rtp: Socket;
let engine: EmbeddedEngine;
/** What the peer has received: packets of telephone events, and keys as tones. */
let events: number;
let tones: string[];
let waiting: (() => void)[];
let wires: string[];

beforeEach(async () => {
  time = VirtualTime.start();
  [events, tones, waiting, wires] = [0, [], [], []];
  const detector = new ToneDetector('PCMU', (digit) => {
    tones.push(digit);
    for (const wake of waiting.splice(0)) wake();
  });
  peer = await RawSipPeer.start();
  rtp = createSocket('udp4').bind(0, '127.0.0.1');
  await once(rtp, 'listening');
  rtp.on('message', (data) => {
    const packet = parseRtp(data);
    if (packet?.payloadType === 101) events++;
    if (packet?.payloadType === 0) detector.hear(packet.payload);
  });
});

afterEach(async () => {
  peer.leave();
  await engine.close();
  await time.stop();
  peer.close();
  rtp.close();
});

function sdp(telephoneEvents: boolean): string {
  const all = buildOffer({ address: '127.0.0.1', port: rtp.address().port, codecs: ['PCMU'] });
  return telephoneEvents ? all : all.replace(' 101\r\n', '\r\n').replace(/^a=(?:rtpmap|fmtp):101 .*\r\n/gm, '');
}

async function start(t1 = 500): Promise<void> {
  engine = await startTestEngine({
    sip: { bind: '127.0.0.1', port: 0, userAgent: 'test', log: QUIET, timers: { t1, t2: 4_000, t4: 5_000 } },
    onSipEvent: (_leg, { wire }) => wires.push(wire),
  });
}

/** A call to the peer, which answers with this Allow and with or without telephone events. */
async function called({ allow = ALL, telephoneEvents = false, t1 = 500 } = {}): Promise<CallLeg> {
  await start(t1);
  const { leg } = dialTo(engine, peer.port, 'udp');
  const answered = eventOf(leg, 'answered');
  const headers = [contactOf(peer), ...(allow === '' ? [] : [`Allow: ${allow}`])];
  peer.reply(await peer.next('INVITE'), '200 OK', { tag: 'peer', headers, body: sdp(telephoneEvents) });
  await answered;
  return leg;
}

/** The next INFO that does not repeat `before`, as `5 160`. */
async function nextInfo(before = ''): Promise<{ info: string; key: string }> {
  const info = before === '' ? await peer.next('INFO') : await peer.nextOther('INFO', before);
  expect(headerOf(info, 'Content-Type')).toBe('application/dtmf-relay');
  const [, digit, ms] = /\r\n\r\nSignal=(.)\r\nDuration=(\d+)\r\n$/.exec(info)!;
  return { info, key: `${digit} ${ms}` };
}

/** The tones, when there are that many. */
async function heardTones(count: number): Promise<string[]> {
  while (tones.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  return tones;
}

describe('send_dtmf to a remote party without telephone events', () => {
  it('sends each key by INFO, 460 ms after the answer to the previous key, and none as a tone', async () => {
    const leg = await called();
    const sent = Promise.all([leg.sendDtmf('5#'), leg.sendDtmf('a')]);
    const keys: string[] = [];
    let info = '';
    let answeredAt = -Infinity;
    for (let n = 0; n < 3; n++) {
      const next = await nextInfo(info);
      expect(performance.now() - answeredAt).toBeGreaterThan(450);
      answeredAt = performance.now();
      keys.push(next.key);
      ({ info } = next);
      peer.reply(info, '200 OK');
    }
    await sent;
    expect(keys).toEqual(['5 160', '# 160', 'A 160']);
    expect(tones).toEqual([]);
  });

  it('masks the keys in the recorded SIP messages', async () => {
    const leg = await called();
    const sent = leg.sendDtmf('7');
    peer.reply((await nextInfo()).info, '200 OK');
    await sent;
    const infos = wires.filter((wire) => wire.startsWith('INFO'));
    expect(infos).toHaveLength(1);
    expect(infos[0]).toContain('\r\n\r\nSignal=*\r\nDuration=160\r\n');
  });

  it.each(['405 Method Not Allowed', '415 Unsupported Media Type', '501 Not Implemented', '500 Oops', '603 Decline'])(
    'falls back to tones when INFO is answered %s, and does not try INFO again',
    async (status) => {
      const leg = await called();
      const sent = leg.sendDtmf('12');
      const { info } = await nextInfo();
      peer.reply(info, status);
      await sent;
      await leg.sendDtmf('3');
      expect(await heardTones(3)).toEqual(['1', '2', '3']);
      leg.hangup('agent_hangup');
      // Another INFO would have come before it.
      expect(await firstOther(info)).toMatch(/^BYE/);
    },
  );

  it('sends the remaining keys as tones when a later INFO is refused', async () => {
    const leg = await called();
    const sent = leg.sendDtmf('12');
    const first = await nextInfo();
    peer.reply(first.info, '200 OK');
    peer.reply((await nextInfo(first.info)).info, '500 Oops');
    await sent;
    expect(await heardTones(1)).toEqual(['2']);
  });

  it('falls back to tones when INFO is not answered, and stops repeating it', async () => {
    const leg = await called({ t1: 20 });
    const sent = leg.sendDtmf('4');
    const { info } = await nextInfo();
    await sent;
    expect(await heardTones(1)).toEqual(['4']);
    leg.hangup('agent_hangup');
    expect(await firstOther(info)).toMatch(/^BYE/);
    // At 0, 20, 60 and 140 ms; the next repetition would be at 300 ms, while the tone is sent.
    expect(wires.filter((wire) => wire.startsWith('INFO')).length).toBeLessThanOrEqual(4);
  });

  it.each(['', 'INVITE, ACK, BYE'])('sends tones at once when its Allow is "%s"', async (allow) => {
    const leg = await called({ allow });
    await leg.sendDtmf('9');
    expect(await heardTones(1)).toEqual(['9']);
    leg.hangup('agent_hangup');
    expect(await firstOther('')).toMatch(/^BYE/);
  });

  it('uses INFO on an inbound call as well', async () => {
    await start();
    const answered = new Promise<IncomingLeg>((resolve) =>
      engine.onIncoming((invitation) => {
        const leg = invitation.accept({ legId: 'in' });
        leg.on('answered', () => resolve(leg));
        leg.answer();
      }),
    );
    peer.send(invitation(sdp(false)), engine.port);
    const leg = await answered;
    const sent = leg.sendDtmf('8');
    const { info, key } = await nextInfo();
    expect(key).toBe('8 160');
    peer.reply(info, '200 OK');
    await sent;
    leg.hangup('agent_hangup');
  });

  it('rejects invalid keys before sending any, and rejects waiting keys when the call ends', async () => {
    const leg = await called();
    await expect(leg.sendDtmf('1x')).rejects.toThrow(InvalidDigits);
    const sent = leg.sendDtmf('12').then(
      () => 'sent',
      (error: Error) => error.message,
    );
    expect((await nextInfo()).key).toBe('1 160');
    leg.hangup('agent_hangup');
    expect(await sent).toContain('closed');
  });
});

it('send_dtmf to a remote party with telephone events uses events and not INFO', async () => {
  const leg = await called({ telephoneEvents: true });
  await leg.sendDtmf('6');
  leg.hangup('agent_hangup');
  expect(await firstOther('')).toMatch(/^BYE/);
  expect(events).toBeGreaterThan(0);
  expect(tones).toEqual([]);
});

/** The next message that is neither an ACK nor a repetition of `before`. */
async function firstOther(before: string): Promise<string> {
  for (;;) {
    const message = await peer.next('');
    const isBefore = before !== '' && headerOf(message, 'CSeq') === headerOf(before, 'CSeq');
    if (!message.startsWith('ACK') && !isBefore) return message;
  }
}

function invitation(body: string): string {
  return [
    `INVITE sip:agent@127.0.0.1:${engine.port} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKkeys`,
    'From: <sip:pbx@192.0.2.2>;tag=pbx',
    `To: <sip:agent@127.0.0.1:${engine.port}>`,
    'Call-ID: keys',
    'CSeq: 1 INVITE',
    contactOf(peer),
    `Allow: ${ALL}`,
    'Max-Forwards: 70',
    'Content-Type: application/sdp',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

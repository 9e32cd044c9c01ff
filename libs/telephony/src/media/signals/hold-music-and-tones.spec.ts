import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { heard, type RtpPeer } from '../../../test/rtp-peer.js';
import { remoteAt, useRtpSessions } from '../../../test/rtp-sessions.js';
import { InvalidDigits } from './dtmf.js';
import { decodeSample, encode, silentFrame } from '../codecs/g711.js';
import type { RemoteMedia } from '../session/media-port.js';
import { writeRtcp } from '../rtp/rtcp.js';
import { ToneDetector } from './tone-detector.js';
import { dtmfTones, tone } from './tones.js';
import { levelDb } from './voice-activity.js';

let peer: RtpPeer;
const { open, openPeer } = useRtpSessions({ min: 31_600, max: 31_799 });

const remote = (changes: Partial<RemoteMedia> = {}): RemoteMedia => remoteAt(peer, changes);

beforeEach(async () => {
  peer = await openPeer();
});

it('a recording contains the packets that wait for a lost one when the call ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'media-'));
  const session = await open({ recordTo: join(folder, 'call.wav') });
  session.start(remote());
  const second = new Promise<void>((resolve) => session.onFrame((frame) => frame[0] === 2 && resolve()));
  for (const sequence of [1, 4, 5, 2]) peer.send(session.localPort, { sequence });
  await second;
  await session.close();
  const wav = await readFile(join(folder, 'call.wav'));
  for (const fill of [1, 2, 4, 5]) {
    const sample = decodeSample('PCMU', fill);
    const samples = Array.from({ length: (wav.length - 44) / 4 }, (_, i) => wav.readInt16LE(44 + i * 4));
    // Concealed frames contain the same sounds.
    expect(samples.filter((one) => one === sample).length).toBeGreaterThanOrEqual(160);
  }
  await rm(folder, { recursive: true });
});

it('audible DTMF tones of a remote party without telephone events are reported as keys and not heard as speech', async () => {
  const session = await open();
  session.start({ address: '127.0.0.1', port: peer.port, codec: 'PCMU', payloadType: 0, sendAudio: true });
  const speech: Buffer[] = [];
  session.onFrame((frame) => speech.push(frame));
  const all: Buffer[] = [];
  session.onAudio((frame) => all.push(frame));
  const keys: string[] = [];
  const pressed = new Promise<void>((resolve) =>
    session.onDtmf((digit, _ms, way) => keys.push(`${digit} ${way}`) === 2 && resolve()),
  );
  const audio = encode('PCMU', dtmfTones('4*', 120, 80));
  for (let n = 0; n * 160 < audio.length; n++)
    peer.send(session.localPort, { sequence: n + 1, payload: audio.subarray(n * 160, (n + 1) * 160) });
  await pressed;
  expect(keys).toEqual(['4 audible', '* audible']);
  const loud = (frames: Buffer[]) => frames.filter((frame) => levelDb('PCMU', frame) > -40).length;
  expect(loud(all)).toBeGreaterThanOrEqual(12);
  expect(loud(speech)).toBeLessThanOrEqual(4);
});

it('music on hold is recorded and bridged, but the agent hears silence', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'media-'));
  const session = await open({ recordTo: join(folder, 'call.wav') });
  session.start(remote({ sendAudio: false }));
  const speech: Buffer[] = [];
  session.onFrame((frame) => speech.push(frame));
  const music = new Promise<void>((resolve) => session.onAudio((frame) => frame[0] === 7 && resolve()));
  for (const sequence of [5, 6, 7]) peer.send(session.localPort, { sequence });
  await music;
  expect(speech.every((frame) => frame.equals(silentFrame('PCMU')))).toBe(true);
  session.start(remote());
  const back = heard(session, 1);
  peer.send(session.localPort, { sequence: 8 });
  expect((await back).at(-1)).toBe(8);
  await session.close();
  const wav = await readFile(join(folder, 'call.wav'));
  const left = Array.from({ length: (wav.length - 44) / 4 }, (_, i) => wav.readInt16LE(44 + i * 4));
  for (const fill of [5, 6, 7]) expect(left).toContain(decodeSample('PCMU', fill));
  await rm(folder, { recursive: true });
});

it('RTCP reports keep a call without RTP alive, malformed ones do not', async () => {
  const session = await open({ mediaTimeoutMs: 3_000, silenceLimitMs: 3_000 });
  let timedOut = false;
  const final = new Promise<void>((resolve) =>
    session.onTimeout(() => {
      timedOut = true;
      resolve();
    }),
  );
  session.start(remote({ rtcp: { address: '127.0.0.1', port: peer.port } }));
  const report = writeRtcp({ ssrc: 9, cname: 'recorder' });
  for (let packets = 0; packets < 100; packets += 4) {
    await peer.received(4);
    peer.socket.send(report, session.localPort, '127.0.0.1');
  }
  expect(timedOut).toBe(false);
  const garbage = Buffer.concat([report.subarray(0, 2), Buffer.of(0xff, 0xff), report.subarray(4)]);
  peer.socket.send(garbage, session.localPort, '127.0.0.1');
  await final;
});

it('a report of more lost packets than were sent is ignored', async () => {
  const session = await open();
  session.start(remote({ rtcp: { address: '127.0.0.1', port: peer.port } }));
  await peer.received(4);
  const { ssrc } = peer.packets[0]!;
  const block = { ssrc, fractionLost: 0, lost: 1_000_000, highest: 0, jitter: 0, lastSr: 0, sinceLastSr: 0 };
  const report = writeRtcp({ ssrc: 9, cname: 'remote party', block });
  while (session.stats().implausible === undefined) {
    peer.socket.send(report, session.localPort, '127.0.0.1');
    await peer.received(1);
  }
  expect(session.stats()).toMatchObject({ implausible: ['remote_lost'] });
  expect(session.stats().remoteLost).toBeUndefined();
});

it.each(['PCMU', 'PCMA'] as const)(
  'sends digits as tones in %s to a remote party without telephone events, and continues with audio after them',
  async (codec) => {
    const session = await open();
    const payloadType = codec === 'PCMU' ? 0 : 8;
    session.start({ address: '127.0.0.1', port: peer.port, codec, payloadType, sendAudio: true });
    const played = new Promise<boolean>((resolve) => session.write(encode(codec, tone([400], 40)), resolve));
    await session.sendDtmf('1#');
    const keys: string[] = [];
    const detector = new ToneDetector(codec, (digit) => keys.push(digit));
    for (const { payload } of peer.packets) detector.hear(payload);
    expect(keys).toEqual(['1', '#']);
    expect(await played).toBe(true);
    await expect(session.sendDtmf('x')).rejects.toThrow(InvalidDigits);
  },
);

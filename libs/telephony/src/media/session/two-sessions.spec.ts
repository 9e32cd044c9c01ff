import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { useRtpSessions } from '../../../test/rtp-sessions.js';
import { forwardAudio } from '../../media-host/local-media-host.js';
import { parseSdp, type SdpAudio } from '../../sdp-parse.js';
import { buildAnswer, buildOffer, type LocalTerms, negotiate } from '../../sdp.js';
import { decode, encode } from '../codecs/g711.js';
import type { Codec } from './media-port.js';
import type { MediaSession } from './media-session.types.js';
import { newLocalSrtp, type SrtpPolicy } from '../rtp/srtp-keys.js';
import { tone } from '../signals/tones.js';

const { open } = useRtpSessions({ min: 31_400, max: 31_599 });

const terms = (codec: Codec, policy: SrtpPolicy = 'off'): LocalTerms => {
  const srtp = newLocalSrtp(policy);
  return { codecs: [codec], ...(srtp && { srtp }) };
};

/** Offer and answer of two sessions; `multiplex` false: a remote party that supports RTP and RTCP only on two ports. */
function connect(
  caller: MediaSession,
  callee: MediaSession,
  ours: LocalTerms,
  theirs: LocalTerms,
  multiplex = true,
): void {
  const read = (sdp: string): SdpAudio => parseSdp(multiplex ? sdp : sdp.replace('a=rtcp-mux\r\n', '')) as SdpAudio;
  const at = ({ localAddress, localPort }: MediaSession) => ({ address: localAddress, port: localPort });
  const offer = read(buildOffer({ ...at(caller), ...ours }));
  const answer = read(buildAnswer(offer, { ...at(callee), ...theirs })!);
  callee.start(negotiate(theirs, offer)!);
  caller.start(negotiate(ours, answer)!);
}

/** Resolves when a fifth of a second of the tone has been heard. */
function hears(session: MediaSession, frequency: number): Promise<void> {
  let heard = 0;
  return new Promise((resolve) => {
    const stop = session.onFrame((frame) => {
      if (share(decode(session.codec, frame), frequency) > 0.8 && ++heard === 10) {
        stop();
        resolve();
      }
    });
  });
}

/** Share of the energy that one frequency has. */
function share(pcm: Int16Array, frequency: number, rate = 8_000): number {
  let [cosine, sine, energy] = [0, 0, 1];
  pcm.forEach((sample, i) => {
    cosine += sample * Math.cos((2 * Math.PI * frequency * i) / rate);
    sine += sample * Math.sin((2 * Math.PI * frequency * i) / rate);
    energy += sample ** 2;
  });
  return (2 * (cosine ** 2 + sine ** 2)) / pcm.length / energy;
}

const speak = (session: MediaSession, frequency: number, ms = 600): void =>
  session.write(encode(session.codec, tone([frequency], ms)));

describe.each(['PCMU', 'PCMA', 'G722'] as const)('a call in %s', (codec) => {
  it.each([
    ['off', 'off', false],
    ['optional', 'off', false],
    ['optional', 'optional', true],
    ['required', 'optional', true],
    ['required', 'required', true],
  ] as const)('with encryption %s here and %s there is heard both ways', async (here, there, encrypted) => {
    const [caller, callee] = [await open(), await open()];
    connect(caller, callee, terms(codec, here), terms(codec, there));
    speak(caller, 500);
    speak(callee, 800);
    await Promise.all([hears(callee, 500), hears(caller, 800)]);
    for (const one of [caller, callee]) expect(one.stats()).toMatchObject({ codec, srtp: encrypted, lost: 0 });
  });
});

it('with the wrong SRTP key nothing is heard and the source is not latched', async () => {
  const [caller, callee] = [await open(), await open({ mediaTimeoutMs: 200 })];
  const [ours, theirs] = [terms('PCMU', 'required'), terms('PCMU', 'required')];
  connect(caller, callee, ours, theirs);
  const stranger = newLocalSrtp('required')!.keys[0]!;
  const address = {
    address: '127.0.0.1',
    port: caller.localPort,
    codec: 'PCMU' as const,
    payloadType: 0,
    sendAudio: true,
  };
  callee.start({ ...address, srtp: { local: theirs.srtp!.keys[0]!, remote: stranger } });
  await new Promise<boolean>((resolve) => callee.onTimeout(resolve));
  expect(callee.stats().received).toBe(0);
});

it.each([
  ['over IPv6', '::1', '::1', {}],
  ['over IPv4 with a socket of both families', '::', '127.0.0.1', { publicAddress: '127.0.0.1' }],
] as const)('audio flows %s', async (_, one, other, options) => {
  const [caller, callee] = [await open({ bindAddress: one, ...options }), await open({ bindAddress: other })];
  connect(caller, callee, terms('PCMU'), terms('PCMU'));
  speak(caller, 500);
  speak(callee, 800);
  await Promise.all([hears(callee, 500), hears(caller, 800)]);
  expect([caller.stats().lost, callee.stats().lost]).toEqual([0, 0]);
});

describe('RTCP', () => {
  it.each([
    ['on the port of the RTP', true, 'off'],
    ['on the port after it', false, 'off'],
    ['encrypted', true, 'required'],
  ] as const)('%s reports the round trip and the quality at the remote party', async (_, multiplex, policy) => {
    const often = { rtcpIntervalMs: 100 };
    const [caller, callee] = [await open(often), await open(often)];
    connect(caller, callee, terms('PCMU', policy), terms('PCMU', policy), multiplex);
    const known = new Promise<void>((resolve) =>
      caller.onFrame(() => {
        if (caller.stats().rttMs !== undefined) resolve();
      }),
    );
    await known;
    const { rttMs, remoteLost, remoteJitterMs, mos } = caller.stats();
    expect(rttMs).toBeLessThan(1_000);
    expect(remoteLost).toBe(0);
    expect(remoteJitterMs).toBeGreaterThanOrEqual(0);
    expect(mos).toBeGreaterThan(1);
  });
});

describe('a codec change during the call', () => {
  it('keeps the codec of the port and the recording', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'media-'));
    const recordTo = join(folder, 'call.wav');
    const [caller, callee] = [await open({ recordTo }), await open()];
    connect(caller, callee, terms('PCMA'), terms('PCMA'));
    const frequencies = [500, 800, 1_100];
    for (const [i, codec] of (['PCMA', 'G722', 'PCMU'] as const).entries()) {
      connect(caller, callee, terms(codec), terms(codec));
      expect([caller.codec, callee.codec]).toEqual(['PCMA', 'PCMA']);
      speak(callee, frequencies[i]!);
      speak(caller, frequencies[i]!);
      await Promise.all([hears(caller, frequencies[i]!), hears(callee, frequencies[i]!)]);
      await Promise.all([caller.drained(60), callee.drained(60)]);
    }
    await caller.close();
    const pcm = new Int16Array((await readFile(recordTo)).subarray(44).slice().buffer);
    const [left, right] = [0, 1].map((channel) => pcm.filter((_, i) => i % 2 === channel));
    for (const channel of [left!, right!]) {
      const found = frequencies.map((frequency) => framesWith(channel, frequency));
      for (const frames of found) expect(frames).toBeGreaterThan(20);
    }
    await rm(folder, { recursive: true });
  });
});

function framesWith(pcm: Int16Array, frequency: number): number {
  let frames = 0;
  for (let at = 0; at + 160 <= pcm.length; at += 160) if (share(pcm.subarray(at, at + 160), frequency) > 0.8) frames++;
  return frames;
}

describe('two bridged legs', () => {
  it.each([
    ['G722', 'G722', true],
    ['PCMA', 'PCMA', true],
    ['G722', 'PCMU', false],
    ['PCMU', 'PCMA', false],
  ] as const)('in %s and %s hear each other', async (first, second, unchanged) => {
    const [alice, legA, legB, bob] = [await open(), await open(), await open(), await open()];
    connect(alice, legA, terms(first), terms(first));
    connect(legB, bob, terms(second), terms(second));
    const sent = new Set<string>();
    const arrived = new Set<string>();
    legA.onPayload((payload) => sent.add(payload.toString('hex')));
    bob.onPayload((payload) => arrived.add(payload.toString('hex')));
    const part = [forwardAudio(legA, legB), forwardAudio(legB, legA)];
    speak(alice, 503); // no two of its frames are the same
    speak(bob, 800);
    await Promise.all([hears(bob, 503), hears(alice, 800)]);
    part.forEach((stop) => stop());
    const same = [...arrived].filter((payload) => sent.has(payload)).length;
    expect(same >= 10).toBe(unchanged);
  });
});

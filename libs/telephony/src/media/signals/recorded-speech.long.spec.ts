import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../../../test/support/seeded-random.js';
import { decode, encode } from '../codecs/g711.js';
import { RtpReceiver } from '../rtp/rtp-receiver.js';
import { levelDb } from './voice-activity.js';
import { WavRecorder } from '../session/wav-recorder.js';

const FRAMES = 1_300; // 26 s
const FIRST_MS = 35;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'speech-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Harmonics of a voice that wanders around 120 Hz, in syllables; no two of its frames are alike. */
function speech(random: SeededRandom): Buffer[] {
  const pcm = new Int16Array(FRAMES * 160);
  let phase = 0;
  for (let i = 0; i < pcm.length; i++) {
    const t = i / 8_000;
    phase += (2 * Math.PI * (120 + 25 * Math.sin(2.1 * t))) / 8_000;
    const syllable = 0.35 + 0.65 * Math.abs(Math.sin(2 * Math.PI * 1.7 * t));
    const voice =
      Math.sin(phase) + 0.6 * Math.sin(2 * phase + 1) + 0.4 * Math.sin(5 * phase) + 0.2 * Math.sin(9 * phase);
    pcm[i] = Math.round(4_500 * syllable * voice + 150 * (random.next() - 0.5));
  }
  return Array.from({ length: FRAMES }, (_, n) => encode('PCMU', pcm.subarray(n * 160, (n + 1) * 160)));
}

interface Network {
  loss: number;
  jitterMs: number;
  reordered: number;
}

/** Frame numbers with the time of their arrival, in that order. */
function arrivals(network: Network, random: SeededRandom): { frame: number; atMs: number }[] {
  const all: { frame: number; atMs: number }[] = [];
  for (let frame = 0; frame < FRAMES; frame++) {
    const isLast = frame >= FRAMES - 2;
    if (!isLast && random.chance(network.loss)) continue;
    const late = !isLast && random.chance(network.reordered) ? 45 : 0;
    all.push({ frame, atMs: FIRST_MS + frame * 20 + (isLast ? 0 : random.next() * network.jitterMs + late) });
  }
  return all.sort((one, other) => one.atMs - other.atMs);
}

/** 26 s of speech through such a network, and a BYE directly after its last packet; time is virtual. */
async function recorded(network: Network, seed: string) {
  const random = new SeededRandom(seed);
  const spoken = speech(random);
  const packets = arrivals(network, random);
  const path = join(folder, 'call.wav');
  const recorder = new WavRecorder(path, 'PCMU');
  const heard: Buffer[] = [];
  let waitedMs = 0;
  let now = 0;
  const receiver = new RtpReceiver(
    { codec: 'PCMU', payloadTypes: { codec: 'PCMU', audio: 0 } },
    {
      frame: (frame) => heard.push(frame),
      payload: (payload) => {
        const packet = packets.find(({ frame }) => spoken[frame]!.equals(payload));
        if (packet) waitedMs = Math.max(waitedMs, now - packet.atMs);
      },
      placed: (at, audio, placing, nowMs) => recorder.heard(at, audio, placing, nowMs),
      restarted: () => recorder.restarted(),
      digit: () => undefined,
    },
  );
  const byeMs = packets.at(-1)!.atMs;
  const waiting = [...packets];
  for (now = 0; now <= byeMs; now++) {
    while (waiting[0] && waiting[0].atMs <= now) {
      const { frame } = waiting.shift()!;
      const header = { payloadType: 0, marker: false, ssrc: 7, sequence: (65_000 + frame) & 0xffff };
      receiver.receive({ ...header, timestamp: (4_294_900_000 + frame * 160) >>> 0, payload: spoken[frame]! }, now);
    }
    if (now % 20 === 7) {
      receiver.tick(now);
      recorder.tick(undefined, now);
    }
    if (now % 1_000 === 0) await recorder.written();
  }
  receiver.flush(now);
  await recorder.finish();
  const wav = await readFile(path);
  const left = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length)).filter(
    (_, i) => i % 2 === 0,
  );
  const arrived = new Set(packets.map(({ frame }) => frame));
  return { spoken, arrived, left, heard, waitedMs };
}

/** The position of the frame in the recording, in milliseconds relative to a perfect network; undefined: missing. */
function displacement(left: Int16Array, frame: Buffer, n: number): number | undefined {
  const samples = decode('PCMU', frame);
  const expected = (FIRST_MS - 7 + n * 20) * 8;
  for (let shift = 0; shift <= 800; shift++) {
    for (const at of [expected + shift, expected - shift])
      if (samples.every((sample, i) => left[at + i] === sample)) return (at - expected) / 8;
  }
  return undefined;
}

const CLEAN: Network = { loss: 0, jitterMs: 0, reordered: 0 };
const BAD: Network = { loss: 0.05, jitterMs: 30, reordered: 0.03 };

describe('speech over a bad network', () => {
  it.each(['one', 'two', 'three'])('keeps every received frame at its position in the recording (%s)', async (seed) => {
    const { spoken, arrived, left } = await recorded(BAD, seed);
    const places = [...arrived].map((n) => displacement(left, spoken[n]!, n));
    expect(places.filter((place) => place === undefined)).toHaveLength(0);
    const [first] = places;
    expect(new Set(places)).toEqual(new Set([first]));
    expect(Math.abs(first!)).toBeLessThanOrEqual(20);
    expect(arrived.has(FRAMES - 1) && arrived.has(FRAMES - 2)).toBe(true);
  });

  it('has no gaps where packets were lost', async () => {
    const { arrived, left, heard } = await recorded(BAD, 'holes');
    const frameAt = (n: number) => encode('PCMU', left.subarray((FIRST_MS - 7 + n * 20) * 8).subarray(0, 160));
    const lost = Array.from({ length: FRAMES - 2 }, (_, n) => n).filter(
      (n) => n > 2 && !arrived.has(n) && arrived.has(n - 1),
    );
    expect(lost.length).toBeGreaterThan(30);
    for (const n of lost) expect(levelDb('PCMU', frameAt(n)) - levelDb('PCMU', frameAt(n - 1))).toBeGreaterThan(-12);
    const quiet = heard.slice(5).filter((frame) => levelDb('PCMU', frame) < -45);
    expect(quiet).toEqual([]);
  });

  it('reaches the agent at once on a clean network, and at most 120 ms later on a bad one', async () => {
    const clean = await recorded(CLEAN, 'clean');
    expect(clean.waitedMs).toBeLessThanOrEqual(1);
    const missing = clean.spoken.filter((frame) => !clean.heard.some((one) => one.equals(frame)));
    expect(missing).toEqual([]);
    const jitter = await recorded({ ...CLEAN, jitterMs: 19 }, 'jitter');
    expect(jitter.waitedMs).toBeLessThanOrEqual(1);
    expect((await recorded(BAD, 'bad')).waitedMs).toBeLessThanOrEqual(120 + 20);
  });
});

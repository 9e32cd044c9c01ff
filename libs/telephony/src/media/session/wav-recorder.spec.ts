import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { encode } from '../codecs/g711.js';
import { RecordingPauses, WavRecorder } from './wav-recorder.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recorder-'));
});
afterEach(() => rm(folder, { recursive: true }));

const frame = (level: number): Buffer => encode('PCMU', new Int16Array(160).fill(level));

/** One sample of each 20 ms of the channel, as a letter. */
function channel(wav: Buffer, side: 0 | 1): string {
  let out = '';
  for (let at = 44 + side * 2; at < wav.length; at += 640) {
    const sample = wav.readInt16LE(at);
    out += sample > 15_000 ? 'B' : sample > 5_000 ? 'a' : '-';
  }
  return out;
}

const A = frame(8_000);
const B = frame(20_000);

describe('recording', () => {
  it('is a stereo WAV of 16 bits at 8 kHz with the remote party on the left and ours on the right', async () => {
    const path = join(folder, 'call.wav');
    const recorder = new WavRecorder(path, 'PCMU');
    recorder.heard(0, A, 'heard', 0);
    recorder.tick(B, 0);
    recorder.tick(undefined, 20);
    const { recording, recordingError } = await recorder.finish();
    expect(recordingError).toBeUndefined();
    expect(recording).toEqual({ path, bytes: 44 + 2 * 640, durationMs: 40 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const wav = await readFile(path);
    expect(wav.length).toBe(recording?.bytes);
    expect(wav.toString('latin1', 0, 16)).toBe(`RIFF${wav.toString('latin1', 4, 8)}WAVEfmt `);
    expect([
      wav.readUInt32LE(4),
      wav.readUInt16LE(22),
      wav.readUInt32LE(24),
      wav.readUInt16LE(34),
      wav.readUInt32LE(40),
    ]).toEqual([wav.length - 8, 2, 8_000, 16, wav.length - 44]);
    expect([channel(wav, 0), channel(wav, 1)]).toEqual(['a-', 'B-']);
  });

  it.each([
    ['resumed', true, 'aaa-----aaaaaaaaaaaa', 'BBB-----BBBBBBBBBBBB'],
    ['not resumed before the end', false, 'aaa-----------------', 'BBB-----------------'],
  ])('is silent on both sides while it is paused, keeps its length, and is %s', async (_, resumes, left, right) => {
    const path = join(folder, 'call.wav');
    const recorder = new WavRecorder(path, 'PCMU');
    for (let tick = 0; tick < 20; tick++) {
      if (tick === 3) recorder.pause(true);
      if (tick === 8 && resumes) recorder.pause(false);
      // The remote party's audio arrives 60 ms late: what was said in the pause arrives after its end.
      if (tick === 0) recorder.heard(0, A, 'heard', 0);
      if (tick >= 3) for (const at of tick === 3 ? [1, 2] : [tick - 1]) recorder.heard(at * 160, A, 'heard', tick * 20);
      recorder.tick(B, tick * 20);
    }
    recorder.heard(19 * 160, A, 'heard', 400);
    const { recording } = await recorder.finish();
    expect(recording?.durationMs).toBe(400);
    const wav = await readFile(path);
    expect([channel(wav, 0), channel(wav, 1)]).toEqual([left, right]);
  });

  it('stays silent until all that paused it have ended their pauses, also when it begins in a pause', async () => {
    const path = join(folder, 'call.wav');
    const pauses = new RecordingPauses();
    pauses.set(true, 'consent');
    const recorder = pauses.begin(new WavRecorder(path, 'PCMU'));
    const steps: Record<number, () => void> = {
      2: () => pauses.set(true, 'keys'),
      4: () => pauses.set(false, 'consent'),
      6: () => pauses.set(true),
      8: () => pauses.set(false, 'keys'),
      10: () => pauses.set(false),
      // The second end of a pause ends no other one.
      12: () => (pauses.set(true, 'keys'), pauses.set(false)),
      14: () => pauses.set(false, 'keys'),
    };
    for (let tick = 0; tick < 16; tick++) {
      steps[tick]?.();
      recorder.tick(B, tick * 20);
    }
    await recorder.finish();
    expect(channel(await readFile(path), 1)).toBe('----------BB--BB');
  });

  /** The remote party's channel after this many ticks; `steps`: frames of its clock with their arrival in ms, in order of arrival. */
  async function leftOf(steps: [frame: number, nowMs: number, audio?: Buffer][], ticks: number): Promise<string> {
    const path = join(folder, 'call.wav');
    const recorder = new WavRecorder(path, 'PCMU');
    const waiting = [...steps];
    for (let tick = 0; tick < ticks; tick++) {
      recorder.tick(B, tick * 20);
      while (waiting[0] && waiting[0][1] < (tick + 1) * 20) {
        const [frame, nowMs, audio = A] = waiting.shift()!;
        recorder.heard(frame * 160, audio, 'heard', nowMs);
      }
    }
    await recorder.finish();
    const wav = await readFile(path);
    expect(channel(wav, 1).replace(/-+$/, '')).toBe('B'.repeat(ticks));
    return channel(wav, 0);
  }

  it.each<[string, [number, number, Buffer?][], string]>([
    [
      'a pause stays a pause',
      [
        [0, 0],
        [1, 20],
        [4, 80, B],
      ],
      'aa--B-',
    ],
    [
      'packets that arrive together are placed at their time of speech',
      [
        [0, 0],
        [1, 100],
        [2, 100],
        [3, 100],
        [4, 100, B],
      ],
      'aaaaB-',
    ],
    [
      'the fastest packets define the time',
      [
        [0, 40],
        [1, 40],
        [2, 40],
        [3, 60, B],
      ],
      'aaaB--',
    ],
    [
      'packets that arrive after the last tick are kept',
      [
        [0, 80],
        [1, 100],
        [2, 119, B],
      ],
      '----aaB',
    ],
  ])('is in time: %s', async (_name, steps, expected) => {
    expect(await leftOf(steps, 6)).toBe(expected);
  });

  it('loses nothing of a burst after a network stall', async () => {
    const burst = Array.from({ length: 15 }, (_, n): [number, number, Buffer] => [n + 1, 320, A]);
    const left = await leftOf([[0, 0], ...burst, [16, 321, B]], 40);
    expect(Array.from(left).filter((one) => one === 'a')).toHaveLength(16);
    expect(left).toContain('B');
  });

  it('corrects a drifting clock in a pause, and cuts only silence', async () => {
    // 60 ms in 6 s; every second ends with a pause of 100 ms.
    const steps = Array.from({ length: 300 }, (_, n): [number, number, Buffer] => {
      const quiet = n % 50 >= 45;
      return [n, n * 19.8, quiet ? frame(0) : n >= 250 ? B : A];
    });
    const left = await leftOf(steps, 310);
    expect(Array.from(left).filter((one) => one !== '-')).toHaveLength(300 - 6 * 5);
    expect(Math.abs(left.indexOf('B') * 20 - 250 * 19.8)).toBeLessThanOrEqual(40);
  });

  it('is playable up to the last seconds when the process dies, because the header is updated during the call', async () => {
    const path = join(folder, 'call.wav');
    const recorder = new WavRecorder(path, 'PCMU');
    // 200 ms are held back.
    for (let i = 0; i < 7 * 50 + 10; i++) recorder.tick(A);
    await recorder.written();
    const wav = await readFile(path);
    expect(wav.length).toBe(44 + 7 * 32_000);
    expect(wav.readUInt32LE(40)).toBe(6 * 32_000);
    await recorder.finish();
    expect((await readFile(path)).readUInt32LE(40)).toBe(7 * 32_000 + 10 * 640);
  });

  it('ends with the error when the disk is full, and ignores further audio', async () => {
    const recorder = new WavRecorder('/dev/full', 'PCMU');
    for (let i = 0; i < 60; i++) recorder.tick(A);
    await recorder.written();
    for (let i = 0; i < 60; i++) recorder.tick(A);
    const { recording, recordingError } = await recorder.finish();
    expect(recording).toBeUndefined();
    expect((recordingError as NodeJS.ErrnoException).code).toBe('ENOSPC');
  });

  it('ends with the error when the folder is missing', async () => {
    const recorder = new WavRecorder(join(folder, 'missing', 'call.wav'), 'PCMU');
    recorder.tick(A);
    const { recordingError } = await recorder.finish();
    expect((recordingError as NodeJS.ErrnoException).code).toBe('ENOENT');
  });

  it('buffers at most 16 seconds for a slow disk', async () => {
    const recorder = new WavRecorder(join(folder, 'call.wav'), 'PCMU');
    for (let i = 0; i < 20 * 50; i++) recorder.tick(A); // in one turn of the event loop, so that the disk cannot write
    const { recordingError } = await recorder.finish();
    expect(recordingError?.message).toContain('too slow');
  });

  it('leaves no file when there was no audio', async () => {
    expect(await new WavRecorder(join(folder, 'call.wav'), 'PCMU').finish()).toEqual({});
  });
});

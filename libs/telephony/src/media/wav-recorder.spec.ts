import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { encode } from './g711.js';
import { WavRecorder } from './wav-recorder.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recorder-'));
});
afterEach(() => rm(folder, { recursive: true }));

const frame = (level: number): Buffer => encode('PCMU', new Int16Array(160).fill(level));

/** One sample of each 20 ms, as a letter: what the channel held then. */
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
  it('is a stereo WAV of 16 bits at 8 kHz with the far end on the left and ours on the right', async () => {
    const path = join(folder, 'call.wav');
    const recorder = new WavRecorder(path, 'PCMU');
    recorder.heard(A, 'PCMU');
    recorder.tick(B);
    recorder.tick();
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

  it('keeps both channels on the clock when the far end pauses', async () => {
    const path = join(folder, 'call.wav');
    const recorder = new WavRecorder(path, 'PCMU');
    for (const heard of [A, A, undefined, undefined, B]) {
      if (heard) recorder.heard(heard, 'PCMU');
      recorder.tick(B);
    }
    await recorder.finish();
    const wav = await readFile(path);
    expect([channel(wav, 0), channel(wav, 1)]).toEqual(['aa--B', 'BBBBB']);
  });

  it('brings late frames back to the clock within two seconds', async () => {
    const path = join(folder, 'call.wav');
    const recorder = new WavRecorder(path, 'PCMU');
    for (let i = 0; i < 3; i++) recorder.tick();
    for (let i = 0; i < 3; i++) recorder.heard(A, 'PCMU'); // the three that were missing
    for (let i = 0; i < 130; i++) {
      recorder.heard(i < 110 ? A : B, 'PCMU');
      recorder.tick();
    }
    await recorder.finish();
    expect(channel(await readFile(path), 0).indexOf('B')).toBe(3 + 110);
  });

  it('converts the other law', async () => {
    const path = join(folder, 'call.wav');
    const recorder = new WavRecorder(path, 'PCMU');
    recorder.heard(encode('PCMA', new Int16Array(160).fill(8_000)), 'PCMA');
    recorder.tick();
    await recorder.finish();
    expect(channel(await readFile(path), 0)).toBe('a');
  });

  it('plays up to the last seconds when the process dies: the header is patched on the way', async () => {
    const path = join(folder, 'call.wav');
    const recorder = new WavRecorder(path, 'PCMU');
    for (let i = 0; i < 7 * 50; i++) recorder.tick(A);
    await recorder.written();
    const wav = await readFile(path);
    expect(wav.length).toBe(44 + 7 * 32_000);
    expect(wav.readUInt32LE(40)).toBe(6 * 32_000);
    await recorder.finish();
    expect((await readFile(path)).readUInt32LE(40)).toBe(7 * 32_000);
  });

  it('ends with the error when the disk is full, and takes no harm from more audio', async () => {
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

  it('holds no more than 16 seconds for a disk that does not keep up', async () => {
    const recorder = new WavRecorder(join(folder, 'call.wav'), 'PCMU');
    for (let i = 0; i < 20 * 50; i++) recorder.tick(A); // in one go: the disk gets no turn
    const { recordingError } = await recorder.finish();
    expect(recordingError?.message).toContain('too slow');
  });

  it('leaves no file when nothing was said', async () => {
    expect(await new WavRecorder(join(folder, 'call.wav'), 'PCMU').finish()).toEqual({});
  });
});

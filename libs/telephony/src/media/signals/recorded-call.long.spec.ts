import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { decode, encode } from '../codecs/g711.js';
import { openMediaSession } from '../session/media-session.js';
import type { MediaSession } from '../session/media-session.types.js';
import { ToneDetector } from './tone-detector.js';
import { tone } from './tones.js';

const ports = { min: 31_500, max: 31_599 };

function connect(from: MediaSession, to: MediaSession): void {
  from.start({ address: '127.0.0.1', port: to.localPort, codec: 'PCMA', payloadType: 8, sendAudio: true });
}

/** Share of the samples that are louder than a whisper. */
const loud = (samples: Int16Array): number =>
  samples.filter((sample) => Math.abs(sample) > 500).length / samples.length;

const sideOf = (wav: Buffer, side: number): Int16Array =>
  new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length)).filter((_, i) => i % 2 === side);

/** A stall of the machine cuts a tone in two; no key is pressed twice in a row here. */
const withoutCuts = (keys: string): string => keys.replace(/(.)\1+/g, '$1');

/** The keys whose tones are in the samples. */
function keysIn(samples: Int16Array): string {
  let keys = '';
  new ToneDetector('PCMA', (digit) => (keys += digit)).hear(encode('PCMA', samples));
  return withoutCuts(keys);
}

describe('a recorded call', () => {
  it('has the remote party on the left and the sent audio on the right, aligned in time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'media-'));
    const path = join(folder, 'call.wav');
    const ours = await openMediaSession({ bindAddress: '127.0.0.1', ports, recordTo: path });
    const theirs = await openMediaSession({ bindAddress: '127.0.0.1', ports });
    connect(ours, theirs);
    connect(theirs, ours);
    ours.write(encode('PCMA', tone([400], 300)));
    await ours.drained(0);
    theirs.write(encode('PCMA', tone([900], 300)));
    await theirs.drained(100);
    await theirs.close();
    const { recording, recordingError } = await ours.close();
    expect(recordingError).toBeUndefined();
    const wav = await readFile(path);
    expect(recording).toEqual({ path, bytes: wav.length, durationMs: (wav.length - 44) / 32 });
    const samples = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length));
    const [left, right] = [0, 1].map((side) => samples.filter((_, i) => i % 2 === side)) as [Int16Array, Int16Array];
    const half = 300 * 8;
    expect([loud(left.subarray(0, half)) < 0.1, loud(right.subarray(0, half)) > 0.8]).toEqual([true, true]);
    expect([loud(left.subarray(half)) > 0.5, loud(right.subarray(half)) < 0.1]).toEqual([true, true]);
    await rm(folder, { recursive: true });
  });

  it.each([
    ['has the audible tones of keys, and their echo,', false, '4242'],
    ['without a trace has the audible tones of secret keys, and their echo,', true, ''],
  ])('%s in both channels', async (_, isSecret, recorded) => {
    const folder = await mkdtemp(join(tmpdir(), 'media-'));
    const path = join(folder, 'call.wav');
    const ours = await openMediaSession({ bindAddress: '127.0.0.1', ports, recordTo: path });
    const theirs = await openMediaSession({ bindAddress: '127.0.0.1', ports });
    connect(ours, theirs);
    connect(theirs, ours);
    theirs.write(encode('PCMA', tone([900], 200)));
    await theirs.drained(300);
    if (isSecret) ours.pauseRecording(true, 'keys');
    let digits = '';
    const entered = new Promise<void>((resolve) =>
      ours.onDtmf((digit) => {
        digits = withoutCuts(digits + digit);
        if (digits.length === 4) resolve();
      }),
    );
    const stopEcho = ours.onAudio((frame) => ours.write(frame));
    // Without telephone-event the keys are audible.
    await Promise.all([theirs.sendDtmf('4242'), entered]);
    await theirs.drained(400);
    stopEcho();
    // A stall of the machine leaves echo in the queue.
    await ours.drained(0);
    ours.pauseRecording(false, 'keys');
    const heard = new Promise<void>((resolve) =>
      ours.onFrame((frame) => loud(decode('PCMA', frame)) > 0.5 && resolve()),
    );
    theirs.write(encode('PCMA', tone([900], 300)));
    await Promise.all([theirs.drained(300), heard]);
    await theirs.close();
    await ours.close();
    const wav = await readFile(path);
    const [left, right] = [0, 1].map((side) => sideOf(wav, side)) as [Int16Array, Int16Array];
    expect([digits, keysIn(left), keysIn(right)]).toEqual(['4242', recorded, recorded]);
    // What was said before and after the keys is recorded.
    const half = left.length / 2;
    expect([loud(left.subarray(0, half)) > 0.01, loud(left.subarray(half)) > 0.01]).toEqual([true, true]);
    await rm(folder, { recursive: true });
  });

  it('leaves no recording when the media never started', async () => {
    const session = await openMediaSession({ bindAddress: '127.0.0.1', ports, recordTo: join(tmpdir(), 'never.wav') });
    expect(await session.close()).toEqual({});
  });
});

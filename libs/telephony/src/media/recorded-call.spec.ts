import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { encode } from './g711.js';
import { openMediaSession } from './media-session.js';
import type { MediaSession } from './media-session.types.js';
import { tone } from './tones.js';

const ports = { min: 31_500, max: 31_599 };

function connect(from: MediaSession, to: MediaSession): void {
  from.start({ address: '127.0.0.1', port: to.localPort, codec: 'PCMA', payloadType: 8, sendAudio: true });
}

/** Share of the samples that are louder than a whisper. */
const loud = (samples: Int16Array): number =>
  samples.filter((sample) => Math.abs(sample) > 500).length / samples.length;

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

  it('leaves no recording when the media never started', async () => {
    const session = await openMediaSession({ bindAddress: '127.0.0.1', ports, recordTo: join(tmpdir(), 'never.wav') });
    expect(await session.close()).toEqual({});
  });
});

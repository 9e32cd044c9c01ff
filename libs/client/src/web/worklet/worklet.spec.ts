import { beforeAll, describe, expect, it } from '@jest/globals';
import type { PlayOutReport } from './play-out.js';
import type { PlayOutCommand } from './worklet.js';

interface Processor {
  port: { onmessage?: (event: { data: unknown }) => void; posted: unknown[] };
  process: (inputs: Float32Array[][], outputs: Float32Array[][]) => boolean;
}

const processors = new Map<string, new (options: object) => Processor>();

/** The global scope of an audio worklet, in which the module registers its processors. */
beforeAll(async () => {
  class AudioWorkletProcessor {
    readonly port = {
      posted: [] as unknown[],
      postMessage: (message: unknown) => this.port.posted.push(message),
    };
  }
  Object.assign(globalThis, {
    sampleRate: 48_000,
    AudioWorkletProcessor,
    registerProcessor: (name: string, processor: new (options: object) => Processor) => processors.set(name, processor),
  });
  await import('./worklet.js');
});

const created = (name: string, processorOptions = {}): Processor => new (processors.get(name)!)({ processorOptions });

const tell = (processor: Processor, data: PlayOutCommand): void => processor.port.onmessage!({ data });

/** The output of each channel after blocks of 128 samples. */
function rendered(processor: Processor, blocks: number, channels: number): { output: Float32Array[]; goesOn: boolean } {
  let output: Float32Array[] = [];
  let goesOn = true;
  for (let block = 0; block < blocks; block += 1) {
    output = Array.from({ length: channels }, () => new Float32Array(128));
    goesOn = processor.process([], [output]);
  }
  return { output, goesOn };
}

describe('the processor of the microphone', () => {
  it('posts a frame of 20 ms for every 960 samples at 48 kHz', () => {
    const capture = created('trunkline-capture');
    for (let block = 0; block < 75; block += 1) capture.process([[new Float32Array(128).fill(0.5)]], []);
    const frames = capture.port.posted as { frame: ArrayBuffer; peak: number }[];
    expect(frames).toHaveLength(10);
    expect(new Int16Array(frames.at(5)?.frame ?? new ArrayBuffer(0))).toEqual(new Int16Array(320).fill(16_384));
  });

  it('posts silence while no microphone is connected', () => {
    const capture = created('trunkline-capture');
    for (let block = 0; block < 75; block += 1) capture.process([[]], []);
    expect(capture.port.posted).toHaveLength(10);
  });

  it('stops when it is told to', () => {
    const capture = created('trunkline-capture');
    expect(capture.process([[]], [])).toBe(true);
    capture.port.onmessage!({ data: { type: 'stop' } });
    expect(capture.process([[]], [])).toBe(false);
  });
});

describe('the processor of the play-out', () => {
  const frames = (processor: Processor, count: number, channels: number): void => {
    for (let n = 0; n < count; n += 1)
      tell(processor, { type: 'frame', frame: new Int16Array(320 * channels).fill(8_192).buffer });
  };

  it('plays frames, and posts a report every 100 ms', () => {
    const player = created('trunkline-play-out');
    frames(player, 8, 1);
    expect(rendered(player, 30, 1).output.at(0)?.at(-1)).toBeCloseTo(0.25, 3);
    rendered(player, 8, 1);
    const report = (player.port.posted as PlayOutReport[]).at(0);
    expect(report).toMatchObject({ targetMs: 60, missingMs: 0 });
    expect(report?.playedMs).toBeGreaterThan(90);
    expect(report?.peaks.at(0)).toBeCloseTo(0.25, 1);
  });

  it('has two channels for a listener', () => {
    const player = created('trunkline-play-out', { channels: 2 });
    frames(player, 8, 2);
    expect(rendered(player, 30, 2).output.map((side) => side.at(-1))).toEqual([
      expect.closeTo(0.25, 3),
      expect.closeTo(0.25, 3),
    ]);
  });

  it('falls silent when it is cleared, and stops when it is told to', () => {
    const player = created('trunkline-play-out');
    frames(player, 8, 1);
    rendered(player, 20, 1);
    tell(player, { type: 'clear' });
    expect(
      rendered(player, 10, 1)
        .output.at(0)
        ?.every((sample) => Math.abs(sample) < 1e-3),
    ).toBe(true);
    tell(player, { type: 'stop' });
    expect(rendered(player, 1, 1).goesOn).toBe(false);
  });
});

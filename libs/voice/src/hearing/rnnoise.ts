import { decimator, interpolator } from '../speech/polyphase.js';
import type { SuppressionModel } from './hearing-service.js';

const PACKAGE: string = '@echogarden/rnnoise-wasm';

/** RNNoise processes 10 ms at 48 kHz. */
const RATE = 48_000;
const FRAME = 480;
const SAMPLE_BYTES = 4;

/** The exports of the module compiled by Emscripten. */
interface Rnnoise {
  readonly HEAPF32: Float32Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  _rnnoise_create(model?: number): number;
  _rnnoise_destroy(state: number): void;
  _rnnoise_process_frame(state: number, out: number, input: number): number;
}

/** Rejects when its package is not installed. */
export async function loadRnnoise(): Promise<SuppressionModel> {
  let module: { default: () => Promise<Rnnoise> };
  try {
    module = (await import(PACKAGE)) as typeof module;
  } catch (cause) {
    throw new Error(`The package ${PACKAGE} is not installed.`, { cause });
  }
  const rnnoise = await module.default();
  return { open: (rate) => openStream(rnnoise, rate) };
}

/** Delay: 10 ms of the model and 6 ms of the resamplers. */
function openStream(rnnoise: Rnnoise, rate: number): ReturnType<SuppressionModel['open']> {
  const up = interpolator(RATE / rate);
  const down = decimator(RATE / rate);
  const state = rnnoise._rnnoise_create();
  const pointer = rnnoise._malloc(FRAME * SAMPLE_BYTES);
  const at = pointer / SAMPLE_BYTES;
  return {
    clean(samples) {
      const raised = up.push(samples);
      for (let from = 0; from + FRAME <= raised.length; from += FRAME) {
        rnnoise.HEAPF32.set(raised.subarray(from, from + FRAME), at);
        rnnoise._rnnoise_process_frame(state, pointer, pointer);
        for (let i = 0; i < FRAME; i++) raised[from + i] = sample(rnnoise.HEAPF32[at + i]!);
      }
      return down.push(raised);
    },
    close() {
      rnnoise._rnnoise_destroy(state);
      rnnoise._free(pointer);
    },
  };
}

const sample = (value: number): number => Math.max(-32_768, Math.min(32_767, Math.round(value)));

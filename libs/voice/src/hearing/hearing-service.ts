import { describeError } from '@app/common/thread-errors';
import type { MessagePort } from 'node:worker_threads';
import type { FromHearing, HearingTask, ToHearing } from './hearing-client.js';

/** A neural model of voice. */
export interface VoiceModel {
  /** The next samples of a stream of this rate that give one probability. */
  windowOf(rate: number): number;
  /** The probability of voice in the next window of each stream; all have the same rate. `memories` are those of the streams. */
  probabilities(windows: Float32Array[], memories: VoiceMemory[], rate: number): Promise<Float32Array>;
}

/** What the model remembers of a stream; filled by the model. */
export type VoiceMemory = Record<string, Float32Array>;

/** Removes noise from the streams that it opens. */
export interface SuppressionModel {
  open(rate: number): { clean(samples: Int16Array): Int16Array; close(): void };
}

/** Load on first use. Reject with a sentence for the operator. */
export interface HearingModels {
  voice: () => Promise<VoiceModel>;
  clean: () => Promise<SuppressionModel>;
}

/** More streams at once bring little and delay the others. */
const MAX_BATCH = 64;
/** Clients are never further behind. */
const MAX_QUEUE_MS = 2_000;

/** Runs the models for the streams of all ports. */
export class HearingService {
  private readonly batches: VoiceBatches;
  private voice: Promise<VoiceModel> | undefined;
  private suppression: Promise<SuppressionModel> | undefined;

  constructor(private readonly models: HearingModels) {
    this.batches = new VoiceBatches();
  }

  serve(port: MessagePort): void {
    const streams = new Map<number, ServedStream>();
    port.on('message', (message: ToHearing) => {
      if (message.type === 'open') void this.open(port, streams, message);
      else if (message.type === 'close') this.close(streams, message.stream);
      else message.streams.forEach((id, i) => streams.get(id)?.push(message.frames[i]!));
    });
    port.on('close', () => [...streams.keys()].forEach((id) => this.close(streams, id)));
  }

  private async open(
    port: MessagePort,
    streams: Map<number, ServedStream>,
    { stream, task, rate }: Extract<ToHearing, { type: 'open' }>,
  ): Promise<void> {
    const early = new EarlyAudio(rate);
    streams.set(stream, early);
    try {
      const opened = await this.opened(port, stream, task, rate);
      // It may have been closed while the model was loaded.
      if (streams.get(stream) !== early) return opened.close();
      streams.set(stream, opened);
      for (const samples of early.samples) opened.push(samples);
    } catch (error) {
      const { message: reason } = describeError(error);
      port.postMessage({ type: 'unavailable', task, reason } satisfies FromHearing);
    }
  }

  private async opened(port: MessagePort, id: number, task: HearingTask, rate: number): Promise<ServedStream> {
    if (task === 'clean') {
      this.suppression ??= this.models.clean();
      const opened = (await this.suppression).open(rate);
      return {
        push: (audio) => {
          const samples = opened.clean(audio);
          port.postMessage({ type: 'clean', stream: id, samples } satisfies FromHearing);
        },
        close: () => opened.close(),
      };
    }
    this.voice ??= this.models.voice();
    return this.batches.open(await this.voice, port, id, rate);
  }

  private close(streams: Map<number, ServedStream>, id: number): void {
    streams.get(id)?.close();
    streams.delete(id);
  }
}

interface ServedStream {
  push(samples: Int16Array): void;
  close(): void;
}

/** Audio that arrives while a model is loaded. */
class EarlyAudio implements ServedStream {
  readonly samples: Int16Array[] = [];
  private length = 0;

  constructor(private readonly rate: number) {}

  push(samples: Int16Array): void {
    if (this.length > (this.rate * MAX_QUEUE_MS) / 1_000) return;
    this.length += samples.length;
    this.samples.push(samples);
  }

  close(): void {
    this.samples.length = 0;
  }
}

/** Runs the voice model for all streams that have a window of audio, together. */
class VoiceBatches {
  private readonly streams = new Set<VoiceStream>();
  private isRunning = false;

  open(model: VoiceModel, port: MessagePort, id: number, rate: number): ServedStream {
    const stream = new VoiceStream(port, id, rate, model.windowOf(rate));
    this.streams.add(stream);
    return {
      push: (samples) => {
        stream.push(samples);
        if (!this.isRunning) void this.run(model);
      },
      close: () => void this.streams.delete(stream),
    };
  }

  private async run(model: VoiceModel): Promise<void> {
    this.isRunning = true;
    // The frames of the other calls of this turn come with the same messages.
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = this.next(); batch.length > 0; batch = this.next()) {
      try {
        await runBatch(model, batch);
      } catch (error) {
        this.fail(batch, describeError(error).message);
      }
    }
    this.isRunning = false;
  }

  /** The streams with a window of audio, of one rate. */
  private next(): VoiceStream[] {
    const ready = [...this.streams].filter((stream) => stream.isReady);
    return ready.filter(({ rate }) => rate === ready[0]!.rate).slice(0, MAX_BATCH);
  }

  private fail(batch: VoiceStream[], reason: string): void {
    for (const stream of batch) {
      this.streams.delete(stream);
      stream.port.postMessage({ type: 'unavailable', task: 'voice', reason } satisfies FromHearing);
    }
  }
}

async function runBatch(model: VoiceModel, batch: VoiceStream[]): Promise<void> {
  const memories = batch.map(({ memory }) => memory);
  const windows = batch.map((stream) => stream.takeWindow());
  const probabilities = await model.probabilities(windows, memories, batch[0]!.rate);
  for (const port of new Set(batch.map((stream) => stream.port))) {
    const all = batch.map((stream, i) => ({ stream, probability: probabilities[i]! }));
    const results = all.filter(({ stream }) => stream.port === port);
    port.postMessage({
      type: 'voice',
      streams: results.map(({ stream }) => stream.id),
      heard: results.map(({ stream }) => stream.heard),
      probabilities: results.map(({ probability }) => probability),
    } satisfies FromHearing);
  }
}

/** The audio of one user that waits for the model. */
class VoiceStream {
  readonly memory: VoiceMemory = {};
  /** Samples that the model has processed. */
  heard = 0;
  private readonly queue: Float32Array;
  private queued = 0;

  constructor(
    readonly port: MessagePort,
    readonly id: number,
    readonly rate: number,
    private readonly window: number,
  ) {
    this.queue = new Float32Array((rate * MAX_QUEUE_MS) / 1_000);
  }

  push(samples: Int16Array): void {
    if (this.queued + samples.length > this.queue.length) return;
    for (let i = 0; i < samples.length; i++) this.queue[this.queued + i] = samples[i]! / 32_768;
    this.queued += samples.length;
  }

  get isReady(): boolean {
    return this.queued >= this.window;
  }

  takeWindow(): Float32Array {
    const window = this.queue.slice(0, this.window);
    this.queue.copyWithin(0, this.window, this.queued);
    this.queued -= this.window;
    this.heard += this.window;
    return window;
  }
}

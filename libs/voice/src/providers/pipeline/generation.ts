import type { Clock } from '../../clock.js';
import type { UsageItem } from '../../usage.js';
import { LIMITS, readLeg } from './legs.js';
import type { GenerationEvent, GenerationRequest, LanguageModel } from './ports.js';

/** A result of the model; usage is reported apart from it. */
export type ModelOutput = Exclude<GenerationEvent, { type: 'usage' }>;

/** One request to the model. It may run ahead of the end of the user's turn: its results wait until they are wanted. */
export class Generation {
  private readonly abort = new AbortController();
  private early: ModelOutput[] | undefined = [];
  private sink: (output: ModelOutput) => void = () => undefined;

  private constructor(
    /** Resolves at the end of the results; rejects when the model fails. */
    readonly done: Promise<void>,
    abort: AbortController,
  ) {
    this.abort = abort;
  }

  static begin(
    model: LanguageModel,
    request: GenerationRequest,
    { clock, onUsage }: { clock: Clock; onUsage: (items: UsageItem[]) => void },
  ): Generation {
    const abort = new AbortController();
    const holder: { generation?: Generation } = {};
    const done = readLeg<ModelOutput>({
      name: model.name,
      open: (signal) => model.generate(request, signal),
      firstMs: LIMITS.firstTokenMs,
      stallMs: LIMITS.stallMs,
      clock,
      onEvent: (output) => holder.generation?.take(output),
      onUsage,
      signal: abort.signal,
    });
    // A discarded generation may fail.
    done.catch(() => undefined);
    return (holder.generation = new Generation(done, abort));
  }

  /** Delivers the results so far, and all later ones. */
  deliver(sink: (output: ModelOutput) => void): void {
    this.sink = sink;
    const early = this.early ?? [];
    this.early = undefined;
    early.forEach(sink);
  }

  /** Ends it early; its usage is still reported. */
  stop(): void {
    this.abort.abort();
  }

  private take(output: ModelOutput): void {
    if (this.early) this.early.push(output);
    else this.sink(output);
  }
}

import type { Clock } from '../../clock.js';
import type { UsageItem } from '../../usage.js';
import { LIMITS, readLeg } from './legs.js';
import type { GenerationEvent, GenerationRequest, LanguageModel } from './ports.js';

/** A result of the model; usage is reported apart from it. */
export type ModelOutput = Exclude<GenerationEvent, { type: 'usage' | 'working' }>;

interface GenerationServices {
  clock: Clock;
  onUsage: (items: UsageItem[]) => void;
}

/** One request to the model. It may run ahead of the end of the user's turn: its results wait until they are wanted. */
export class Generation {
  private readonly abort = new AbortController();
  private early: ModelOutput[] | undefined = [];
  private sink: (output: ModelOutput) => void = () => undefined;
  private isBilled = false;
  private isOver = false;
  private generated = '';
  /** Resolves at the end of the results; rejects when the model fails. */
  readonly done: Promise<void>;

  /** Begins at once. */
  constructor(
    private readonly model: LanguageModel,
    private readonly request: GenerationRequest,
    private readonly services: GenerationServices,
  ) {
    this.done = readLeg<ModelOutput | { type: 'working' }>({
      name: model.name,
      open: (signal) => model.generate(request, signal),
      firstMs: LIMITS.firstTokenMs,
      stallMs: LIMITS.stallMs,
      clock: services.clock,
      onEvent: (event) => (event.type === 'working' ? undefined : this.take(event)),
      onUsage: (items) => this.bill(items),
      signal: this.abort.signal,
    });
    const over = (): void => void (this.isOver = true);
    // A discarded generation may fail.
    this.done.then(over, over);
  }

  /** Delivers the results so far, and all later ones. */
  deliver(sink: (output: ModelOutput) => void): void {
    this.sink = sink;
    const early = this.early ?? [];
    this.early = undefined;
    early.forEach(sink);
  }

  /** Ends it early. Vendors report the usage of a request only at its end, so that the usage until now is estimated. */
  stop(): void {
    const wasRunning = !this.isOver;
    this.abort.abort();
    if (wasRunning && !this.isBilled) this.bill(estimate(this.model, this.request, this.generated));
  }

  private take(output: ModelOutput): void {
    this.generated += output.type === 'text' ? output.text : output.name + output.arguments;
    if (this.early) this.early.push(output);
    else this.sink(output);
  }

  /** Once: later reports are for the same work. */
  private bill(items: UsageItem[]): void {
    if (this.abort.signal.aborted && this.isBilled) return;
    this.isBilled = true;
    this.services.onUsage(items);
  }
}

/** Characters of a token: four in scripts with spaces, about one in others. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu;

function tokensOf(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return wide + (text.length - wide) / 4;
}

function estimate(
  model: LanguageModel,
  { instructions, messages, tools }: GenerationRequest,
  generated: string,
): UsageItem[] {
  const input =
    tokensOf(instructions) +
    tokensOf(JSON.stringify(messages)) +
    (tools.length > 0 ? tokensOf(JSON.stringify(tools)) : 0);
  const items = [
    { kind: 'input_text_tokens' as const, tokens: Math.ceil(input) },
    { kind: 'output_text_tokens' as const, tokens: Math.ceil(tokensOf(generated)) },
  ];
  return items
    .filter(({ tokens }) => tokens > 0)
    .map(({ kind, tokens }) => ({ kind, quantity: tokens / 1_000, unit: 'thousand_tokens', source: model.name }));
}

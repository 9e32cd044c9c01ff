import type { Clock } from '../../../clock.js';
import type { TranscriberEvent } from '../ports.js';

/** More unfinished items than a call can have; the oldest ones are given up. */
const MAX_ITEMS = 50;
/** A complete utterance waits so long for those before it. */
const LATE_MS = 2_000;
/** No turn has a longer text. */
const MAX_TEXT_LENGTH = 20_000;

/** One utterance of the user. */
interface SpokenItem {
  /** Undefined: the client cut the utterance, and the server has not named it. */
  id: string | undefined;
  startMs: number;
  endMs: number | undefined;
  text: string;
  /** Undefined: not complete. */
  final: { text: string; language?: string } | undefined;
}

/**
 * The utterances of a Realtime transcription in their order. Their transcriptions may be completed in another order; a later one
 * waits for the ones before it, as long as they may still come.
 */
export class SpokenItems {
  private items: SpokenItem[] = [];
  private interim = '';

  private cancelWait: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly emit: (event: TranscriberEvent) => void,
  ) {}

  /** Whether the id names an unfinished utterance, or may name one. */
  has(id: string): boolean {
    return this.items.some((item) => item.id === id || item.id === undefined);
  }

  began(startMs: number, id?: string): void {
    if (this.items.length >= MAX_ITEMS) this.items.shift();
    this.items.push({ id, startMs, endMs: undefined, text: '', final: undefined });
  }

  ended(endMs: number, id?: string): void {
    const item = id === undefined ? this.items.findLast((one) => one.endMs === undefined) : this.named(id);
    if (item) item.endMs = Math.max(endMs, item.startMs);
  }

  /** The server names the oldest utterance without a name; some servers report no beginning. */
  committed(id: string, sentMs: number): void {
    if (!this.named(id)) this.began(Math.round(sentMs), id);
  }

  grown(id: string, delta: string, sentMs: number): void {
    const item = this.named(id);
    if (!item || item.final) return;
    item.text = (item.text + delta).slice(0, MAX_TEXT_LENGTH);
    if (item === this.items[0]) this.show(item, sentMs);
  }

  /** An empty text: nothing was said, or the transcription failed. */
  completed(id: string, text: string, language?: string): void {
    const item = this.named(id);
    if (!item) return;
    item.final = { text: text.trim(), ...(language === undefined ? {} : { language }) };
    this.finishComplete();
  }

  /** To be called at the end. */
  stop(): void {
    this.cancelWait?.();
    this.cancelWait = undefined;
  }

  private finishComplete(): void {
    while (this.items[0]?.final) this.finish(this.items.shift()!);
    this.stop();
    const [next] = this.items;
    if (next && next.text !== '') this.show(next, next.endMs ?? next.startMs);
    const complete = this.items.findIndex((item) => item.final);
    if (complete < 0) return;
    this.cancelWait = this.clock.after(LATE_MS, () => {
      this.items.splice(0, complete);
      this.finishComplete();
    });
  }

  private finish({ final, startMs, endMs = startMs }: SpokenItem): void {
    const { text, language } = final!;
    const shown = this.interim;
    this.interim = '';
    const common = { text, endMs, ...(language === undefined ? {} : { language }) };
    // The vendor has no times of words.
    if (text !== '') this.emit({ type: 'final', ...common, words: [], startMs });
    else if (shown !== '') this.emit({ type: 'interim', ...common });
  }

  private show({ text, endMs }: SpokenItem, sentMs: number): void {
    const trimmed = text.trim();
    if (trimmed === '' || trimmed === this.interim) return;
    this.interim = trimmed;
    this.emit({ type: 'interim', text: trimmed, endMs: endMs ?? Math.round(sentMs) });
  }

  /** Undefined: the utterance is unknown or complete. */
  private named(id: string): SpokenItem | undefined {
    const known = this.items.find((item) => item.id === id);
    if (known) return known;
    const unnamed = this.items.find((item) => item.id === undefined);
    if (unnamed) unnamed.id = id;
    return unnamed;
  }
}

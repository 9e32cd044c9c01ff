import { pause, type Clock } from '../../clock.js';
import type { UsageItem } from '../../usage.js';
import { ProviderBusy, ProviderUnavailable } from '../voice-provider.js';

/** Deadlines of the legs, in milliseconds. */
export const LIMITS = {
  connectMs: 3_000,
  firstTranscriptMs: 2_000,
  firstTokenMs: 4_000,
  firstAudioMs: 2_000,
  /** Between two parts of a result. */
  stallMs: 3_000,
} as const;

/** Before the retry. */
const RETRY_MS = 100;
/** Before further ones of the last leg, after which the conversation needs another provider. */
const LAST_RETRIES_MS = [400, 1_000];
/** A leg that asks for more time than this is replaced. */
const MAX_WAIT_MS = 1_000;

/** A leg did not answer in time. */
export class LegTimeout extends Error {}

/** No leg of a kind works: the conversation needs another provider. */
export class LegsFailed extends Error {
  constructor(kind: string, cause: unknown) {
    super(`No ${kind} works: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/**
 * The legs of one kind in their order, of which one is in use. Each gets one retry; the last one gets more, unless it is slow. A leg that
 * failed is not used again.
 */
export class LegChain<Leg extends { readonly name: string }> {
  private at = 0;
  private retries = 0;

  constructor(
    private readonly kind: string,
    private readonly legs: readonly Leg[],
    private readonly clock: Clock,
  ) {}

  /** The leg in use. */
  get leg(): Leg {
    return this.legs[this.at]!;
  }

  get all(): readonly Leg[] {
    return this.legs;
  }

  /** Goes on with the leg that another chain of the same legs uses. */
  resume(before: LegChain<Leg> | undefined): this {
    this.at = before && before.at < this.legs.length ? before.at : 0;
    return this;
  }

  /** The leg has delivered. */
  worked(): void {
    this.retries = 0;
  }

  /**
   * Chooses the leg of the next attempt, and waits until that. Rejects with LegsFailed when no leg is left, and with the reason of the
   * signal when that aborts.
   */
  async failed(error: unknown, signal: AbortSignal): Promise<void> {
    const waitMs = this.retryAfter(error);
    if (waitMs !== undefined) {
      this.retries++;
      return pause(this.clock, waitMs, signal);
    }
    this.retries = 0;
    this.at = (this.at + 1) % this.legs.length;
    if (this.at === 0) throw new LegsFailed(this.kind, error);
  }

  /** The time before a retry of the same leg; undefined: a retry is useless, or takes too long. */
  private retryAfter(error: unknown): number | undefined {
    if (error instanceof ProviderUnavailable) return undefined;
    const isLast = this.at === this.legs.length - 1 && !(error instanceof LegTimeout);
    const waitMs = [RETRY_MS, ...(isLast ? LAST_RETRIES_MS : [])][this.retries];
    if (waitMs === undefined || !(error instanceof ProviderBusy)) return waitMs;
    return error.retryAfterMs <= MAX_WAIT_MS ? Math.max(waitMs, error.retryAfterMs) : undefined;
  }
}

/** More results after the end of the interest in them: the leg ignores the abort. */
const MAX_IGNORED = 1_000;

interface LegReading<Event extends { type: string }> {
  name: string;
  open: (signal: AbortSignal) => AsyncIterable<Event | { type: 'usage'; items: UsageItem[] }>;
  /** Before the first event, and between two. */
  firstMs: number;
  stallMs: number;
  clock: Clock;
  onEvent: (event: Event) => void;
  /** Also after the abort: discarded work was consumed. */
  onUsage: (items: UsageItem[]) => void;
  signal: AbortSignal;
}

/**
 * Reads the result of a leg. Resolves at its end, and at once when the signal aborts; rejects when the leg fails, or with LegTimeout.
 * After the abort only usage is reported.
 */
export function readLeg<Event extends { type: string }>(reading: LegReading<Event>): Promise<void> {
  const { name, open, clock, signal, onEvent, onUsage } = reading;
  return new Promise((resolve, reject) => {
    const stop = new AbortController();
    let isOver = false;
    let cancelTimer = (): void => undefined;
    const settle = (finish: () => void): void => {
      if (isOver) return;
      isOver = true;
      cancelTimer();
      signal.removeEventListener('abort', aborted);
      finish();
      stop.abort();
    };
    const aborted = (): void => settle(resolve);
    const wait = (ms: number): void => {
      cancelTimer();
      cancelTimer = clock.after(ms, () =>
        settle(() => reject(new LegTimeout(`${name} did not answer within ${ms} ms.`))),
      );
    };
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', aborted, { once: true });
    wait(reading.firstMs);
    const read = async (): Promise<void> => {
      let ignored = 0;
      for await (const event of open(stop.signal)) {
        if (isUsage(event)) onUsage(event.items);
        else if (isOver && ++ignored > MAX_IGNORED) break;
        else if (!isOver) {
          wait(reading.stallMs);
          onEvent(event);
        }
      }
    };
    read().then(
      () => settle(resolve),
      (error: unknown) => settle(() => reject(error instanceof Error ? error : new Error(String(error)))),
    );
  });
}

const isUsage = (event: { type: string }): event is { type: 'usage'; items: UsageItem[] } => event.type === 'usage';

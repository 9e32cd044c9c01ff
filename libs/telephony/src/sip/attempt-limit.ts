interface AttemptLimitOptions {
  /** Attempts of one source that are allowed within `windowMs`. */
  attempts: number;
  windowMs: number;
  /** How long a source stays over the limit. It is never extended: a trunk whose password was corrected gets through again. */
  penaltyMs: number;
  /** Sources stored at once; the oldest is evicted. */
  sources: number;
}

interface Source {
  attempts: number;
  /** The end of the window, or of the penalty, in ms of the clock. */
  until: number;
}

/** Counts attempts by source in bounded memory: forged source addresses can fill it, but not make it grow. */
export class AttemptLimit {
  private readonly known = new Map<string, Source>();

  constructor(
    private readonly options: AttemptLimitOptions,
    private readonly now: () => number,
  ) {}

  get size(): number {
    return this.known.size;
  }

  /** True while the source is over its limit. */
  exceeded(source: string): boolean {
    return (this.current(source)?.attempts ?? 0) > this.options.attempts;
  }

  /** Counts one attempt; true for the attempt that exceeds the limit. */
  count(source: string): boolean {
    const { attempts, windowMs, penaltyMs } = this.options;
    const known = this.current(source) ?? this.begin(source, windowMs);
    known.attempts += 1;
    if (known.attempts !== attempts + 1) return false;
    known.until = this.now() + penaltyMs;
    return true;
  }

  forget(source: string): void {
    this.known.delete(source);
  }

  private current(source: string): Source | undefined {
    const known = this.known.get(source);
    if (known && known.until > this.now()) return known;
    this.known.delete(source);
    return undefined;
  }

  private begin(source: string, windowMs: number): Source {
    const [oldest] = this.known.keys();
    if (oldest !== undefined && this.known.size >= this.options.sources) this.known.delete(oldest);
    const fresh = { attempts: 0, until: this.now() + windowMs };
    this.known.set(source, fresh);
    return fresh;
  }
}

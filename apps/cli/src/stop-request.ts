const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Whether this process was asked to end: by a signal, or because a part of it cannot go on. */
export class StopRequest {
  /** Resolves with the exit code at the first request: 0 for a signal, 1 for a failure. */
  readonly made: Promise<number>;
  private code: number | undefined;
  private resolve: (code: number) => void = () => {};

  /** `onRepeat`: a signal came while the end was already under way. */
  constructor(private readonly onRepeat: () => void) {
    this.made = new Promise((resolve) => (this.resolve = resolve));
    for (const signal of SIGNALS) process.on(signal, this.onSignal);
  }

  get isMade(): boolean {
    return this.code !== undefined;
  }

  fail(): void {
    this.make(1);
  }

  /** Signals have their usual effect again. */
  dispose(): void {
    for (const signal of SIGNALS) process.off(signal, this.onSignal);
  }

  private readonly onSignal = (): void => {
    if (this.isMade) this.onRepeat();
    else this.make(0);
  };

  private make(code: number): void {
    this.code ??= code;
    this.resolve(code);
  }
}

/** Keeps requests away from an endpoint that fails, so that searches and documents do not each wait for it again. */
export class EndpointRest {
  private until = 0;
  private failures = 0;

  /** @param toleratedFailures so many questions in a row may fail. @param restMs for how long it is left alone then. */
  constructor(
    private readonly toleratedFailures: number,
    private readonly restMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  get resting(): boolean {
    return this.now() < this.until;
  }

  worked(): void {
    this.failures = 0;
    this.until = 0;
  }

  failed(): void {
    if (++this.failures >= this.toleratedFailures) this.begin();
  }

  begin(ms = 0): void {
    this.failures = 0;
    this.until = this.now() + Math.max(ms, this.restMs);
  }
}

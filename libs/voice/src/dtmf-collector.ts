import type { Clock } from './clock.js';

const QUIET_MS = 2000;
const END_KEY = '#';

/** Collects key presses into one input, which ends with `#` or two seconds after the last key. */
export class DtmfCollector {
  private digits = '';
  private cancelTimer = (): void => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onInput: (digits: string) => void,
  ) {}

  /** A `#` that ends an input is not part of it; alone it is the input. */
  press(digit: string): void {
    this.cancelTimer();
    if (digit === END_KEY) return this.finish(this.digits || END_KEY);
    this.digits += digit;
    this.cancelTimer = this.clock.after(QUIET_MS, () => this.finish(this.digits));
  }

  get collecting(): boolean {
    return this.digits !== '';
  }

  close(): void {
    this.cancelTimer();
    this.digits = '';
  }

  private finish(input: string): void {
    this.digits = '';
    this.onInput(input);
  }
}

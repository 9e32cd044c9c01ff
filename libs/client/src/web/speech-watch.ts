/** Levels come every 100 ms. */
const TICKS = 100;
/** Peak amplitude of a quiet voice; an idle microphone with noise suppression stays below it (-48 dB). */
const AUDIBLE = 0.004;

/** Notices a microphone from which nothing is heard for 10 s, not counting time in which the agent speaks. */
export class SpeechWatch {
  private quiet = 0;

  /** Peaks of the last 100 ms, 0 to 1. True once when 10 s have passed, and again only after something was heard. */
  isSilent(input: number, output: number): boolean {
    if (input >= AUDIBLE) this.quiet = 0;
    else if (output < AUDIBLE) this.quiet += 1;
    else return false;
    return this.quiet === TICKS;
  }

  reset(): void {
    this.quiet = 0;
  }
}

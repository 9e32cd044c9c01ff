import { Pattern, UnusablePattern } from './pattern.js';

/** Instructions of all patterns of a schema or scenario: what a character of a text may cost. */
const PATTERN_INSTRUCTIONS = 4_000;
/** Compiling `\pL` takes as long as 25 instructions (measured: 0.1 ms), although the program gets one. */
const INSTRUCTIONS_OF_UNICODE_CLASS = 25;

/** What a refused pattern costs at least: its parsing and its error (measured: 0.2 ms). */
const INSTRUCTIONS_OF_REFUSAL = 50;

/** The patterns together cost more than the budget. */
export class PatternsTooLarge extends Error {}

/**
 * Compiles the patterns of one document. The budget covers their programs, their Unicode classes and the text of patterns that
 * are refused, so that compiling takes no longer than about 50 ms, however many there are.
 */
export class PatternBudget {
  private left = PATTERN_INSTRUCTIONS;

  get isSpent(): boolean {
    return this.left < 0;
  }

  /** @throws UnusablePattern, PatternsTooLarge */
  compile(source: string): Pattern {
    this.spend(INSTRUCTIONS_OF_UNICODE_CLASS * (source.match(/\\p/gi)?.length ?? 0));
    const pattern = this.compiled(source);
    this.spend(pattern.instructions);
    return pattern;
  }

  private compiled(source: string): Pattern {
    try {
      return Pattern.of(source);
    } catch (error) {
      if (error instanceof UnusablePattern) this.left -= Math.max(INSTRUCTIONS_OF_REFUSAL, source.length);
      throw error;
    }
  }

  private spend(instructions: number): void {
    this.left -= instructions;
    if (this.isSpent) throw new PatternsTooLarge('The patterns are too large together.');
  }
}

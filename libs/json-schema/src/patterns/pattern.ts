import { RE2JS, RE2JSSyntaxException } from 're2js';

/**
 * Steps of one bounded piece of work, about 5 ns each: 10 ms, and the time that reporting an error takes. `anyOf` in `anyOf`, schemas that
 * refer to themselves, `uniqueItems` and patterns multiply with the arguments, so no limit on the schema alone bounds them.
 */
const MAX_STEPS = 2_000_000;

class TooMuchWork extends Error {}

/** The cost of reporting one error. */
export const STEPS_OF_ERROR = 100;

let left = 0;

/** Deducts steps from the budget of `bound`. Throws when it is used up. */
export function spend(steps: number): void {
  if ((left -= steps) < 0) throw new TooMuchWork();
}

/** Runs work with a budget of steps; synchronous, so that no other work spends them. Undefined: the budget was exceeded. */
export function bound<T>(work: () => T): T | undefined {
  left = MAX_STEPS;
  try {
    return work();
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}

/** Characters of one pattern. */
const PATTERN_LENGTH = 512;
/** `x{1000}` is a thousand times x. */
const MAX_WRITTEN_OUT = 20_000;
/** RE2 refuses nested repetitions with a larger product. */
const MAX_REPEATED = 1_000;

/** The text is not a supported pattern; the message is the end of a sentence. */
export class UnusablePattern extends Error {}

/** A regular expression without backtracking: ECMAScript syntax except look-around and back-references. */
export class Pattern {
  private constructor(
    private readonly source: string,
    private readonly program: RE2JS,
  ) {}

  /** Throws UnusablePattern. */
  static of(source: string): Pattern {
    const problem = sizeProblem(source);
    if (problem) throw new UnusablePattern(problem);
    try {
      return new Pattern(source, RE2JS.compile(RE2JS.translateRegExp(source)));
    } catch (error) {
      if (!(error instanceof RE2JSSyntaxException)) throw error;
      throw new UnusablePattern(
        `must be a regular expression without look-around and back-references: ${reason(error)}`,
        { cause: error },
      );
    }
  }

  get instructions(): number {
    return this.program.programSize();
  }

  test(text: string): boolean {
    spend(10 + text.length * this.instructions);
    return this.program.test(text);
  }

  /** The first `most` matches that are not empty, in their order. */
  spans(text: string, most: number): { start: number; end: number }[] {
    const matcher = this.program.matcher(text);
    const spans: { start: number; end: number }[] = [];
    while (spans.length < most && matcher.find())
      if (matcher.end() > matcher.start()) spans.push({ start: matcher.start(), end: matcher.end() });
    return spans;
  }

  /** Ajv uses the text as the key of a pattern. */
  toString(): string {
    return this.source;
  }
}

function sizeProblem(source: string): string | undefined {
  if (source.length > PATTERN_LENGTH) return `must not be greater than ${PATTERN_LENGTH} characters`;
  return writtenOut(source) > MAX_WRITTEN_OUT ? 'repeats too much' : undefined;
}

/** A lower bound of the length of the pattern without counts. Counts of groups multiply the counts inside; `\Q\E` may precede a count. */
function writtenOut(source: string): number {
  let single = 1;
  let ofGroups = 1;
  for (const [, group, from, to] of source.matchAll(/(\)|\\E)?\{(\d+)(?:,(\d*))?\}/g)) {
    const count = Math.max(1, Number(to || from));
    if (group) ofGroups *= count;
    else single = Math.max(single, count);
  }
  return source.length * Math.max(single, Math.min(MAX_REPEATED, single * ofGroups));
}

/** Without the prefix that all messages of the library have. */
const reason = (error: Error): string => error.message.replace(/^error parsing regexp: /, '').slice(0, 100);

/** Instructions of all patterns of a schema or scenario: they bound the cost of each character of a text. */
const PATTERN_INSTRUCTIONS = 4_000;
/** Compiling `\pL` takes as long as 25 instructions (measured: 0.1 ms), although the program has one. */
const INSTRUCTIONS_OF_UNICODE_CLASS = 25;

/** The minimum cost of a refused pattern: its parsing and its error (measured: 0.2 ms). */
const INSTRUCTIONS_OF_REFUSAL = 50;

/** The patterns together exceed the budget. */
export class PatternsTooLarge extends Error {}

/**
 * Compiles the patterns of one document. The budget covers their programs, their Unicode classes and the text of refused patterns:
 * compiling any number of patterns takes about 50 ms at most.
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

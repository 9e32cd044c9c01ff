import { RE2JS, RE2JSSyntaxException } from 're2js';
import { spend } from './bounded-work.js';

/** Characters of one pattern. */
const PATTERN_LENGTH = 512;
/** `x{1000}` is a thousand times x. */
const MOST_WRITTEN_OUT = 20_000;
/** RE2 refuses nested repetitions whose product is larger. */
const MOST_REPEATED = 1_000;

/** The text cannot be used as a pattern; the message is the end of a sentence. */
export class UnusablePattern extends Error {}

/** A regular expression without backtracking, in the syntax of ECMAScript as far as that has no look-around or back-reference. */
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
        `must be a regular expression without look-around and back-references: ${reason(error)}.`,
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

  /** Ajv identifies patterns by their text. */
  toString(): string {
    return this.source;
  }
}

function sizeProblem(source: string): string | undefined {
  if (source.length > PATTERN_LENGTH) return `must not be greater than ${PATTERN_LENGTH} characters.`;
  return writtenOut(source) > MOST_WRITTEN_OUT ? 'repeats too much.' : undefined;
}

/** At least the characters of the pattern without counts. Counts of groups multiply those inside them; `\Q\E` may stand between. */
function writtenOut(source: string): number {
  let single = 1;
  let ofGroups = 1;
  for (const [, group, from, to] of source.matchAll(/(\)|\\E)?\{(\d+)(?:,(\d*))?\}/g)) {
    const count = Math.max(1, Number(to || from));
    if (group) ofGroups *= count;
    else single = Math.max(single, count);
  }
  return source.length * Math.max(single, Math.min(MOST_REPEATED, single * ofGroups));
}

/** The library's sentence begins alike for all. */
const reason = (error: Error): string => error.message.replace(/^error parsing regexp: /, '').slice(0, 100);

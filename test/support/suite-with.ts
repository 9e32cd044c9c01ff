import { describe } from '@jest/globals';
import { isInstalled } from './programs.js';

/** A `describe`, of which `each` takes a table of one column. */
export interface Suite {
  (name: string, stories: () => void): void;
  each<Row>(rows: readonly Row[]): (name: string, stories: (row: Row) => void) => void;
}

/**
 * A suite that needs external programs, given by the names of their commands. If one is missing, the suite is skipped with the reason in its
 * title, which `npm test` repeats at its end: `(skipped: sipp is not installed)`.
 */
export function suiteWith(programs: readonly string[], hasProgram = isInstalled): Suite {
  const reason = missingReason(programs.filter((program) => !hasProgram(program)));
  const block = reason === undefined ? describe : skipped;
  const titled = (name: string): string => (reason === undefined ? name : `${name} (skipped: ${reason})`);
  return Object.assign((name: string, stories: () => void) => block(titled(name), stories), {
    each:
      <Row>(rows: readonly Row[]) =>
      (name: string, stories: (row: Row) => void) =>
        block.each(rows)(titled(name), stories),
  });
}

const skipped = describe.skip;

/** `sipp and kamailio are not installed`; undefined when all programs are installed. */
export function missingReason(missing: readonly string[]): string | undefined {
  const [first, ...others] = missing;
  if (first === undefined) return undefined;
  const last = others.pop();
  return last === undefined
    ? `${first} is not installed`
    : `${[first, ...others].join(', ')} and ${last} are not installed`;
}

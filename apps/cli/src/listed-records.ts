import { stringify } from 'yaml';
import { Problem } from './problem.js';

/** Prints a value as JSON, or its lines. */
export const print = (json: boolean | undefined, value: unknown, lines: readonly string[]): void =>
  console.log(json ? JSON.stringify(value, null, 2) : lines.join('\n'));

/** Prints a record as JSON or YAML. */
export const printRecord = (json: boolean | undefined, record: unknown): void =>
  print(json, record, [stringify(record).trimEnd()]);

/** Prints records as JSON, or each by its lines; `none` stands for an empty list. */
export const printList = <T>(
  json: boolean | undefined,
  records: readonly T[],
  linesOf: (record: T) => string | readonly string[],
  none: string,
): void => print(json, records, records.length > 0 ? records.flatMap(linesOf) : [none]);

/** The most records that a command lists. */
export const MAX_LISTED = 1_000;

/** The option `--limit`. Throws Problem. */
export function limitOf(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LISTED) return limit;
  throw new Problem(`--limit must be between 1 and ${MAX_LISTED}.`);
}

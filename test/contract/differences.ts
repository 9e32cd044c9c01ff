import { readFileSync } from 'node:fs';
import type { Pair, StoredAnswer } from './exchange.js';

/** A difference that was decided: an entry of differences.json. */
export interface AcceptedDifference {
  reason: string;
  /** Only pairs of this route; absent: of all. */
  route?: string;
  /** Only the pair with this case. */
  case?: string;
  /** Only answers that had this status. */
  status?: number;
  /** The new answer, or what of it is new. */
  answer?: Partial<StoredAnswer>;
  /** Top-level fields of the JSON body that are new; their values are not compared. */
  addedFields?: string[];
}

export const acceptedDifferences = (): AcceptedDifference[] =>
  JSON.parse(readFileSync('test/contract/differences.json', 'utf8')) as AcceptedDifference[];

/** The description of a difference that was not accepted, or undefined. */
export function differenceOf(
  pair: Pair,
  expected: StoredAnswer,
  got: StoredAnswer,
  accepted: readonly AcceptedDifference[],
): string | undefined {
  const mine = accepted.filter((one) => concerns(one, pair));
  const changed = mine.reduce<StoredAnswer>((answer, one) => ({ ...answer, ...one.answer }), expected);
  const added = mine.flatMap((one) => one.addedFields ?? []);
  const reduced = added.length > 0 ? { ...got, body: withoutFields(got.body, added) } : got;
  if (textOf(changed) === textOf(reduced)) return undefined;
  const { method, path, headers, body, bytes } = pair.request;
  const sent = [JSON.stringify(headers), bytes === undefined ? body : `base64 ${bytes}`].filter(
    (one) => one !== undefined,
  );
  return [
    `${pair.route} (${pair.case})`,
    `  request:  ${method} ${path} ${sent.join(' ').slice(0, 1_000)}`,
    `  expected: ${textOf(changed)}`,
    `  got:      ${textOf(reduced)}`,
  ].join('\n');
}

const concerns = (one: AcceptedDifference, pair: Pair): boolean =>
  (one.route === undefined || one.route === pair.route) &&
  (one.case === undefined || one.case === pair.case) &&
  (one.status === undefined || one.status === pair.answer.status);

const textOf = ({ status, headers, body }: StoredAnswer): string => {
  const sorted = Object.entries(headers).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${status} ${sorted.map(([name, value]) => `${name}: ${value}`).join(', ')} ${body}`;
};

/** The service writes JSON without spaces, in the order of its fields. */
function withoutFields(body: string, names: readonly string[]): string {
  if (!body.startsWith('{')) return body;
  const kept = Object.entries(JSON.parse(body) as object).filter(([name]) => !names.includes(name));
  return JSON.stringify(Object.fromEntries(kept));
}

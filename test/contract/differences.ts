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
  /** Patterns of a sentence before and after, which may name the value: `^No agent \\S+ in this account\\.$`. */
  sentence?: { was: string; is: string };
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
  const answer = mine.reduce<StoredAnswer>((before, one) => ({ ...before, ...one.answer }), expected);
  const added = [...mine.flatMap((one) => one.addedFields ?? []), ...(isOfFields(got) ? ['codes', 'request_id'] : [])];
  const reduced = added.length > 0 ? { ...got, body: withoutFields(got.body, added) } : got;
  const sentences = mine.flatMap(({ sentence }) => sentence ?? []);
  const changed = { ...answer, body: withSentences(answer.body, reduced.body, sentences) };
  const ofCodes = isOfFields(got) ? codesProblem(got.body) : undefined;
  if (textOf(changed) === textOf(reduced) && ofCodes === undefined) return undefined;
  const { method, path, headers, body, bytes } = pair.request;
  const sent = [JSON.stringify(headers), bytes === undefined ? body : `base64 ${bytes}`].filter(
    (one) => one !== undefined,
  );
  return [
    `${pair.route} (${pair.case})`,
    `  request:  ${method} ${path} ${sent.join(' ').slice(0, 1_000)}`,
    `  expected: ${textOf(changed)}`,
    `  got:      ${textOf(reduced)}`,
    ...(ofCodes === undefined ? [] : [`  codes:    ${ofCodes}`]),
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

interface FieldsBody {
  message: string;
  errors?: Record<string, string[]>;
  codes?: Record<string, string[]>;
  request_id?: string;
}

const isOfFields = ({ status }: StoredAnswer): boolean => status === 422;

/** The pairs were stored before 422 had codes: there is one for each sentence, and the id is that of the header. */
function codesProblem(body: string): string | undefined {
  const { errors = {}, codes = {}, request_id: id } = JSON.parse(body) as FieldsBody;
  if (id !== '{{request_id}}') return `The request id is ${id}.`;
  const counts = (all: Record<string, string[]>) =>
    Object.entries(all).map(([field, list]) => `${field}: ${list.length}`);
  if (counts(errors).join() !== counts(codes).join()) return `${JSON.stringify(codes)} does not fit the errors.`;
  const unknown = Object.values(codes)
    .flat()
    .filter((code) => !knownCodes().has(code));
  return unknown.length > 0 ? `${unknown.join(', ')} is not documented.` : undefined;
}

interface Document {
  components: { schemas: { ValidationErrorDto: { properties: Record<string, { additionalProperties: Items }> } } };
}
interface Items {
  items: { enum: string[] };
}

let documented: ReadonlySet<string> | undefined;

function knownCodes(): ReadonlySet<string> {
  if (documented) return documented;
  const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;
  documented = new Set(components.schemas.ValidationErrorDto.properties['codes']?.additionalProperties.items.enum);
  return documented;
}

/** The expected body with the accepted sentences in place of those that they replace. */
function withSentences(expected: string, got: string, changes: readonly { was: string; is: string }[]): string {
  if (changes.length === 0 || !expected.startsWith('{') || !got.startsWith('{')) return expected;
  const [before, now] = [JSON.parse(expected) as FieldsBody, JSON.parse(got) as FieldsBody];
  const choose = (was: string, is: string | undefined): string => {
    const change = changes.find((one) => new RegExp(one.was).test(was) && new RegExp(one.is).test(is ?? ''));
    return change && is !== undefined ? is : was;
  };
  if (!before.errors) return JSON.stringify({ ...before, message: choose(before.message, now.message) });
  const errors = Object.fromEntries(
    Object.entries(before.errors).map(([field, list]) => [
      field,
      list.map((sentence, index) => choose(sentence, now.errors?.[field]?.[index])),
    ]),
  );
  return JSON.stringify({ ...before, message: summaryOf(errors), errors });
}

/** Laravel's message: the first sentence and the number of the others. */
function summaryOf(errors: Record<string, string[]>): string {
  const [first = 'The given data was invalid.', ...others] = Object.values(errors).flat();
  if (others.length === 0) return first;
  return `${first} (and ${others.length} more error${others.length > 1 ? 's' : ''})`;
}

/** The service writes JSON without spaces, in the order of its fields. */
function withoutFields(body: string, names: readonly string[]): string {
  if (!body.startsWith('{')) return body;
  const kept = Object.entries(JSON.parse(body) as object).filter(([name]) => !names.includes(name));
  return JSON.stringify(Object.fromEntries(kept));
}

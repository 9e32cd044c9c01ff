import type { CallDirection, CallStatus } from '@app/db';

/** What a list of calls is narrowed to. */
export interface CallFilter {
  agentId?: number;
  numberId?: number;
  status?: CallStatus;
  direction?: CallDirection;
  /** Both included, on the time of creation. */
  from?: Date;
  to?: Date;
  search?: string;
}

/** A condition with its values in the order of their `$n`; `shape` names it: the same shape is the same SQL text. */
export interface Condition {
  sql: string;
  values: unknown[];
  shape: string;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** Written in full: with its plus sign and no shorter than a North American number. */
const WHOLE_NUMBER = /^\+[1-9]\d{10,14}$/;
const NUMBER_CHARACTERS = /^[+\d ()-]+$/;

/** The WHERE of the account's calls that the filter lets through. Each combination is served by an index. */
export function conditionOf(accountId: number, filter: CallFilter): Condition {
  const condition = new ConditionWriter(accountId);
  if (filter.agentId !== undefined) condition.add('agent', (value) => `agent_id = ${value}`, filter.agentId);
  if (filter.numberId !== undefined) condition.add('number', (value) => `number_id = ${value}`, filter.numberId);
  if (filter.status) condition.add('status', (value) => `status = ${value}`, filter.status);
  if (filter.direction) condition.add('direction', (value) => `direction = ${value}`, filter.direction);
  if (filter.from) condition.add('from', (value) => `created_at >= ${value}`, filter.from);
  if (filter.to) condition.add('to', (value) => `created_at <= ${value}`, filter.to);
  if (filter.search) addSearch(condition, filter.search);
  return condition.done();
}

class ConditionWriter {
  private readonly values: unknown[];
  private readonly parts = ['account_id = $1'];
  private readonly shapes: string[] = [];

  constructor(accountId: number) {
    this.values = [accountId];
  }

  add(shape: string, part: (placeholder: string) => string, value: unknown): void {
    this.values.push(value);
    this.parts.push(part(`$${this.values.length}`));
    this.shapes.push(shape);
  }

  done(): Condition {
    return { sql: this.parts.join(' AND '), values: this.values, shape: this.shapes.join('-') };
  }
}

/** A whole call id by key, a whole number by equality, any part of a number or URI by its trigrams. */
function addSearch(condition: ConditionWriter, search: string): void {
  if (UUID.test(search)) return condition.add('id', (value) => `id = ${value}::uuid`, search);
  const text = NUMBER_CHARACTERS.test(search) ? search.replace(/[ ()-]/g, '') || search : search;
  if (WHOLE_NUMBER.test(text)) return condition.add('whole', (value) => ofNumbers(`= ${value}`), text);
  condition.add('part', (value) => ofNumbers(`ILIKE ${value}`), `%${text.replace(/[\\%_]/g, '\\$&')}%`);
}

/** The other side, or our own: calls have no index on the text of `from_number`, but one on the number's id. */
const ofNumbers = (match: string): string =>
  `(to_number ${match} OR number_id = ANY (ARRAY(SELECT id FROM phone_numbers WHERE account_id = $1 AND e164 ${match})))`;

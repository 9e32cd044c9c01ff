import { type CallDirection, type CallStatus, type Condition, ConditionWriter, containing } from '@app/database';

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

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** Written in full: with its plus sign and no shorter than a North American number. */
const WHOLE_NUMBER = /^\+[1-9]\d{10,14}$/;
const NUMBER_CHARACTERS = /^[+\d ()-]+$/;

/** A whole call id, a whole number, or any part of a number or URI. */
export interface Search {
  kind: 'id' | 'whole' | 'part';
  text: string;
}

export function readSearch(search: string): Search {
  if (UUID.test(search)) return { kind: 'id', text: search };
  const text = NUMBER_CHARACTERS.test(search) ? search.replace(/[ ()-]/g, '') || search : search;
  return { kind: WHOLE_NUMBER.test(text) ? 'whole' : 'part', text };
}

/**
 * The WHERE of the account's calls that the filter lets through. Each combination is served by an index.
 * `ownNumbers`: ids of the account's numbers that match the search (see own-numbers.ts).
 */
export function conditionOf(accountId: number, filter: CallFilter, ownNumbers: readonly number[] = []): Condition {
  const condition = new ConditionWriter(accountId);
  if (filter.agentId !== undefined) condition.add('agent', (value) => `agent_id = ${value}`, filter.agentId);
  if (filter.numberId !== undefined) condition.add('number', (value) => `number_id = ${value}`, filter.numberId);
  if (filter.status) condition.add('status', (value) => `status = ${value}`, filter.status);
  if (filter.direction) condition.add('direction', (value) => `direction = ${value}`, filter.direction);
  if (filter.from) condition.add('from', (value) => `created_at >= ${value}`, filter.from);
  if (filter.to) condition.add('to', (value) => `created_at <= ${value}`, filter.to);
  if (filter.search) addSearch(condition, readSearch(filter.search), ownNumbers);
  return condition.done();
}

/** An id by key; text on the other side by its trigrams, on ours by the numbers it names. */
function addSearch(condition: ConditionWriter, { kind, text }: Search, ownNumbers: readonly number[]): void {
  if (kind === 'id') return condition.add('id', (value) => `id = ${value}::uuid`, text);
  condition.plannedByValues = true;
  const operator = kind === 'whole' ? '=' : 'ILIKE';
  // The other side of an inbound call is its caller; each arm has an index of its own.
  const match = (value: string) =>
    `(to_number ${operator} ${value} OR (direction = 'inbound' AND from_number ${operator} ${value}))`;
  const value = kind === 'whole' ? text : containing(text);
  if (ownNumbers.length === 0) return condition.add(kind, match, value);
  const other = condition.place(value);
  condition.add(`${kind}-own`, (own) => `(${match(other)} OR number_id = ANY (${own}::integer[]))`, ownNumbers);
}

import {
  type Condition,
  ConditionWriter,
  containing,
  Database,
  type ListCursor,
  type ListedTable,
  type ListPage,
  type ListSlice,
  ListTotals,
  pageOf,
  sliceOf,
} from '@app/database';
import { RecordLookupsService } from '@app/accounts';
import { Injectable } from '@nestjs/common';
import { CALL_COLUMNS, type CallRow } from './call.entity.js';
import type { CallChannel, CallDirection, CallStatus } from './domain/call.js';

/** The filters of a list of calls. */
export interface CallFilter {
  agentId?: number;
  /** Of the agent in `agentId`. */
  agentVersion?: number;
  numberId?: number;
  campaignId?: number;
  status?: CallStatus;
  direction?: CallDirection;
  /** Absent: of any. */
  channel?: CallChannel;
  /** Whether the calls wait for their time. */
  scheduled?: boolean;
  /** False: without the calls of tester callers. */
  withTests?: boolean;
  /** Both included, on the time of creation. */
  from?: Date;
  to?: Date;
  search?: string;
  /** Words of the transcript, as the text of a tsquery that names the account. */
  transcript?: string;
}

export const CALL_LIST: ListedTable = { name: 'calls', columns: CALL_COLUMNS, time: 'created_at' };

/** The lists of calls, by keyset or page; each combination of filters is a prepared statement that an index serves. */
@Injectable()
export class CallListRepository {
  private readonly totals: ListTotals;

  constructor(
    private readonly database: Database,
    private readonly records: RecordLookupsService,
  ) {
    this.totals = new ListTotals(database.pool);
  }

  /** A numbered page, newest first, with the total: at most two statements, a search one more. */
  async page(
    accountId: number,
    filter: CallFilter,
    place: { page: number; perPage: number },
  ): Promise<ListPage<CallRow>> {
    const condition = callListCondition(accountId, filter, await this.ownNumbers(accountId, filter.search));
    return pageOf<CallRow>({ pool: this.database.pool, totals: this.totals }, CALL_LIST, condition, place);
  }

  /** The calls beside a cursor (without one: the newest), newest first. */
  async slice(
    accountId: number,
    filter: CallFilter,
    place: { cursor?: ListCursor; perPage: number },
  ): Promise<ListSlice<CallRow>> {
    const condition = callListCondition(accountId, filter, await this.ownNumbers(accountId, filter.search));
    return sliceOf<CallRow>(this.database.pool, CALL_LIST, condition, place);
  }

  /**
   * Ids of the account's own numbers that match a search. They are read before the calls: with a subquery in that statement
   * PostgreSQL cannot know that there is usually none, and scans the whole list (180 ms instead of 2 among 200,000 calls).
   */
  private async ownNumbers(accountId: number, search: string | undefined): Promise<number[]> {
    if (!search) return [];
    const { kind, text } = parseSearch(search);
    if (kind === 'id') return [];
    return this.records.numbersLike(accountId, text, kind === 'whole');
  }
}

/** With the index of the queue. A web call that waits for its page is not scheduled. */
const WAITS_FOR_TIME = `status = 'pending' AND owner IS NULL AND due_at IS NOT NULL AND channel = 'phone'`;

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** With a plus sign, at least as long as a North American number. */
const WHOLE_NUMBER = /^\+[1-9]\d{10,14}$/;
const NUMBER_CHARACTERS = /^[+\d ()-]+$/;

/** A whole call id, a whole number, or any part of a number or URI. */
interface Search {
  kind: 'id' | 'whole' | 'part';
  text: string;
}

function parseSearch(search: string): Search {
  if (UUID.test(search)) return { kind: 'id', text: search };
  const text = NUMBER_CHARACTERS.test(search) ? search.replace(/[ ()-]/g, '') || search : search;
  return { kind: WHOLE_NUMBER.test(text) ? 'whole' : 'part', text };
}

/**
 * The WHERE clause of a filtered list of the account's calls. An index serves each combination.
 * `ownNumbers`: ids of the account's numbers that match the search.
 */
export function callListCondition(
  accountId: number,
  filter: CallFilter,
  ownNumbers: readonly number[] = [],
): Condition {
  const condition = new ConditionWriter(accountId);
  if (filter.agentId !== undefined) condition.add('agent', (value) => `agent_id = ${value}`, filter.agentId);
  if (filter.agentVersion !== undefined)
    condition.add('version', (value) => `agent_version = ${value}`, filter.agentVersion);
  if (filter.numberId !== undefined) condition.add('number', (value) => `number_id = ${value}`, filter.numberId);
  if (filter.campaignId !== undefined)
    condition.add('campaign', (value) => `campaign_id = ${value}`, filter.campaignId);
  if (filter.status) condition.add('status', (value) => `status = ${value}`, filter.status);
  if (filter.direction) condition.add('direction', (value) => `direction = ${value}`, filter.direction);
  if (filter.channel) condition.addIndexed(filter.channel, `channel = '${filter.channel}'`);
  if (filter.scheduled) condition.addFixed('scheduled', WAITS_FOR_TIME);
  if (filter.scheduled === false) condition.addFixed('unscheduled', `(due_at IS NULL OR channel = 'web')`);
  if (filter.withTests === false) condition.addFixed('no-tests', `(metadata ? 'test_run') IS NOT TRUE`);
  if (filter.from) condition.add('from', (value) => `created_at >= ${value}`, filter.from);
  if (filter.to) condition.add('to', (value) => `created_at <= ${value}`, filter.to);
  if (filter.transcript) addTranscript(condition, filter.transcript);
  if (filter.search) addSearch(condition, parseSearch(filter.search), ownNumbers);
  return condition.done();
}

/**
 * Rare words are found by their index, frequent ones by walking the list. Tables: calls, and call_search of libs/analytics, whose words
 * are one of the conditions that the planner weighs.
 */
function addTranscript(condition: ConditionWriter, query: string): void {
  condition.plannedByValues = true;
  condition.add(
    'transcript',
    (value) => `EXISTS (SELECT FROM call_search s WHERE s.call_id = calls.id AND s.words @@ ${value}::tsquery)`,
    query,
  );
}

/** Matches an id by the primary key, the remote number by its trigrams, and the account's own number by number ids. */
function addSearch(condition: ConditionWriter, { kind, text }: Search, ownNumbers: readonly number[]): void {
  if (kind === 'id') return condition.add('id', (value) => `id = ${value}::uuid`, text);
  condition.plannedByValues = true;
  const operator = kind === 'whole' ? '=' : 'ILIKE';
  const value = condition.place(kind === 'whole' ? text : containing(text));
  const own = ownNumbers.length > 0 ? ` OR number_id = ANY (${condition.place(ownNumbers)}::integer[])` : '';
  // The remote number of an inbound call is that of its caller. Each arm has an index, but not an expression of a column.
  const match = (suffix: string) =>
    `(to_number${suffix} ${operator} ${value} OR (direction = 'inbound' AND from_number${suffix} ${operator} ${value})${own})`;
  condition.addSearch(own ? `${kind}-own` : kind, match(''), match(` || ''`));
}

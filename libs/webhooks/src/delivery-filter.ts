import { type Condition, ConditionWriter, ofCall } from '@app/database';
import { escapeLiteral } from 'pg';
import type { DeliveryState } from './delivery-state.js';
import { endpointOf, endpointSql } from './endpoints.js';
import type { WebhookType } from './outbox.js';

/** What a list of deliveries is narrowed to. */
export interface DeliveryFilter {
  callId?: string;
  type?: WebhookType;
  /** `ringing`, `ended`, `invoked`. */
  event?: string;
  state?: DeliveryState;
  /** With or without a query: it is compared without. */
  url?: string;
  /** Both included, on the time of creation. */
  from?: Date;
  to?: Date;
}

/** The WHERE of the account's deliveries that the filter lets through (see the indexes of 1760001600000-delivery-lists). */
export const deliveryCondition = (accountId: number, filter: DeliveryFilter): Condition =>
  deliveriesWhere(accountId, filter).done();

export function deliveriesWhere(accountId: number, filter: DeliveryFilter): ConditionWriter {
  const where = new ConditionWriter(accountId);
  where.addGiven('call', ofCall({ name: 'webhook_deliveries' }), filter.callId);
  if (filter.type) addType(where, filter.type);
  if (filter.event) addLiteral(where, 'event', filter.event);
  if (filter.state) addLiteral(where, 'state', filter.state);
  const endpoint = filter.url === undefined ? undefined : endpointOf(filter.url);
  where.addGiven('url', (value) => `${endpointSql('url')} = ${value}`, endpoint);
  where.addGiven('from', (value) => `created_at >= ${value}`, filter.from);
  where.addGiven('to', (value) => `created_at <= ${value}`, filter.to);
  return where;
}

/** Other types than call-status have one event each, by which they are found. */
const EVENT_OF: Partial<Record<WebhookType, string>> = { 'post-call': 'ended', 'tool-action': 'invoked', test: 'test' };

function addType(where: ConditionWriter, type: WebhookType): void {
  const event = EVENT_OF[type];
  if (event) addLiteral(where, 'event', event);
  addLiteral(where, 'type', type);
}

/** Not as a parameter: only a constant tells the planner that a partial index has all there is. */
const addLiteral = (where: ConditionWriter, column: string, value: string): void =>
  where.addFixed(`${column}-${value}`, `${column} = ${escapeLiteral(value)}`);

import type { StoredDialFormats } from '@app/accounts';
import { keptAnswerJoin, type KeptAnswer, type Query, quickRows, type Sql } from '@app/database';
import type { CallOrder } from './call-order.js';
import type { AgentSettings } from './call-settings.js';

/** Everything in the database that decides whether calls may be created; the null ones do not exist for the account. */
export interface CallReferences extends AgentSettings {
  agent_name: string | null;
  agent_active: boolean | null;
  from_number: string | null;
  number_active: boolean | null;
  trunk_active: boolean | null;
  dial_formats: StoredDialFormats | null;
  caller_id_active: boolean | null;
  allow: string[];
  deny: string[];
  daily_spend_micros: string | null;
  spent_micros: string | null;
  /** Calls that may wait in line. */
  queued_calls: number;
  /** ISO 8601, when a new UTC day begins. */
  resets_at: Date;
  request_hash: Buffer | null;
  response: string | null;
}

const READ_REFERENCES = {
  name: 'call-references',
  text: `SELECT ag.name AS agent_name, ag.active AS agent_active, ag.post_call_webhook, ag.call_status_webhook,
      coalesce(ag.transfer_enabled, false) AS transfer_enabled, ag.transfer_phone_number, ag.transfer_caller_id_number_id,
      n.e164 AS from_number, n.active AS number_active, t.active AS trunk_active, t.dial_formats, c.active AS caller_id_active,
      a.destinations_allow AS allow, a.destinations_deny AS deny, a.daily_spend_micros, s.micros AS spent_micros,
      (date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC' AS resets_at,
      a.queued_calls, k.request_hash, k.response #>> '{}' AS response
    FROM accounts a
    LEFT JOIN agents ag ON ag.account_id = a.id AND ag.id = $2
    LEFT JOIN phone_numbers n ON n.account_id = a.id AND n.id = $3
    LEFT JOIN sip_trunks t ON t.account_id = a.id AND t.id = $4::integer
    LEFT JOIN phone_numbers c ON c.account_id = a.id AND c.id = $5::integer
    LEFT JOIN daily_spend s ON s.account_id = a.id AND s.day = (now() AT TIME ZONE 'UTC')::date
    ${keptAnswerJoin('$6')}
    WHERE a.id = $1`,
};

/** One row: the account with whatever of the order it has. */
export function referencesQuery(accountId: number, order: CallOrder, key?: string): Query {
  const { agentId, numberId, trunkId, overrides } = order;
  const callerId = overrides.transfer.callerIdNumberId;
  return {
    ...READ_REFERENCES,
    values: [accountId, agentId, numberId, trunkId ?? null, callerId ?? null, key ?? null],
  };
}

/** One round trip. Throws when the account itself is gone: its token was valid a moment ago. */
export async function readReferences(
  sql: Sql,
  accountId: number,
  order: CallOrder,
  key?: string,
): Promise<CallReferences> {
  const query = referencesQuery(accountId, order, key);
  const [found] = await quickRows<CallReferences & Record<string, unknown>>(sql, query, query.values);
  if (!found) throw new Error('The account of a valid token does not exist.');
  return found;
}

/** The answer that is kept under the key, when there is one. */
export const keptAnswer = ({ request_hash, response }: CallReferences): KeptAnswer | undefined =>
  request_hash && response !== null ? { request_hash, response } : undefined;

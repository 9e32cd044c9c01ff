import { newId } from '@app/common';
import type { Pool } from 'pg';
import { aToken } from '../support/factories.js';
import type { Stack } from '../support/stack.js';
import { type AppliedAccount, applyPlans, type TestAccount, toTestAccount } from '../support/workspace.js';

export interface FaultAccounts {
  /** Its events are written to the database as a dialer writes them. */
  load: AppliedAccount;
  /** Its clients use the API; its webhooks go to the sink. */
  customer: AppliedAccount;
}

/** Creates the accounts of a row. */
export async function applyAccounts(stack: Stack, webhookUrl: string): Promise<FaultAccounts> {
  const [load, customer] = await applyPlans(stack, [{ name: 'load' }, { name: 'customer', webhookUrl }]);
  if (!load || !customer) throw new Error('The workspace was not applied.');
  return { load, customer };
}

/** With a new token for its clients. */
export const withToken = async (pool: Pool, customer: AppliedAccount): Promise<TestAccount> =>
  toTestAccount(customer, await aToken(pool, customer.id));

const EVENTS = ['initiated', 'ringing', 'in-progress', 'completed'];

const WRITE_EVENT = `WITH stream AS (
    INSERT INTO webhook_streams (account_id, call_id, url, host, next_at) VALUES ($2, $3, $4, $5, now())
    ON CONFLICT (call_id, url) DO UPDATE SET next_at = least(webhook_streams.next_at, excluded.next_at) RETURNING id)
  INSERT INTO webhook_deliveries (id, stream_id, account_id, call_id, type, event, sequence, method, url, body)
  SELECT $1, stream.id, $2, $3, $6, $7, $8, 'POST', $4, $9 FROM stream`;

/** Writes calls and their events without a dialer, so that a row controls their rate and knows which of them were committed. */
export class EventWriter {
  constructor(
    private readonly pool: Pool,
    private readonly account: AppliedAccount,
  ) {}

  /** @returns the id of the call */
  async createCall(): Promise<string> {
    const id = newId();
    await this.pool.query(
      `INSERT INTO calls (id, account_id, agent_id, number_id, to_number, from_number, agent_name)
       VALUES ($1, $2, $3, $4, '+15550002222', '+15550001111', 'Receptionist')`,
      [id, this.account.id, this.account.agents[0]!.id, this.account.numbers[0]!.id],
    );
    return id;
  }

  /** Writes one event of a call in its own transaction; the last one is the post-call event. @returns the id of its delivery */
  async writeEvent(callId: string, url: string, sequence: number, last: boolean): Promise<string> {
    const id = newId();
    const [type, event] = last ? ['post-call', 'ended'] : ['call-status', EVENTS[(sequence - 1) % EVENTS.length]!];
    const data = { call_id: callId, status: last ? 'completed' : event };
    const body = JSON.stringify({ id, type, event, created_at: new Date().toISOString(), sequence, data });
    const values = [id, this.account.id, callId, url, new URL(url).host, type, event, sequence, body];
    await this.pool.query(WRITE_EVENT, values);
    return id;
  }
}

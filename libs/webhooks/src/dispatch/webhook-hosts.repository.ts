import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Breaker } from '../domain/breaker.js';
import type { AccountHost } from '../domain/webhook-stream.js';
import { signsWebhooks } from '../secrets/webhook-secrets.repository.js';

/** The order in which hosts are locked, so that two dispatchers cannot deadlock. */
const ORDER = 'ORDER BY account_id, host';

const ADD = `INSERT INTO webhook_hosts (account_id, host)
  SELECT n.account_id, n.host FROM unnest($1::integer[], $2::text[]) AS n(account_id, host)
   WHERE ${signsWebhooks('n.account_id')}
     AND NOT EXISTS (SELECT 1 FROM webhook_hosts h WHERE h.account_id = n.account_id AND h.host = n.host) ${ORDER}
  ON CONFLICT DO NOTHING`;

const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::double precision`;

const READ = `SELECT h.account_id, h.host, ${ms('h.window_started_at')} AS window_started_at, h.requests, h.failures,
    ${ms('h.open_until')} AS open_until, h.open_count, ${ms('h.probe_until')} AS probe_until, ${ms('clock_timestamp()')} AS now
  FROM webhook_hosts h
 WHERE (h.account_id, h.host) IN (SELECT * FROM unnest($1::integer[], $2::text[])) ${ORDER} FOR UPDATE`;

interface HostRow extends AccountHost {
  window_started_at: number;
  requests: number;
  failures: number;
  open_until: number | null;
  open_count: number;
  probe_until: number | null;
  now: number;
}

const STORE = `UPDATE webhook_hosts h
    SET window_started_at = to_timestamp(i.window_started_at / 1000), requests = i.requests, failures = i.failures,
        open_until = to_timestamp(i.open_until / 1000), open_count = i.open_count, probe_until = to_timestamp(i.probe_until / 1000)
   FROM jsonb_to_recordset($1::jsonb) AS i(account_id integer, host text, window_started_at double precision, requests integer,
     failures integer, open_until double precision, open_count integer, probe_until double precision)
  WHERE h.account_id = i.account_id AND h.host = i.host`;

/** A probe that a dispatcher took ends after this time. Longer than any attempt including its wait. */
const PROBE_MS = 30_000;

const TAKE_PROBE = {
  name: 'take-webhook-probe',
  text: `UPDATE webhook_hosts SET probe_until = now() + interval '${PROBE_MS} ms'
     WHERE account_id = $1 AND host = $2 AND open_until <= now() AND (probe_until IS NULL OR probe_until <= now())
    RETURNING host`,
};

const PURGE = {
  name: 'purge-webhook-hosts',
  text: `DELETE FROM webhook_hosts WHERE (account_id, host) IN (
       SELECT account_id, host FROM webhook_hosts WHERE window_started_at < now() - interval '1 day'
         AND (open_until IS NULL OR open_until < now() - interval '1 day') LIMIT 2000 FOR UPDATE SKIP LOCKED) RETURNING 1`,
};

/** The circuit breakers of hosts. All statements handle many hosts at once or take a lock, which TypeORM cannot express. */
@Injectable()
export class WebhookHostsRepository {
  constructor(private readonly database: Database) {}

  /** The rows of these hosts, locked; missing ones are added first. */
  async lock(hosts: readonly AccountHost[], tx: Sql): Promise<HostRow[]> {
    const keys = [hosts.map((one) => one.account_id), hosts.map(({ host }) => host)];
    await this.database.rows({ text: ADD }, keys, tx);
    return this.database.rows<HostRow>({ text: READ }, keys, tx);
  }

  async store(breakers: readonly (AccountHost & Breaker)[], tx: Sql): Promise<void> {
    await this.database.rows({ text: STORE }, [JSON.stringify(breakers.map(storedColumns))], tx);
  }

  /** True: the breaker is half open, and the caller sends the probe. */
  async takeProbe({ account_id, host }: AccountHost): Promise<boolean> {
    return (await this.database.rows(TAKE_PROBE, [account_id, host])).length > 0;
  }

  /** Deletes closed breakers without a report for a day. @returns their number. */
  async purge(): Promise<number> {
    return (await this.database.rows(PURGE)).length;
  }
}

export const breakerOf = (row: HostRow): Breaker => ({
  windowStartedAt: row.window_started_at,
  requests: row.requests,
  failures: row.failures,
  openUntil: row.open_until,
  openCount: row.open_count,
  probeUntil: row.probe_until,
});

const storedColumns = (breaker: AccountHost & Breaker): Record<string, unknown> => ({
  account_id: breaker.account_id,
  host: breaker.host,
  window_started_at: breaker.windowStartedAt,
  requests: breaker.requests,
  failures: breaker.failures,
  open_until: breaker.openUntil,
  open_count: breaker.openCount,
  probe_until: breaker.probeUntil,
});

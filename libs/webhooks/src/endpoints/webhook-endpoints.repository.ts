import { Database, entityPage, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type FindOptionsWhere, IsNull, Not, Repository } from 'typeorm';
import { signsWebhooks } from '../secrets/webhook-secrets.repository.js';
import { endpointOf, type DisabledReason, type EndpointHealth } from '../domain/endpoint-health.js';
import { WebhookEndpointEntity } from './webhook-endpoint.entity.js';

/** `endpointOf` of a column. */
export const endpointSql = (column: string): string => `split_part(split_part(${column}, '?', 1), '#', 1)`;

export const ENDPOINT_STATES = ['active', 'disabled'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

export interface EndpointFilter {
  state?: EndpointState;
  limit: number;
  offset: number;
}

/** The order in which endpoints are locked, so that two dispatchers cannot deadlock. */
const ORDER = 'ORDER BY account_id, url';

// Only missing rows, because an INSERT with a conflict consumes an id.
const ADD = `INSERT INTO webhook_endpoints (account_id, url)
  SELECT n.account_id, n.url FROM unnest($1::integer[], $2::text[]) AS n(account_id, url)
   WHERE ${signsWebhooks('n.account_id')}
     AND NOT EXISTS (SELECT 1 FROM webhook_endpoints e WHERE e.account_id = n.account_id AND e.url = n.url) ${ORDER}
  ON CONFLICT DO NOTHING`;

const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::double precision`;

const READ = `SELECT id, account_id, url, ${ms('failing_since')} AS failing_since, ${ms('last_failure_at')} AS last_failure_at,
    ${ms('last_success_at')} AS last_success_at, last_status, ${ms('disabled_at')} AS disabled_at, disabled_reason,
    ${ms('clock_timestamp()')} AS now
  FROM webhook_endpoints WHERE (account_id, url) IN (SELECT * FROM unnest($1::integer[], $2::text[])) ${ORDER} FOR UPDATE`;

export interface EndpointRow {
  id: number;
  account_id: number;
  url: string;
  failing_since: number | null;
  last_failure_at: number | null;
  last_success_at: number | null;
  last_status: number | null;
  disabled_at: number | null;
  disabled_reason: DisabledReason | null;
  now: number;
}

const STORE = `UPDATE webhook_endpoints e
    SET failing_since = to_timestamp(i.failing_since / 1000), last_failure_at = to_timestamp(i.last_failure_at / 1000),
        last_success_at = to_timestamp(i.last_success_at / 1000), last_status = i.last_status,
        disabled_at = to_timestamp(i.disabled_at / 1000), disabled_reason = i.disabled_reason, seen_at = now()
   FROM jsonb_to_recordset($1::jsonb) AS i(account_id integer, url text, failing_since double precision, last_failure_at double precision,
     last_success_at double precision, last_status integer, disabled_at double precision, disabled_reason text)
  WHERE e.account_id = i.account_id AND e.url = i.url`;

const PURGE = {
  name: 'purge-webhook-endpoints',
  text: `DELETE FROM webhook_endpoints WHERE (account_id, url) IN (
       SELECT account_id, url FROM webhook_endpoints WHERE disabled_at IS NULL AND seen_at < now() - interval '30 days'
        ORDER BY seen_at LIMIT 2000 FOR UPDATE SKIP LOCKED) AND disabled_at IS NULL RETURNING 1`,
};

/** Administration goes through TypeORM; reports of dispatchers lock and store many endpoints at once by SQL. */
@Injectable()
export class WebhookEndpointsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(WebhookEndpointEntity) private readonly endpoints: Repository<WebhookEndpointEntity>,
  ) {}

  /** A page, newest first, and the total. */
  list(accountId: number, { state, limit, offset }: EndpointFilter): Promise<[WebhookEndpointEntity[], number]> {
    const where: FindOptionsWhere<WebhookEndpointEntity> = { accountId };
    if (state) where.disabledAt = state === 'active' ? IsNull() : Not(IsNull());
    const endpoints = this.endpoints.createQueryBuilder('endpoint').where(where).orderBy('endpoint.id', 'DESC');
    return entityPage(endpoints, { limit, offset });
  }

  /** Null: the account has no such endpoint. */
  async enable(accountId: number, id: number, manager: EntityManager): Promise<WebhookEndpointEntity | null> {
    const endpoints = manager.getRepository(WebhookEndpointEntity);
    const active = { disabledAt: null, disabledReason: null, failingSince: null, seenAt: () => 'now()' };
    await endpoints.update({ accountId, id }, active);
    return endpoints.findOneBy({ accountId, id });
  }

  /** Whether the endpoint of this URL, with or without a query, is disabled. */
  isDisabled(accountId: number, url: string, manager: EntityManager): Promise<boolean> {
    const where = { accountId, url: endpointOf(url), disabledAt: Not(IsNull()) };
    return manager.getRepository(WebhookEndpointEntity).existsBy(where);
  }

  /** The rows of these endpoints, locked; those with `create` are added first when they are missing. */
  async lock(endpoints: readonly (EndpointKey & { create: boolean })[], tx: Sql): Promise<EndpointRow[]> {
    await this.database.rows({ text: ADD }, keysOf(endpoints.filter(({ create }) => create)), tx);
    return this.database.rows<EndpointRow & Record<string, unknown>>({ text: READ }, keysOf(endpoints), tx);
  }

  async store(endpoints: readonly (EndpointKey & EndpointHealth)[], tx: Sql): Promise<void> {
    await this.database.rows({ text: STORE }, [JSON.stringify(endpoints.map(storedColumns))], tx);
  }

  /** Deletes active endpoints without a request for 30 days. @returns their number. */
  async purge(): Promise<number> {
    return (await this.database.rows(PURGE)).length;
  }
}

export interface EndpointKey {
  account_id: number;
  /** Without query and fragment. */
  url: string;
}

const keysOf = (of: readonly EndpointKey[]) => [of.map((one) => one.account_id), of.map(({ url }) => url)];

export const healthOf = (row: EndpointRow): EndpointHealth => ({
  failingSince: row.failing_since,
  lastFailureAt: row.last_failure_at,
  lastSuccessAt: row.last_success_at,
  lastStatus: row.last_status,
  disabledAt: row.disabled_at,
  disabledReason: row.disabled_reason,
});

const storedColumns = (endpoint: EndpointKey & EndpointHealth): Record<string, unknown> => ({
  account_id: endpoint.account_id,
  url: endpoint.url,
  failing_since: endpoint.failingSince,
  last_failure_at: endpoint.lastFailureAt,
  last_success_at: endpoint.lastSuccessAt,
  last_status: endpoint.lastStatus,
  disabled_at: endpoint.disabledAt,
  disabled_reason: endpoint.disabledReason,
});

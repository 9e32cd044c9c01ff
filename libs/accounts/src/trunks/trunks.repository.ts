import { Database, type EntityTransaction, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { TRUNK_LEG_COUNT } from '../records/calls-in-progress.repository.js';
import { DIAL_TRUNK, type DialTrunk } from './dial-trunk.js';
import {
  SipTrunkEntity,
  type StoredTarget,
  TRUNK_OPTIONS,
  TrunkHealthEntity,
  type TrunkOptions,
  type RegistrationState,
} from './sip-trunk.entity.js';
import type { HealthState, TargetState, TrunkState } from './trunk-health.js';

/** A trunk with its health, without secrets. */
export interface TrunkRow extends TrunkOptions {
  id: number;
  account_id: number;
  account: string;
  name: string;
  active: boolean;
  host: string;
  port: number | null;
  transport: string;
  targets: StoredTarget[] | null;
  tls_ca: string | null;
  tls_cert: string | null;
  tls_server_name: string | null;
  has_password: boolean;
  inbound_enabled: boolean;
  inbound_addresses: string[];
  inbound_username: string | null;
  has_inbound_password: boolean;
  headers: Record<string, string>;
  options_ping_seconds: number;
  concurrent_calls: number | null;
  calls_per_second: number | null;
  created_at: Date;
  updated_at: Date;
  live_calls: number;
  state: HealthState;
  reason: string | null;
  changed_at: Date | null;
  checked_at: Date | null;
  target_states: TargetState[];
  registration: {
    state: RegistrationState;
    sip_status: number | null;
    reason: string | null;
    target: string | null;
    expires_at: string | null;
    retry_at: string | null;
    changed_at: string | null;
    /** A dialer keeps the registration. */
    is_kept: boolean;
  } | null;
}

const REGISTRATION = `CASE WHEN r.trunk_id IS NOT NULL THEN jsonb_build_object('state', r.state, 'sip_status', r.sip_status,
    'reason', r.reason, 'target', r.target, 'expires_at', r.expires_at, 'retry_at', r.retry_at, 'changed_at', r.changed_at,
    'is_kept', r.lease_until > now()) END`;

// SQL, because a trunk is listed with its account, its health and its live calls.
const COLUMNS = `t.id, t.account_id, a.name AS account, t.name, t.active, t.host, t.port, t.transport, t.targets, t.tls_ca,
  t.tls_cert, t.tls_server_name, t.password_sealed IS NOT NULL AS has_password, t.inbound_enabled, t.inbound_addresses,
  t.inbound_username, t.inbound_password_sealed IS NOT NULL AS has_inbound_password, t.headers, ${Object.keys(
    TRUNK_OPTIONS,
  )
    .map((column) => `t.${column}`)
    .join(', ')}, t.options_ping_seconds, t.concurrent_calls, t.calls_per_second, t.created_at, t.updated_at,
  ${TRUNK_LEG_COUNT} AS live_calls,
  coalesce(h.state, 'unknown') AS state, h.reason, h.changed_at, h.checked_at, coalesce(h.targets, '[]') AS target_states,
  ${REGISTRATION} AS registration`;
const FROM = `FROM sip_trunks t JOIN accounts a ON a.id = t.account_id LEFT JOIN trunk_health h ON h.trunk_id = t.id
  LEFT JOIN trunk_registrations r ON r.trunk_id = t.id`;

const FIND = { name: 'find-trunk', text: `SELECT ${COLUMNS} ${FROM} WHERE t.account_id = $1 AND t.id = $2` };
const PAGE = {
  name: 'list-trunks',
  text: `SELECT ${COLUMNS} ${FROM} WHERE t.account_id = $1 ORDER BY t.name LIMIT $2 OFFSET $3`,
};
const ALL = {
  name: 'all-trunks',
  text: `SELECT ${COLUMNS} ${FROM} WHERE $1::integer IS NULL OR t.account_id = $1 ORDER BY a.name, t.name`,
};

/** A trunk whose health only this process checks, until the claim expires. */
export interface ClaimedHealthCheck {
  trunkId: number;
  accountId: number;
  trunk: DialTrunk;
  before: { state: HealthState; targets: TargetState[] };
  /** Identifies the claim: the time at which it expires. */
  claim: string;
}

/** A check takes a few seconds per target; after this time the claim of a lost dialer expires. */
const CLAIM_SECONDS = 60;

/**
 * The first dialer that locks the row postpones due_at; the others wait for the row and find that it is no longer due.
 * Creates the row of `trunk_health`, which trunks of earlier releases lack.
 */
const CLAIM = {
  name: 'claim-trunk-pings',
  text: `WITH due AS (
      SELECT t.id FROM sip_trunks t LEFT JOIN trunk_health h ON h.trunk_id = t.id
       WHERE (t.active AND t.options_ping_seconds > 0 OR h.test_requested_at IS NOT NULL)
         AND (h.due_at IS NULL OR h.due_at <= now())
       ORDER BY h.due_at NULLS FIRST, t.id LIMIT $1),
    claimed AS (
      INSERT INTO trunk_health AS h (trunk_id, due_at) SELECT id, clock_timestamp() + $2 * interval '1 s' FROM due
        ON CONFLICT (trunk_id) DO UPDATE SET due_at = excluded.due_at WHERE h.due_at <= now()
        RETURNING *)
    SELECT t.id AS "trunkId", t.account_id AS "accountId", ${DIAL_TRUNK} AS trunk, c.due_at::text AS claim,
        jsonb_build_object('state', c.state, 'targets', c.targets) AS before
      FROM claimed c JOIN sip_trunks t ON t.id = c.trunk_id`,
};

const STORE = {
  name: 'store-trunk-health',
  text: `UPDATE trunk_health h SET state = $3, reason = $4, targets = $5, checked_at = now(),
      changed_at = CASE WHEN h.state = $3 THEN h.changed_at ELSE now() END,
      due_at = now() + t.options_ping_seconds * interval '1 s', test_requested_at = NULL
    FROM sip_trunks t WHERE h.trunk_id = $1 AND h.due_at = $2::timestamptz AND t.id = h.trunk_id RETURNING h.trunk_id`,
};

/** The last check of a trunk, and whether a dialer could check it now. */
export interface TrunkCheck extends Record<string, unknown> {
  /** Of the database, as text with microseconds. */
  now: string;
  /** Since `since`, by the clock of the database. */
  is_new: boolean;
  checked_at: Date | null;
  state: HealthState;
  reason: string | null;
  targets: TargetState[];
  register: TrunkRow['register'];
  active: boolean;
  registration: TrunkRow['registration'];
}

const LAST_CHECK = {
  name: 'last-trunk-check',
  text: `SELECT now()::text AS now, coalesce(h.checked_at > coalesce($3::timestamptz, now() - interval '2 s'), false)
        AND (NOT t.active OR t.register IS NULL OR coalesce(r.state <> 'registering'
          AND r.updated_at > coalesce($3::timestamptz, now() - interval '2 s'), false)) AS is_new,
      h.checked_at, coalesce(h.state, 'unknown') AS state, h.reason, coalesce(h.targets, '[]') AS targets,
      t.register, t.active, ${REGISTRATION} AS registration
    FROM sip_trunks t LEFT JOIN trunk_health h ON h.trunk_id = t.id LEFT JOIN trunk_registrations r ON r.trunk_id = t.id
    WHERE t.account_id = $1 AND t.id = $2`,
};

// The check is due now, also for an inactive trunk. A test that waits already gets the same result; one whose dialer was lost is repeated.
const REQUEST_TEST = {
  name: 'request-trunk-test',
  text: `WITH refresh AS (UPDATE trunk_registrations SET refresh_requested_at = now() WHERE trunk_id = $1)
    INSERT INTO trunk_health AS h (trunk_id, due_at, test_requested_at) VALUES ($1, now(), now())
    ON CONFLICT (trunk_id) DO UPDATE SET test_requested_at = now(), due_at = now()
    WHERE h.test_requested_at IS NULL OR h.test_requested_at < now() - interval '15 s'`,
};

/** A trunk that may call in. */
export interface InboundTrunk extends Record<string, unknown> {
  id: number;
  inbound_addresses: string[];
  inbound_username: string | null;
  inbound_password_sealed: Buffer | null;
}

const INBOUND = {
  name: 'inbound-trunks',
  text: `SELECT id, inbound_addresses, inbound_username, inbound_password_sealed FROM sip_trunks
      WHERE active AND inbound_enabled ORDER BY id LIMIT $1`,
};

@Injectable()
export class TrunksRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(SipTrunkEntity) private readonly trunks: Repository<SipTrunkEntity>,
  ) {}

  async find(accountId: number, trunkId: number, tx?: Sql): Promise<TrunkRow | undefined> {
    const [found] = await this.database.rows<TrunkRow & Record<string, unknown>>(FIND, [accountId, trunkId], tx);
    return found;
  }

  /** The trunks of an account by name, for a workspace file; 10,000 at most. */
  entities(accountId: number, tx: EntityTransaction): Promise<SipTrunkEntity[]> {
    return tx.manager.find(SipTrunkEntity, { where: { accountId }, order: { name: 'ASC' }, take: 10_000 });
  }

  lock(accountId: number, id: number, tx: EntityTransaction): Promise<SipTrunkEntity | null> {
    const where = { accountId, id };
    return tx.manager.findOne(SipTrunkEntity, { where, lock: { mode: 'pessimistic_write' } });
  }

  count(accountId: number, tx?: EntityTransaction): Promise<number> {
    return (tx?.manager.getRepository(SipTrunkEntity) ?? this.trunks).countBy({ accountId });
  }

  async delete(id: number, tx: EntityTransaction): Promise<void> {
    await tx.manager.delete(SipTrunkEntity, id);
  }

  /** The health of a changed trunk is unknown, and its next check is due at once. */
  async resetHealth(trunkId: number, tx: EntityTransaction): Promise<void> {
    const unknown = { state: 'unknown', reason: null, changedAt: null, checkedAt: null } as const;
    await tx.manager.update(TrunkHealthEntity, { trunkId }, { ...unknown, targets: [], dueAt: new Date(0) });
  }

  /** `since`: a time of `TrunkCheck.now`; absent: two seconds ago. undefined: the account has no such trunk. */
  async lastCheck(accountId: number, trunkId: number, since?: string): Promise<TrunkCheck | undefined> {
    const [found] = await this.database.rows<TrunkCheck>(LAST_CHECK, [accountId, trunkId, since ?? null]);
    return found;
  }

  /** Makes the check of a trunk due now. */
  async requestTest(trunkId: number): Promise<void> {
    await this.database.rows(REQUEST_TEST, [trunkId]);
  }

  /** By name. */
  page(accountId: number, { page, perPage }: { page: number; perPage: number }): Promise<TrunkRow[]> {
    const values = [accountId, perPage, (page - 1) * perPage];
    return this.database.rows<TrunkRow & Record<string, unknown>>(PAGE, values);
  }

  /** By account and name; of one account when its id is given. */
  all(accountId?: number): Promise<TrunkRow[]> {
    return this.database.rows<TrunkRow & Record<string, unknown>>(ALL, [accountId ?? null]);
  }

  /** By id. */
  inbound(limit: number): Promise<InboundTrunk[]> {
    return this.database.rows<InboundTrunk>(INBOUND, [limit]);
  }

  /** Claims trunks whose health check is due, each for one process. */
  claimHealthChecks(limit: number): Promise<ClaimedHealthCheck[]> {
    return this.database.rows<ClaimedHealthCheck & Record<string, unknown>>(CLAIM, [limit, CLAIM_SECONDS]);
  }

  /** false: the claim has expired, or the trunk was changed meanwhile. */
  async storeHealth({ trunkId, claim }: ClaimedHealthCheck, found: TrunkState): Promise<boolean> {
    const values = [trunkId, claim, found.state, found.reason, JSON.stringify(found.targets)];
    return (await this.database.rows(STORE, values)).length > 0;
  }
}

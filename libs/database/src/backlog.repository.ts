import { Injectable } from '@nestjs/common';
import { Database } from './database.js';

/** Counting stops here: it is expensive, and the exact length of a longer queue changes nothing. */
const MAX_COUNTED = 100_000;

/** Lengths of the queues, and how long their first entries have been due. */
export interface Backlog {
  /** `scheduled`: wait for their time. */
  calls: Record<'scheduled' | 'pending' | 'ringing' | 'in_progress', number>;
  queues: Record<'calls' | 'deliveries' | 'documents', { depth: number; oldestSeconds: number }>;
  trunks: Record<'up' | 'down' | 'unknown', number>;
  registrations: Record<'registered' | 'failed' | 'unregistered', number>;
  campaigns: Record<'running' | 'paused' | 'paused_by_breaker', number>;
  breakersOpen: number;
  endpointsDisabled: number;
  /** In the last 15 minutes; an ending dialer is not scraped again, so it cannot report them itself. */
  callsCutOff: number;
}

const queueQuery = (from: string, since: string): string => `SELECT count(*)::integer AS depth,
    greatest(0, coalesce(extract(epoch FROM now() - min(since)), 0))::float8 AS oldest
  FROM (SELECT ${since} AS since FROM ${from} LIMIT ${MAX_COUNTED}) queued`;

const QUEUES = {
  // A scheduled call belongs to the backlog when it should have been released.
  calls: queueQuery(
    `(SELECT coalesce(released_at, created_at) AS at FROM calls WHERE status = 'pending' AND owner IS NULL AND due_at IS NULL
      UNION ALL SELECT due_at FROM calls WHERE due_at <= now()) c`,
    'at',
  ),
  deliveries: queueQuery(
    'webhook_streams WHERE next_at <= now() AND (lease_until IS NULL OR lease_until < now()) ORDER BY next_at',
    'next_at',
  ),
  documents: queueQuery(`knowledge_bases WHERE status = 'pending' AND next_attempt_at <= now()`, 'next_attempt_at'),
} as const;

const LIVE = {
  name: 'backlog-live',
  text: `SELECT count(*) FILTER (WHERE status = 'ringing')::integer AS ringing,
      count(*) FILTER (WHERE status = 'in_progress')::integer AS in_progress,
      count(*) FILTER (WHERE status = 'pending')::integer AS taken
    FROM calls WHERE owner IS NOT NULL AND ended_at IS NULL`,
};
const SCHEDULED = {
  name: 'backlog-scheduled',
  text: `SELECT count(*)::integer AS n FROM (SELECT 1 FROM calls WHERE due_at > now() LIMIT ${MAX_COUNTED}) scheduled`,
};
const TRUNKS = {
  name: 'backlog-trunks',
  text: `SELECT count(*) FILTER (WHERE h.state = 'up')::integer AS up, count(*) FILTER (WHERE h.state = 'down')::integer AS down,
      count(*) FILTER (WHERE coalesce(h.state, 'unknown') = 'unknown')::integer AS unknown
    FROM sip_trunks t LEFT JOIN trunk_health h ON h.trunk_id = t.id WHERE t.active`,
};
const REGISTRATIONS = {
  name: 'backlog-registrations',
  text: `SELECT count(*) FILTER (WHERE r.lease_until > now() AND r.state = 'registered')::integer AS registered,
      count(*) FILTER (WHERE r.lease_until > now() AND r.state IN ('failed', 'registering'))::integer AS failed,
      count(*) FILTER (WHERE coalesce(r.lease_until <= now() OR r.state = 'unregistered', true))::integer AS unregistered
    FROM sip_trunks t LEFT JOIN trunk_registrations r ON r.trunk_id = t.id WHERE t.active AND t.register IS NOT NULL`,
};
const CAMPAIGNS = {
  name: 'backlog-campaigns',
  text: `SELECT count(*) FILTER (WHERE status = 'running')::integer AS running,
      count(*) FILTER (WHERE status = 'paused' AND pause_reason <> 'failure_rate')::integer AS paused,
      count(*) FILTER (WHERE status = 'paused' AND pause_reason = 'failure_rate')::integer AS paused_by_breaker
    FROM campaigns WHERE status IN ('running', 'paused')`,
};
const HELD_BACK = {
  name: 'backlog-held-back',
  text: `SELECT (SELECT count(*)::integer FROM webhook_hosts WHERE open_until > now()) AS breakers,
      (SELECT count(*)::integer FROM webhook_endpoints WHERE disabled_at IS NOT NULL) AS disabled`,
};

const CUT_OFF = {
  name: 'backlog-cut-off',
  text: `SELECT count(*)::integer AS n FROM calls WHERE hangup_cause = 'drained' AND ended_at > now() - interval '15 minutes'`,
};

@Injectable()
export class BacklogRepository {
  constructor(private readonly database: Database) {}

  /** Reads each part with one indexed statement; up to 100,000 rows of a queue are counted. */
  async read(): Promise<Backlog> {
    const { database } = this;
    const calls = await this.queue('calls');
    const deliveries = await this.queue('deliveries');
    const documents = await this.queue('documents');
    const [live] = await database.rows<{ ringing: number; in_progress: number; taken: number }>(LIVE);
    const [scheduled] = await database.rows<{ n: number }>(SCHEDULED);
    const [trunks] = await database.rows<Backlog['trunks']>(TRUNKS);
    const [registrations] = await database.rows<Backlog['registrations']>(REGISTRATIONS);
    const [campaigns] = await database.rows<Backlog['campaigns']>(CAMPAIGNS);
    const [heldBack] = await database.rows<{ breakers: number; disabled: number }>(HELD_BACK);
    const [cutOff] = await database.rows<{ n: number }>(CUT_OFF);
    return {
      calls: {
        scheduled: scheduled?.n ?? 0,
        pending: calls.depth + (live?.taken ?? 0),
        ringing: live?.ringing ?? 0,
        in_progress: live?.in_progress ?? 0,
      },
      queues: { calls, deliveries, documents },
      trunks: trunks ?? { up: 0, down: 0, unknown: 0 },
      registrations: registrations ?? { registered: 0, failed: 0, unregistered: 0 },
      campaigns: campaigns ?? { running: 0, paused: 0, paused_by_breaker: 0 },
      breakersOpen: heldBack?.breakers ?? 0,
      endpointsDisabled: heldBack?.disabled ?? 0,
      callsCutOff: cutOff?.n ?? 0,
    };
  }

  private async queue(name: keyof typeof QUEUES): Promise<{ depth: number; oldestSeconds: number }> {
    const statement = { name: `backlog-${name}`, text: QUEUES[name] };
    const [row] = await this.database.rows<{ depth: number; oldest: number }>(statement);
    return { depth: row?.depth ?? 0, oldestSeconds: row?.oldest ?? 0 };
  }
}

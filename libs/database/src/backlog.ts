import { rows, type Sql } from './statement.js';

/** Nobody needs to know more exactly how long a line is, and counting on costs. */
const MOST = 100_000;

/** What waits, and how long the first of it is due. */
export interface Backlog {
  calls: Record<'pending' | 'ringing' | 'in_progress', number>;
  queues: Record<'calls' | 'deliveries' | 'documents', { depth: number; oldestSeconds: number }>;
  trunks: Record<'up' | 'down' | 'unknown', number>;
  breakersOpen: number;
  endpointsDisabled: number;
  /** Of the last 15 minutes; a dialer that ends is not scraped again, so it cannot report them itself. */
  callsCutOff: number;
}

const line = (from: string, since: string): string => `SELECT count(*)::integer AS depth,
    greatest(0, coalesce(extract(epoch FROM now() - min(since)), 0))::float8 AS oldest
  FROM (SELECT ${since} AS since FROM ${from} LIMIT ${MOST}) line`;

const QUEUES = {
  calls: line(`calls WHERE status = 'pending' AND owner IS NULL`, 'created_at'),
  deliveries: line(
    'webhook_streams WHERE next_at <= now() AND (lease_until IS NULL OR lease_until < now()) ORDER BY next_at',
    'next_at',
  ),
  documents: line(`knowledge_bases WHERE status = 'pending' AND next_attempt_at <= now()`, 'next_attempt_at'),
} as const;

const LIVE = {
  name: 'backlog-live',
  text: `SELECT count(*) FILTER (WHERE status = 'ringing')::integer AS ringing,
      count(*) FILTER (WHERE status = 'in_progress')::integer AS in_progress,
      count(*) FILTER (WHERE status = 'pending')::integer AS taken
    FROM calls WHERE owner IS NOT NULL AND ended_at IS NULL`,
};
const TRUNKS = {
  name: 'backlog-trunks',
  text: `SELECT count(*) FILTER (WHERE h.state = 'up')::integer AS up, count(*) FILTER (WHERE h.state = 'down')::integer AS down,
      count(*) FILTER (WHERE coalesce(h.state, 'unknown') = 'unknown')::integer AS unknown
    FROM sip_trunks t LEFT JOIN trunk_health h ON h.trunk_id = t.id WHERE t.active`,
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

/** Reads it with one indexed statement each; of the waiting lines 100,000 at most are counted. */
export async function readBacklog(sql: Sql): Promise<Backlog> {
  const calls = await queue(sql, 'calls');
  const deliveries = await queue(sql, 'deliveries');
  const documents = await queue(sql, 'documents');
  const [live] = await rows<{ ringing: number; in_progress: number; taken: number }>(sql, LIVE);
  const [trunks] = await rows<Backlog['trunks']>(sql, TRUNKS);
  const [heldBack] = await rows<{ breakers: number; disabled: number }>(sql, HELD_BACK);
  const [cutOff] = await rows<{ n: number }>(sql, CUT_OFF);
  return {
    calls: {
      pending: calls.depth + (live?.taken ?? 0),
      ringing: live?.ringing ?? 0,
      in_progress: live?.in_progress ?? 0,
    },
    queues: { calls, deliveries, documents },
    trunks: trunks ?? { up: 0, down: 0, unknown: 0 },
    breakersOpen: heldBack?.breakers ?? 0,
    endpointsDisabled: heldBack?.disabled ?? 0,
    callsCutOff: cutOff?.n ?? 0,
  };
}

async function queue(sql: Sql, name: keyof typeof QUEUES): Promise<{ depth: number; oldestSeconds: number }> {
  const statement = { name: `backlog-${name}`, text: QUEUES[name] };
  const [row] = await rows<{ depth: number; oldest: number }>(sql, statement);
  return { depth: row?.depth ?? 0, oldestSeconds: row?.oldest ?? 0 };
}

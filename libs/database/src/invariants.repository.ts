import { Injectable } from '@nestjs/common';
import { Database } from './database.js';

/*
 * Invariants: work without a live owner is ended by the sweeps, and expired data is deleted. Each is one statement that an index answers
 * while the invariant holds, and that stops counting at 1,000. Times are on the database's clock.
 */
const MAX_ROWS = 1_000;

/** A condition that no row may meet, and the remedy when rows do. */
interface Invariant {
  /** The counted rows, in words. */
  what: string;
  remedy: string;
  text: string;
}

const count = (from: string): string =>
  `SELECT count(*)::integer AS n FROM (SELECT 1 ${from} LIMIT ${MAX_ROWS}) broken`;

/** Longer than a sweep needs: leases of dialers are 10 s, and the sweeps run every 2 to 5 s. */
const DIALER_SLACK = `interval '30 s'`;

export const INVARIANTS = {
  calls_stuck: {
    what: 'calls without a live dialer, or longer than their agent allows',
    remedy:
      'Is a worker running? Its log says why calls cannot be ended; a call of a hung dialer ends with that process.',
    text: count(`FROM calls c JOIN dialers d ON d.id = c.owner JOIN agents a ON a.id = c.agent_id
        LEFT JOIN agent_versions v ON v.agent_id = c.agent_id AND v.version = c.agent_version
      WHERE c.owner IS NOT NULL AND c.ended_at IS NULL
        AND (d.dead_at < now() - ${DIALER_SLACK} OR coalesce(
          c.answered_at + coalesce((v.settings->>'max_call_seconds')::int, a.max_call_seconds) * interval '1 s',
          c.started_at + (coalesce((v.settings->>'ring_timeout_seconds')::int, a.ring_timeout_seconds) + 240)
            * interval '1 s') < now() - interval '10 min')`),
  },
  dialers_lost: {
    what: 'dialers with an expired lease whose calls have not been ended',
    remedy: 'Start a worker or a dialer: each of them ends the calls of dead dialers.',
    text: count(`FROM dialers WHERE dead_at IS NULL AND lease_until < now() - ${DIALER_SLACK}`),
  },
  // An open breaker postpones its streams, so they are not due; the longest lease is 30 s.
  deliveries_overdue: {
    what: 'webhook streams that have been due for five minutes without a worker',
    remedy: 'Is a worker running, and are there enough of them? Its log says why streams are postponed.',
    text: count(`FROM webhook_streams s
      WHERE s.next_at < now() - interval '5 min' AND (s.lease_until IS NULL OR s.lease_until < now())`),
  },
  documents_stuck: {
    what: 'documents with a lost worker, or in the queue for an hour',
    remedy: 'Is a worker running? Its log names the documents and says why their leases were released.',
    text: count(`FROM (
        SELECT 1 FROM knowledge_bases WHERE status = 'processing' AND lease_until < now() - interval '1 min'
        UNION ALL
        SELECT 1 FROM knowledge_bases WHERE status = 'pending' AND next_attempt_at < now() - interval '1 hour') k`),
  },
  tool_actions_stuck: {
    what: 'tool invocations that have not ended after 15 minutes',
    remedy: 'Is a worker running? It ends the invocations of processes that died.',
    text: count(`FROM tool_invocations WHERE ended_at IS NULL AND started_at < now() - interval '15 min'`),
  },
  // A transcript is deleted after the deliveries that contain it.
  retention_overdue: {
    what: 'recordings, transcripts, deliveries or documents a day past their retention',
    remedy: 'The log of the workers names the data that cannot be deleted; the usual cause is an unreachable storage.',
    text: count(`FROM accounts a CROSS JOIN LATERAL (
        (SELECT 1 FROM calls c WHERE c.account_id = a.id AND c.recording_key IS NOT NULL
            AND c.ended_at < now() - (a.recordings_days + 1) * interval '1 day' LIMIT 1)
        UNION ALL
        (SELECT 1 FROM calls c WHERE c.account_id = a.id AND c.transcript_deleted_at IS NULL
            AND c.ended_at IS NOT NULL AND c.ended_at < now() - (a.transcripts_days + 4) * interval '1 day' LIMIT 1)
        UNION ALL
        (SELECT 1 FROM (SELECT state, created_at FROM webhook_deliveries w WHERE w.account_id = a.id
            ORDER BY w.created_at, w.id LIMIT 1) first
          WHERE first.state NOT IN ('pending', 'slow') AND first.created_at < now() - (a.deliveries_days + 1) * interval '1 day')
        UNION ALL
        (SELECT 1 FROM knowledge_bases k WHERE k.account_id = a.id AND k.status IN ('completed', 'failed')
            AND k.updated_at < now() - (a.documents_days + 1) * interval '1 day' LIMIT 1)) late`),
  },
} as const satisfies Record<string, Invariant>;

export type InvariantName = keyof typeof INVARIANTS;

export const INVARIANT_NAMES = Object.keys(INVARIANTS) as InvariantName[];

@Injectable()
export class InvariantsRepository {
  constructor(private readonly database: Database) {}

  /** How many rows break the invariant, 1,000 at most; 0 while it holds. */
  async countBroken(name: InvariantName): Promise<number> {
    const statement = { name: `invariant-${name}`, text: INVARIANTS[name].text };
    const [row] = await this.database.rows<{ n: number }>(statement);
    return row?.n ?? 0;
  }
}

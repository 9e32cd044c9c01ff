import { rows, type Sql } from '@app/database';
import { DIAL_TRUNK, type DialTrunk } from './dial-trunk.js';
import type { HealthState, TargetState, TrunkState } from './trunk-health.js';

/** A trunk that this process alone asks for its health, until the lease of its claim is over. */
export interface ClaimedPing {
  trunkId: number;
  accountId: number;
  trunk: DialTrunk;
  before: { state: HealthState; targets: TargetState[] };
  /** Names the claim: when its lease is over. */
  claim: string;
}

/** Every place of a trunk is given a few seconds; one that takes longer than this is asked again by somebody else. */
const LEASE_SECONDS = 60;

/**
 * due_at is moved on by whoever gets the row first; the others find, after they waited for it, that it is not due any more.
 * Rows of `trunk_health` are made here, so that trunks of any release have one.
 */
const CLAIM = {
  name: 'claim-trunk-pings',
  text: `WITH due AS (
      SELECT t.id FROM sip_trunks t LEFT JOIN trunk_health h ON h.trunk_id = t.id
       WHERE t.active AND t.options_ping_seconds > 0 AND (h.due_at IS NULL OR h.due_at <= now())
       ORDER BY h.due_at NULLS FIRST, t.id LIMIT $1),
    claimed AS (
      INSERT INTO trunk_health AS h (trunk_id, due_at) SELECT id, clock_timestamp() + $2 * interval '1 s' FROM due
        ON CONFLICT (trunk_id) DO UPDATE SET due_at = excluded.due_at WHERE h.due_at <= now()
        RETURNING *)
    SELECT t.id AS "trunkId", t.account_id AS "accountId", ${DIAL_TRUNK} AS trunk, c.due_at::text AS claim,
        jsonb_build_object('state', c.state, 'targets', c.targets) AS before
      FROM claimed c JOIN sip_trunks t ON t.id = c.trunk_id`,
};

/** Trunks whose health is to be asked for now, each given to one process only. */
export const claimPings = (sql: Sql, limit: number): Promise<ClaimedPing[]> =>
  rows<ClaimedPing & Record<string, unknown>>(sql, CLAIM, [limit, LEASE_SECONDS]);

const STORE = {
  name: 'store-trunk-health',
  text: `UPDATE trunk_health h SET state = $3, reason = $4, targets = $5, checked_at = now(),
      changed_at = CASE WHEN h.state = $3 THEN h.changed_at ELSE now() END,
      due_at = now() + t.options_ping_seconds * interval '1 s'
    FROM sip_trunks t WHERE h.trunk_id = $1 AND h.due_at = $2::timestamptz AND t.id = h.trunk_id RETURNING h.trunk_id`,
};

/** False: the lease was over, or the trunk has been changed meanwhile; what was found is not kept. */
export async function storeHealth(sql: Sql, { trunkId, claim }: ClaimedPing, found: TrunkState): Promise<boolean> {
  const values = [trunkId, claim, found.state, found.reason, JSON.stringify(found.targets)];
  return (await rows(sql, STORE, values)).length > 0;
}

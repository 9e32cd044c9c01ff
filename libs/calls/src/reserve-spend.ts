import { inTransaction, rows } from '@app/database';
import type { Pool } from 'pg';
import type { OwnedCall } from './transition.js';

/** A call that would have to end sooner is not worth the ringing. */
export const SHORTEST_CALL_SECONDS = 15;

/** What a call may cost. */
export interface SpendPlan {
  accountId: number;
  /** Of what runs by the second: carrier legs, agents that are paid by time. */
  microsPerSecond: number;
  /** As long as the agent's calls may last. */
  longestSeconds: number;
}

/** Reservations of one account follow each other: two calls never take the same money. */
const LOCK = {
  name: 'spend-lock',
  text: 'SELECT daily_spend_micros FROM accounts WHERE id = $1 FOR NO KEY UPDATE',
};

/** After the lock. What live calls have reserved, and what ended ones have cost, in one snapshot: an end moves it from one to the other. */
const TAKEN = {
  name: 'spend-taken',
  text: `SELECT coalesce((SELECT micros FROM daily_spend WHERE account_id = $1 AND day = (now() AT TIME ZONE 'UTC')::date), 0) AS spent,
      coalesce((SELECT sum(reserved_micros) FROM calls
          WHERE account_id = $1 AND owner IS NOT NULL AND ended_at IS NULL AND id <> $2), 0) AS reserved`,
};

const RESERVE = {
  name: 'spend-reserve',
  text: 'UPDATE calls SET reserved_micros = $3 WHERE id = $1 AND owner = $2 AND ended_at IS NULL',
};

/**
 * Sets aside what a call that is about to be dialled can cost of the account's daily spend, so that calls at the same time
 * cannot exceed it together. @returns how many seconds it may last: fewer than `longestSeconds` when no more can be paid, 0 when
 * not even SHORTEST_CALL_SECONDS can; undefined when it can be paid as soon as other calls end and cost less than they might.
 */
export function reserveSpend(
  pool: Pool,
  call: OwnedCall,
  { accountId, microsPerSecond, longestSeconds }: SpendPlan,
): Promise<number | undefined> {
  return inTransaction(pool, async (tx) => {
    const [account] = await rows<{ daily_spend_micros: string | null }>(tx, LOCK, [accountId]);
    if (!account || account.daily_spend_micros === null) return longestSeconds;
    const [taken] = await rows<{ spent: string; reserved: string }>(tx, TAKEN, [accountId, call.id]);
    const unspent = Number(account.daily_spend_micros) - Number(taken?.spent ?? 0);
    const seconds = affordableSeconds(unspent - Number(taken?.reserved ?? 0), microsPerSecond, longestSeconds);
    if (seconds === 0) return affordableSeconds(unspent, microsPerSecond, longestSeconds) > 0 ? undefined : 0;
    await rows(tx, RESERVE, [call.id, call.owner, Math.ceil(seconds * microsPerSecond)]);
    return seconds;
  });
}

/** For `left` micro-USD; 0 when that is too short. A call that costs nothing may last as long as it likes, unless all is spent. */
export function affordableSeconds(left: number, microsPerSecond: number, longestSeconds: number): number {
  if (left <= 0) return 0;
  const seconds = Math.min(longestSeconds, Math.floor(left / microsPerSecond));
  return seconds >= Math.min(SHORTEST_CALL_SECONDS, longestSeconds) ? seconds : 0;
}

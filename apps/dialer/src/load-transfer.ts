import { DIAL_TRUNK, type DialTrunk } from '@app/accounts';
import type { OwnedCall } from '@app/calls';
import { rows } from '@app/database';
import type { Pool } from 'pg';
import type { DestinationPolicy } from './destination-policy.js';

/** What a second leg of a live call needs; the limits are those of this moment. */
export interface TransferPlan extends DestinationPolicy {
  account_id: number;
  /** The number that the other party sees: the transfer's own, or the one that the call belongs to. */
  caller_id: string;
  /** The number that the call came in on or went out with. */
  diverted_from: string;
  /** The call's trunk, or for a call without one the account's first. */
  trunk_id: number | null;
  trunk: DialTrunk | null;
}

const PLAN = {
  name: 'transfer-plan',
  text: `SELECT c.account_id, coalesce(shown.e164, own.e164) AS caller_id, own.e164 AS diverted_from, t.id AS trunk_id,
      CASE WHEN t.id IS NULL THEN NULL ELSE ${DIAL_TRUNK} END AS trunk,
      o.daily_spend_micros, o.destinations_allow, o.destinations_deny,
      coalesce((SELECT s.micros FROM daily_spend s
        WHERE s.account_id = c.account_id AND s.day = (now() AT TIME ZONE 'UTC')::date), 0) AS spent_micros
    FROM calls c JOIN accounts o ON o.id = c.account_id JOIN phone_numbers own ON own.id = c.number_id
      LEFT JOIN phone_numbers shown ON shown.id = $3 AND shown.account_id = c.account_id AND shown.active
      LEFT JOIN LATERAL (SELECT * FROM sip_trunks one WHERE one.account_id = c.account_id AND one.active
          AND (c.trunk_id IS NULL OR one.id = c.trunk_id) ORDER BY one.id LIMIT 1) t ON true
    WHERE c.id = $1 AND c.owner = $2 AND c.ended_at IS NULL`,
};

/** Undefined: the call is not this dialer's any more. */
export async function loadTransfer(
  pool: Pool,
  call: OwnedCall,
  callerIdNumberId: number | undefined,
): Promise<TransferPlan | undefined> {
  const [plan] = await rows<TransferPlan & Record<string, unknown>>(pool, PLAN, [
    call.id,
    call.owner,
    callerIdNumberId ?? null,
  ]);
  return plan;
}

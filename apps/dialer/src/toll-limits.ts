import { destinationRefusal, type DiallingTrunk } from '@app/accounts';
import type { HangupCause } from '@app/telephony';
import type { AccountLimits } from '@app/calls';
import type { CallContext } from './call-context.service.js';

export type TollLimits = AccountLimits & {
  /** The trunk that the call goes over; null: straight to the host of a SIP URI. */
  trunk: DiallingTrunk | null;
};

/**
 * Why a queued call must not be dialled now: the account's limits may have changed while it waited, and an agent, a number or a
 * trunk that has been made inactive dials none of the queued calls either.
 */
export function dialRefusal(context: TollLimits & Pick<CallContext, 'to_number' | 'active'>): HangupCause | undefined {
  if (!context.active) return 'deactivated';
  return refusalOf(context, context.to_number);
}

/**
 * Why a live call must not be transferred to `number`, which is a call of its own to the carrier. The limits are those at the
 * time of the dialling.
 */
export const transferRefusal = (context: TollLimits, number: string): HangupCause | undefined =>
  refusalOf(context, number);

/** Whether a call may go on to the contact of a 3xx: a far end must not redirect us to what the account may not call. */
export const redirectAllowed = (context: TollLimits, uri: string): boolean => !isBlocked(context, uri);

function refusalOf(context: TollLimits, destination: string): HangupCause | undefined {
  if (isBlocked(context, destination)) return 'blocked_destination';
  const { daily_spend_micros: limit, spent_micros: spent } = context;
  return limit !== null && Number(spent) >= Number(limit) ? 'spend_limit' : undefined;
}

const isBlocked = (context: TollLimits, destination: string): boolean =>
  destinationRefusal(
    { allow: context.destinations_allow, deny: context.destinations_deny },
    destination,
    context.trunk,
  ) !== undefined;

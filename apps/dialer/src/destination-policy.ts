import { destinationRefusal, type DiallingTrunk } from '@app/accounts';
import type { HangupCause } from '@app/telephony';
import type { CallContext } from './call-context.service.js';

/** The limits of an account and the trunk that decide which destinations a call may have. */
export type DestinationPolicy = Pick<
  CallContext,
  'destinations_allow' | 'destinations_deny' | 'daily_spend_micros' | 'spent_micros'
> & {
  /** The trunk that the call goes over; null: straight to the host of a SIP URI. */
  trunk: DiallingTrunk | null;
};

/**
 * Why an accepted call must not be dialled now: the account's limits may have changed while it waited, and calls of an agent,
 * number or trunk that became inactive are not placed.
 */
export function dialRefusal(
  order: DestinationPolicy & Pick<CallContext, 'to_number' | 'active'>,
): HangupCause | undefined {
  if (!order.active) return 'deactivated';
  return refusalOf(order, order.to_number);
}

/**
 * Why a live call must not be transferred to `number`, which is another call for the carrier. The limits are those at the time of
 * dialling.
 */
export const transferRefusal = (order: DestinationPolicy, number: string): HangupCause | undefined =>
  refusalOf(order, number);

/** Whether a call may follow the contact of a 3xx: a remote party must not redirect it to a destination that the account may not call. */
export const redirectAllowed = (order: DestinationPolicy, uri: string): boolean => !isBlocked(order, uri);

function refusalOf(order: DestinationPolicy, destination: string): HangupCause | undefined {
  if (isBlocked(order, destination)) return 'blocked_destination';
  const { daily_spend_micros: limit, spent_micros: spent } = order;
  return limit !== null && Number(spent) >= Number(limit) ? 'spend_limit' : undefined;
}

const isBlocked = (order: DestinationPolicy, destination: string): boolean =>
  destinationRefusal({ allow: order.destinations_allow, deny: order.destinations_deny }, destination, order.trunk) !==
  undefined;

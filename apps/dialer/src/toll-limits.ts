import { destinationRefusal, type DiallingTrunk } from '@app/accounts';
import type { HangupCause } from '@app/telephony';
import type { DialOrder } from './load-dial.js';

export type TollLimits = Pick<
  DialOrder,
  'destinations_allow' | 'destinations_deny' | 'daily_spend_micros' | 'spent_micros'
> & {
  /** The trunk that the call goes over; null: straight to the host of a SIP URI. */
  trunk: DiallingTrunk | null;
};

/**
 * Why a call that was accepted must not be dialled now: the account's limits may have changed while it waited, and whoever makes an
 * agent, a number or a trunk inactive wants no more calls by it, also of the thousands that stand in line.
 */
export function dialRefusal(order: TollLimits & Pick<DialOrder, 'to_number' | 'active'>): HangupCause | undefined {
  if (!order.active) return 'deactivated';
  return refusalOf(order, order.to_number);
}

/**
 * Why a live call must not be transferred to `number`, which is a call of its own to the carrier. The limits are those at the
 * time of the dialling.
 */
export const transferRefusal = (order: TollLimits, number: string): HangupCause | undefined => refusalOf(order, number);

/** Whether a call may go on to the contact of a 3xx: a far end must not redirect us to what the account may not call. */
export const redirectAllowed = (order: TollLimits, uri: string): boolean => !isBlocked(order, uri);

function refusalOf(order: TollLimits, destination: string): HangupCause | undefined {
  if (isBlocked(order, destination)) return 'blocked_destination';
  const { daily_spend_micros: limit, spent_micros: spent } = order;
  return limit !== null && Number(spent) >= Number(limit) ? 'spend_limit' : undefined;
}

const isBlocked = (order: TollLimits, destination: string): boolean =>
  destinationRefusal({ allow: order.destinations_allow, deny: order.destinations_deny }, destination, order.trunk) !==
  undefined;

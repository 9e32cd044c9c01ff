import { BLOCKED_DESTINATION, destinationRefusal, type DiallingTrunk, mayBeDialled } from './destination-policy.js';

/** A trunk of the account at the host of a SIP URI. */
interface TrunkAtHost extends DiallingTrunk {
  id: number;
}

/** What is known about the host and port of a SIP URI. */
export interface KnownHost {
  /** The active trunks of the account at this place, by id. */
  trunks: readonly TrunkAtHost[];
  /** A trunk of another account at this place authenticates by address only, and has answered. */
  isForeign: boolean;
}

/** The trunk of a leg that is dialled, transferred or redirected. */
export interface LegTrunk {
  /** null: the leg goes directly to the host of its SIP URI. */
  id: number | null;
  settings: DiallingTrunk | null;
}

/** How a SIP URI without a chosen trunk is called. */
export type SipRoute =
  /** At its host. */
  | { kind: 'direct' }
  /** Over the trunk of the account that leads there. */
  | { kind: 'trunk'; trunkId: number }
  | { kind: 'refused'; problem: string };

/**
 * The carrier of a trunk must not be called past the trunk: over its own trunk an account keeps the rules, the limits and the price of it,
 * and a carrier that trusts the address of this installation would charge the owner of a foreign trunk.
 * @param leg its trunk is preferred among those at the host, because the INVITE has the credentials of that one, and calls other hosts;
 *   absent: the call goes directly to another host.
 */
export function routeOf(
  limits: Parameters<typeof destinationRefusal>[0],
  uri: string,
  { trunks, isForeign }: KnownHost,
  leg?: LegTrunk,
): SipRoute {
  const problems = trunks.map((trunk) => destinationRefusal(limits, uri, trunk));
  const allowing = trunks.filter((_, index) => problems[index] === undefined);
  const chosen = allowing.find(({ id }) => id === leg?.id) ?? allowing[0];
  if (chosen) return { kind: 'trunk', trunkId: chosen.id };
  const problem = problems[0] ?? destinationRefusal(limits, uri, leg?.settings);
  if (problem !== undefined) return { kind: 'refused', problem };
  return isForeign && mayBeDialled(uri) ? { kind: 'refused', problem: BLOCKED_DESTINATION } : { kind: 'direct' };
}

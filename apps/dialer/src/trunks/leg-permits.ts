import type { SipRoutesService } from '@app/accounts';
import type { DialRequest } from '@app/telephony';
import { setTimeout as delay } from 'node:timers/promises';
import { type DestinationPolicy, type IsListed, mayFollow } from '../call/dial-request.js';

/** The leg of an account's call. */
export type PermittedLeg = DestinationPolicy & {
  account_id: number;
  /** null: the leg goes directly to the host of its SIP URI. */
  trunk_id: number | null;
};

interface PermitServices {
  routes: Pick<SipRoutesService, 'routeForDialling' | 'mayGoDirectly'>;
  isListed: IsListed;
  /** Takes a line of another trunk of the account for the leg. The ms until the INVITE; undefined: the trunk is full. */
  claim: (trunkId: number) => Promise<number | undefined>;
  /** A question of a leg could not be answered, so that its INVITE does not leave. */
  failed: (error: unknown) => void;
}

/** Where the INVITEs of one leg may go: the contacts of redirections (3xx), and the addresses that hosts resolve to. */
export function permitsOf(
  leg: PermittedLeg,
  { routes, isListed, claim, failed }: PermitServices,
): Required<Pick<DialRequest, 'redirectAllowed' | 'targetAllowed'>> {
  const limits = { allow: leg.destinations_allow, deny: leg.destinations_deny };
  /** Contacts at the carrier of the leg's trunk. */
  const overTrunk = new Set<string>();
  let trunkId = leg.trunk_id;
  const decide = async <T>(decision: () => Promise<T>, refusal: T): Promise<T> => {
    try {
      return await decision();
    } catch (error) {
      failed(error);
      return refusal;
    }
  };
  const followed = async (uri: string): Promise<boolean> => {
    if (!(await mayFollow(leg, uri, isListed))) return false;
    const route = await routes.routeForDialling(leg.account_id, limits, uri, { id: trunkId, settings: leg.trunk });
    if (route.kind !== 'trunk') return route.kind === 'direct';
    if (route.trunkId !== trunkId) {
      const dialIn = await claim(route.trunkId);
      if (dialIn === undefined) return false;
      trunkId = route.trunkId;
      await delay(dialIn);
    }
    overTrunk.add(uri);
    return true;
  };
  return {
    redirectAllowed: (uri) => decide(() => followed(uri), false),
    targetAllowed: (uri, targets) =>
      decide(
        async () =>
          overTrunk.has(uri) ? targets.map(() => true) : routes.mayGoDirectly(leg.account_id, limits, uri, targets),
        targets.map(() => false),
      ),
  };
}

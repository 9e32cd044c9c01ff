import type { NumberClosed, NumberHours, NumberQueue } from '@app/accounts';
import { opennessAt } from '@app/common/time-windows';

/** The settings of a number that decide what happens to its inbound calls. */
interface NumberFront {
  hours: NumberHours | null;
  closed: NumberClosed | null;
  closed_agent_id: number | null;
}

/** Where an inbound call goes. */
type InboundRoute =
  | { kind: 'agent' }
  /** The agent outside the hours. */
  | { kind: 'closed_agent'; agentId: number }
  | { kind: 'message'; message: string; language: string | null }
  | { kind: 'reject' };

/** Where a call at `at` goes. Hours without a usable action reject it. */
export function inboundRoute({ hours, closed, closed_agent_id: agentId }: NumberFront, at: Date): InboundRoute {
  if (!hours || isOpen(hours, at)) return { kind: 'agent' };
  if (closed?.action === 'agent' && agentId !== null) return { kind: 'closed_agent', agentId };
  if (closed?.action === 'say_and_hang_up' && closed.message !== null)
    return { kind: 'message', message: closed.message, language: closed.language };
  return { kind: 'reject' };
}

const isOpen = ({ windows, time_zone: zone, excluded_dates: excludedDates }: NumberHours, at: Date): boolean =>
  opennessAt({ windows, excludedDates }, [zone], at).open;

/** Whether a caller without a free place may wait. */
export const mayQueue = (queue: NumberQueue | null, waiting: number): queue is NumberQueue =>
  queue?.enabled === true && waiting < queue.max_waiting;

/** A caller that waits for a free place. */
export interface WaitingCaller {
  id: string;
  trunkId: number | null;
}

/**
 * The callers that get a place now, in order of arrival. A full trunk delays only its own callers. `free`: places that no other call
 * takes, of the account and by trunk; a missing trunk has no limit.
 */
export function servedCallers(
  waiting: readonly WaitingCaller[],
  free: { account: number; trunks: ReadonlyMap<number, number> },
): Set<string> {
  const served = new Set<string>();
  const trunks = new Map(free.trunks);
  for (const { id, trunkId } of waiting) {
    if (served.size >= free.account) break;
    const places = trunkId === null ? Number.POSITIVE_INFINITY : (trunks.get(trunkId) ?? Number.POSITIVE_INFINITY);
    if (places < 1) continue;
    if (trunkId !== null) trunks.set(trunkId, places - 1);
    served.add(id);
  }
  return served;
}

/** A call that would have to end sooner is not worth the ringing. */
const SHORTEST_CALL_SECONDS = 15;

/** What a call may cost. */
export interface SpendPlan {
  accountId: number;
  /** Of everything that is charged by the second: carrier legs, agents that are paid by time. */
  microsPerSecond: number;
  /** The limit of the agent. */
  longestSeconds: number;
}

/**
 * How long a call may last for `left` micro-USD; 0 when that is less than the shortest call. A free call may last as long as the
 * agent allows, unless the budget is used up.
 */
export function affordableSeconds(left: number, microsPerSecond: number, longestSeconds: number): number {
  if (left <= 0) return 0;
  const seconds = Math.min(longestSeconds, Math.floor(left / microsPerSecond));
  return seconds >= Math.min(SHORTEST_CALL_SECONDS, longestSeconds) ? seconds : 0;
}

/** A queued call, oldest first. */
export interface WaitingCall {
  id: string;
  trunkId: number | null;
}

/** Free capacity of one limit: calls that may start now, and when the next one may start (ms from now, may be negative). */
export interface Gate {
  free: number;
  /** Calls per second; undefined: no limit. */
  rate?: number;
  nextAt: number;
}

export interface PlannedCall {
  id: string;
  /** When its INVITE may leave, ms from now. */
  dialIn: number;
}

/** Whether a claimed call may be dialled now. `gone`: it was cancelled or belongs to another dialer. */
export type DialDecision =
  | { kind: 'dial' }
  | { kind: 'gone' }
  /** The local time forbids it until then. */
  | { kind: 'later'; at: Date }
  | { kind: 'refused'; cause: 'do_not_call' | 'contact_limit' | 'outside_window' | 'campaign_stopped' };

export interface ClaimPlan {
  calls: PlannedCall[];
  account: Gate;
  trunks: Map<number, Gate>;
}

/**
 * The queued calls to claim now, and when each may be dialled. Calls are paced evenly (1/rate apart) and claimed at most `horizonMs`
 * ahead, so that a rate of 50 per second does not need a claim every 20 ms. A full trunk delays only its own calls; the order within the
 * account and within each trunk is kept.
 */
export function planClaims(
  waiting: readonly WaitingCall[],
  account: Gate,
  trunks: ReadonlyMap<number, Gate>,
  limits: { capacity: number; horizonMs: number },
): ClaimPlan {
  const plan: ClaimPlan = {
    calls: [],
    account: { ...account },
    trunks: new Map([...trunks].map(([id, gate]) => [id, { ...gate }])),
  };
  for (const call of waiting) {
    if (plan.calls.length >= limits.capacity) break;
    const trunk = call.trunkId === null ? undefined : plan.trunks.get(call.trunkId);
    const gates = trunk ? [plan.account, trunk] : [plan.account];
    const dialIn = Math.max(0, ...gates.map((gate) => gate.nextAt));
    if (plan.account.free < 1 || plan.account.nextAt > limits.horizonMs) break;
    if (trunk && (trunk.free < 1 || trunk.nextAt > limits.horizonMs)) continue;
    plan.calls.push({ id: call.id, dialIn });
    for (const gate of gates) take(gate, dialIn);
  }
  return plan;
}

function take(gate: Gate, at: number): void {
  gate.free -= 1;
  gate.nextAt = gate.rate === undefined ? at : at + 1000 / gate.rate;
}

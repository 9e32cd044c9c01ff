/** A collected value with its evidence. */
interface StoredValue {
  value: unknown;
  step: string;
  /** Of the user in the call, from 1. */
  turn: number;
  /** Since the answer. */
  at_ms: number;
}

/** An agent that took over the conversation. */
interface StoredAgentTurn {
  agent_id: number;
  name: string;
  /** Since the answer. */
  from_ms: number;
  /** Why it took over; absent when the transcript was deleted. */
  reason?: string | null;
}

/** What a call keeps of its flow and its handoffs. Parts are absent when retention has deleted them. */
export interface CallFlow {
  /** The latest of each name. */
  values?: Record<string, StoredValue>;
  /** Names of the steps in the order in which they were entered. */
  path?: string[];
  /** Without the agent that began the call. */
  agents?: StoredAgentTurn[];
}

/** What events add to the flow of their call; undefined: nothing. */
export function flowOfEvents(
  events: readonly { type: string; data: Record<string, unknown> }[],
): Required<CallFlow> | undefined {
  const flow = { values: new Map<string, StoredValue>(), path: [] as string[], agents: [] as StoredAgentTurn[] };
  for (const { type, data } of events) {
    if (type === 'step_entered') flow.path.push(String(data['step']));
    if (type === 'values_collected')
      for (const [name, value] of Object.entries(data['values'] as Record<string, unknown>))
        flow.values.set(name, { value, ...evidenceOf(data) });
    if (type === 'handed_over')
      flow.agents.push({
        agent_id: Number(data['to_agent_id']),
        name: String(data['to_agent_name']),
        from_ms: Number(data['at_ms']),
        reason: typeof data['reason'] === 'string' ? data['reason'] : null,
      });
  }
  if (flow.values.size + flow.path.length + flow.agents.length === 0) return undefined;
  return { ...flow, values: Object.fromEntries(flow.values) };
}

const evidenceOf = (data: Record<string, unknown>): Omit<StoredValue, 'value'> => ({
  step: String(data['step']),
  turn: Number(data['turn']),
  at_ms: Number(data['at_ms']),
});

/** The collected values by name. */
export const flowValues = (flow: CallFlow | null): Record<string, unknown> =>
  Object.fromEntries(Object.entries(flow?.values ?? {}).map(([name, { value }]) => [name, value]));

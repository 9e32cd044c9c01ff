import type { CallRow } from '../call.entity.js';
import { type CallFlow, flowValues } from '../domain/call-flow.js';

/** What a call shows of its flow and its handoffs; empty without them. */
export const callFlowView = (
  { agent_id: agentId, agent_name: agentName }: Pick<CallRow, 'agent_id' | 'agent_name'>,
  flow: CallFlow | null,
) => ({
  values: flowValues(flow),
  value_evidence: Object.entries(flow?.values ?? {})
    .map(([name, { value, step, turn, at_ms }]) => ({ name, value, step, turn, at_ms }))
    .sort((a, b) => a.at_ms - b.at_ms),
  path: flow?.path ?? [],
  agents: agentsOf({ agent_id: agentId, name: agentName, from_ms: 0, reason: null }, flow?.agents ?? []),
});

export type CallFlowView = ReturnType<typeof callFlowView>;

/** Who spoke from when; empty when the agent of the call spoke alone. */
const agentsOf = (
  first: { agent_id: number; name: string; from_ms: number; reason: string | null },
  others: NonNullable<CallFlow['agents']>,
) => (others.length === 0 ? [] : [first, ...others.map((one) => ({ ...one, reason: one.reason ?? null }))]);

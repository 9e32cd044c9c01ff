import type { CallEvent } from '../api/types.js';

/** A step that a call entered, or an agent that took over. */
export type FlowMoment = {
  seq: number;
  /** Milliseconds since the answer. */
  atMs: number;
} & ({ kind: 'step'; step: string; why: string } | { kind: 'agent'; agentId: number; name: string; reason: string });

const WHY: Readonly<Record<string, string>> = {
  start: 'start of the conversation',
  if: 'an expression was true',
  when: 'the model chose it',
  limit: 'a limit was reached',
  action: 'after the action',
  handoff: 'the agent took over',
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The steps and handoffs of a call in the order of its events. */
export function flowMoments(events: readonly CallEvent[]): FlowMoment[] {
  return events.flatMap(({ type, seq, data }): FlowMoment[] => {
    const at = { seq, atMs: numberOf(data['at_ms']) };
    if (type === 'step_entered') {
      const { exit } = data;
      const number = typeof exit === 'number' ? `exit ${exit + 1}: ` : '';
      const by = textOf(data['by']);
      return [{ ...at, kind: 'step', step: textOf(data['step']), why: `${number}${WHY[by] ?? by}` }];
    }
    if (type !== 'handed_over') return [];
    const [name, reason] = [textOf(data['to_agent_name']), textOf(data['reason'])];
    return [{ ...at, kind: 'agent', agentId: numberOf(data['to_agent_id']), name, reason }];
  });
}

/** A value with the turn of the user in which it was said. */
export interface ShownValue {
  name: string;
  value: unknown;
  step: string;
  turn: number;
  atMs: number;
}

/** The values as they were collected; a later one of a name replaces the earlier one. */
export function collectedValues(events: readonly CallEvent[]): ShownValue[] {
  const found = new Map<string, ShownValue>();
  for (const { type, data } of events) {
    if (type !== 'values_collected') continue;
    const at = { step: textOf(data['step']), turn: numberOf(data['turn']), atMs: numberOf(data['at_ms']) };
    for (const [name, value] of Object.entries(data['values'] ?? {})) {
      found.delete(name);
      found.set(name, { name, value, ...at });
    }
  }
  return [...found.values()];
}

/** The steps of one agent: those before the first handoff, which the graph of the call's agent shows. */
export function stepsOfFirstAgent(moments: readonly FlowMoment[]): { steps: string[]; isOver: boolean } {
  const end = moments.findIndex(({ kind }) => kind === 'agent');
  const own = end === -1 ? moments : moments.slice(0, end);
  return { steps: own.flatMap((one) => (one.kind === 'step' ? [one.step] : [])), isOver: end !== -1 };
}

/** A value as text. */
export const shownValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

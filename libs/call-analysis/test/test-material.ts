import type { CallMaterial, MaterialEvent } from '../src/domain/call-material.js';

const turn = (role: string, text: string, started_ms: number): MaterialEvent => ({
  type: 'turn',
  data: { role, text, started_ms, ended_ms: started_ms + 900, truncated: false },
});

export const tool = (name: string, args: unknown, result: unknown, more: object = {}): MaterialEvent => ({
  type: 'tool_call',
  data: { name, arguments: args, result, ok: true, started_ms: 6_000, ended_ms: 6_400, ...more },
});

export const keys = (digits: string, at_ms: number): MaterialEvent => ({ type: 'dtmf_input', data: { digits, at_ms } });

export const TURNS = [
  turn('agent', 'ACME, good morning. Who is calling?', 0),
  turn('callee', 'Ada Smith. I want to move my appointment to Friday.', 2_000),
  turn('agent', 'Please enter your customer number.', 4_000),
];

/** An answered call with these events. */
export function material(
  events: readonly MaterialEvent[] = TURNS,
  call: Partial<CallMaterial['call']> = {},
): CallMaterial {
  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 23, 9, 0, seconds));
  const row: CallMaterial['call'] = {
    ...({ status: 'completed', direction: 'inbound', hangup_cause: 'agent_hangup', ended_by: 'agent' } as const),
    ...({ answered_by: 'human', answering_machine: null, from_number: '+15550001111' } as const),
    ...{ to_number: '+15550002222', transfers: [], variables: null, metadata: null, summary: 'The call.' },
    ...{ answered_at: at(0), ended_at: at(42) },
  };
  return { call: { ...row, ...call }, events };
}

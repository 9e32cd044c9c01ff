import type { ChargedSimulation } from '@app/agents';

/** The stored result of a conversation. */
export type ConversationReport = Pick<
  ChargedSimulation,
  | 'steps'
  | 'checks'
  | 'rubric'
  | 'transcript'
  | 'usage'
  | 'end'
  | 'error'
  | 'conversationMs'
  | 'durationMs'
  | 'costMicros'
> & { toolCalls: { name: string; arguments: unknown; result: unknown; ok: boolean; started_ms: number }[] };

/** Characters of JSON of the arguments and of the result of a tool call. */
const LONGEST_VALUE = 4_000;
const MOST_TOOL_CALLS = 200;

/** Arguments and results of tools may be large; a report keeps their beginning. */
export function reportOf(result: ChargedSimulation): ConversationReport {
  const { steps, checks, rubric, transcript, usage, end, error, conversationMs, durationMs, costMicros } = result;
  const toolCalls = result.toolCalls.slice(0, MOST_TOOL_CALLS).map((call) => ({
    name: call.name,
    arguments: shortened(call.arguments),
    result: shortened(call.result),
    ok: call.ok,
    started_ms: call.started_ms,
  }));
  return { steps, checks, rubric, transcript, usage, end, error, conversationMs, durationMs, costMicros, toolCalls };
}

function shortened(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= LONGEST_VALUE ? (value ?? null) : `${text.slice(0, LONGEST_VALUE)}…`;
}

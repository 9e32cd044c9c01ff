import type { ChargedSimulation } from '../../simulations.service.js';
import { ConversationSecrets, type Redaction, type Speaker, type Utterance } from '@app/privacy';

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
const MAX_VALUE_LENGTH = 4_000;
const MAX_TOOL_CALLS = 200;

/**
 * Arguments and results of tools may be large; a report keeps their beginning. It is judged by what was said, and stored without what the
 * redaction of the agent removes.
 */
export function reportOf(judged: ChargedSimulation, redaction: Redaction | null): ConversationReport {
  const result = redaction ? withoutSecrets(judged, new ConversationSecrets(redaction)) : judged;
  const { steps, checks, rubric, transcript, usage, end, error, conversationMs, durationMs, costMicros } = result;
  const toolCalls = result.toolCalls.slice(0, MAX_TOOL_CALLS).map((call) => ({
    name: call.name,
    arguments: shorten(call.arguments),
    result: shorten(call.result),
    ok: call.ok,
    started_ms: call.started_ms,
  }));
  return { steps, checks, rubric, transcript, usage, end, error, conversationMs, durationMs, costMicros, toolCalls };
}

/** Words, arguments and results. Times and names of the scenario stay. */
function withoutSecrets(result: ChargedSimulation, secrets: ConversationSecrets): ChargedSimulation {
  const utterances = new Map<object, Utterance>();
  for (const { from, speaker, text: said } of inOrder(result)) utterances.set(from, secrets.add(speaker, said));
  secrets.closeAll();
  const text = (said: string): string => secrets.redact(said).text;
  const value = (given: unknown): unknown => secrets.redactValue(given).value;
  return {
    ...result,
    // Once more: an earlier turn may hold what a later one showed to be a secret.
    transcript: result.transcript.map((turn) => ({
      ...turn,
      text: text(utterances.get(turn)?.redacted.text ?? turn.text),
    })),
    toolCalls: result.toolCalls.map((call) => ({
      ...call,
      arguments: value(call.arguments),
      result: value(call.result),
    })),
    steps: result.steps.map((step) => ({
      ...step,
      said: step.said.map(text),
      failures: step.failures.map(text),
    })),
    checks: result.checks.map((check) => ({ ...check, failures: check.failures.map(text) })),
    rubric:
      result.rubric?.map((answer) => ({
        ...answer,
        value: typeof answer.value === 'string' ? text(answer.value) : answer.value,
        reason: text(answer.reason),
        evidence: answer.evidence.map((one) => ({ ...one, quote: text(one.quote) })),
      })) ?? null,
    error: result.error === null ? null : text(result.error),
  };
}

interface Said {
  /** The turn or the input. */
  from: object;
  speaker: Speaker;
  text: string;
}

/** What was said and pressed. Keys are read one by one; they come before the answer of the agent that has the same time. */
function inOrder({ transcript, keys }: Pick<ChargedSimulation, 'transcript' | 'keys'>): Said[] {
  const pressed = keys.map((from) => ({
    ...{ from, atMs: from.at_ms, speaker: 'keys' as const },
    text: from.digits.split('').join(' '),
  }));
  const spoken = transcript.map((from) => ({
    ...{ from, atMs: from.started_ms, speaker: from.role === 'agent' ? ('agent' as const) : ('user' as const) },
    text: from.text,
  }));
  return [...pressed, ...spoken].toSorted((a, b) => a.atMs - b.atMs);
}

function shorten(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= MAX_VALUE_LENGTH ? (value ?? null) : `${text.slice(0, MAX_VALUE_LENGTH)}…`;
}

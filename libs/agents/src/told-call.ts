import { type SessionEvent, type ToolCallFact, transcriptOf } from '@app/voice';

/** About 15,000 tokens; of a longer call the beginning and the end say the most. */
const LONGEST = 60_000;
const LONGEST_RESULT = 500;

interface Line {
  atMs: number;
  text: string;
}

/** A call in words, for a model that sums it up: turns, keys and tools in their order. Undefined: nobody said anything. */
export function toldCall(events: SessionEvent[], farEnd: 'callee' | 'caller'): string | undefined {
  const turns = transcriptOf(events).map((turn): Line => {
    const speaker = turn.role === 'agent' ? 'Agent' : farEnd === 'caller' ? 'Caller' : 'Callee';
    return { atMs: turn.started_ms, text: `${speaker}: ${turn.text}${turn.truncated ? ' [interrupted]' : ''}` };
  });
  if (turns.length === 0) return undefined;
  const lines = [...turns, ...events.flatMap(factLine)].sort((a, b) => a.atMs - b.atMs);
  return shortened(lines.map(({ text }) => text).join('\n'));
}

function factLine(event: SessionEvent): Line[] {
  const { at_ms: atMs } = event;
  if (event.type === 'dtmf_input') return [{ atMs, text: `[Keys pressed: ${event.digits}]` }];
  if (event.type === 'tool_call') return [{ atMs, text: toolLine(event) }];
  if (event.type === 'ended') return [{ atMs, text: `[The call ended: ${event.cause}, by ${event.ended_by}]` }];
  return [];
}

function toolLine({ name, ok, arguments: args, result }: ToolCallFact): string {
  const json = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, LONGEST_RESULT);
  return `[Tool ${name}, called with ${json(args)}, ${ok ? 'gave' : 'failed with'} ${json(result)}]`;
}

const shortened = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST / 2)}\n[…]\n${text.slice(-LONGEST / 2)}`;

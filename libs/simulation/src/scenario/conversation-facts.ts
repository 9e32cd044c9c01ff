import type { SessionEvent, SessionFact, ToolCallFact } from '@app/voice';
import type { Expectation, Moment, WantedCall } from '@app/agents/scenarios';

const MAX_QUOTE_LENGTH = 300;

export const ofType = <T extends SessionFact['type']>(
  events: readonly SessionEvent[],
  type: T,
): Extract<SessionEvent, { type: T }>[] =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);

/** The finished turns of the agent. */
export const agentTurns = (events: readonly SessionEvent[]): Extract<SessionEvent, { type: 'turn' }>[] =>
  ofType(events, 'turn').filter(({ role }) => role === 'agent');

/** The steps that the conversation entered, and the values that it collected, the latest of each name. */
export function flowOf(events: readonly SessionEvent[]): { path: string[]; values: Map<string, unknown> } {
  const path: string[] = [];
  const values = new Map<string, unknown>();
  for (const event of events as readonly FlowEvent[]) {
    if (event.type === 'step_entered') path.push(String(event.step));
    if (event.type === 'values_collected')
      for (const [name, value] of Object.entries(event.values ?? {})) values.set(name, value);
  }
  return { path, values };
}

interface FlowEvent {
  type: string;
  step?: unknown;
  values?: Record<string, unknown>;
}

/** Case and white space do not count for `contains`. */
export function isSaid(expected: Expectation, heard: string): boolean {
  if ('any_of' in expected) return expected.any_of.some((one) => isSaid(one, heard));
  if ('contains' in expected) return plain(heard).includes(plain(expected.contains));
  return expected.matches.test(heard);
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim();

export function spelt(expected: Expectation): string {
  if ('any_of' in expected) return `any of ${expected.any_of.map(spelt).join(', ')}`;
  return 'contains' in expected ? quote(expected.contains) : `words that match ${quote(String(expected.matches))}`;
}

export const quote = (text: string): string =>
  text === ''
    ? 'nothing.'
    : JSON.stringify(text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text);

/** Objects may have further fields; lists and values must be equal. */
export function isPartOf(wanted: unknown, actual: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(actual) &&
      wanted.length === actual.length &&
      wanted.every((one, n) => isPartOf(one, (actual as unknown[])[n]))
    );
  if (typeof wanted !== 'object' || wanted === null) return wanted === actual;
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return false;
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(actual, key) && isPartOf(value, (actual as Record<string, unknown>)[key]),
  );
}

export const isWantedCall = (
  { tool, arguments: wanted = {}, ok }: WantedCall,
  call: Pick<ToolCallFact, 'name' | 'arguments' | 'ok'>,
): boolean => call.name === tool && isPartOf(wanted, call.arguments) && (ok === undefined || call.ok === ok);

/** The first event in which the moment happens. Its time is the beginning of the turn or the tool call. */
export function happened(moment: Moment, events: readonly SessionEvent[]): { atMs: number; index: number } | undefined {
  const index = events.findIndex((event) => isMoment(moment, event));
  const event = events[index];
  if (!event) return undefined;
  return { atMs: 'started_ms' in event ? event.started_ms : event.at_ms, index };
}

function isMoment(moment: Moment, event: SessionEvent): boolean {
  if ('calls' in moment) return event.type === 'tool_call' && isWantedCall(moment.calls, event);
  if ('says' in moment) return event.type === 'turn' && event.role === 'agent' && isSaid(moment.says, event.text);
  if (event.type === 'dtmf_input') return isSaid(moment.hears, event.digits);
  return event.type === 'turn' && event.role === 'callee' && isSaid(moment.hears, event.text);
}

/** As the subject and verb of a sentence: `the agent said "three euros"`. */
export function momentSentence(moment: Moment): string {
  if ('says' in moment) return `the agent said ${spelt(moment.says)}`;
  if ('hears' in moment) return `the caller said ${spelt(moment.hears)}`;
  const { tool, arguments: wanted, ok } = moment.calls;
  const how = ok === undefined ? '' : ok ? ' with success' : ' without success';
  return `the agent called ${tool}${wanted ? ` with ${JSON.stringify(wanted)}` : ''}${how}`;
}

import { span, words } from './format.js';
import type { CallEvent, CallTurnWords, Passage } from '../api/types.js';

interface At {
  /** Stable identity of the entry while its data grows. */
  key: string;
  /** Milliseconds since the answer. */
  atMs: number;
}

type Role = 'agent' | 'far' | 'supervisor';

export type Entry = At &
  (
    | {
        kind: 'turn';
        role: Role;
        /** Of a supervisor. */
        name?: string;
        text: string;
        endMs: number;
        cutBy: string | undefined;
        answeredMs?: number;
        steps?: string;
      }
    | { kind: 'speaking'; role: Role; name?: string; text: string }
    | { kind: 'tool'; name: string; given: unknown; result: unknown; ok: boolean; tookMs: number }
    | { kind: 'search'; query: string; passages: Passage[]; ok: boolean; tookMs: number }
    | { kind: 'keys'; digits: string; sent: boolean }
    | { kind: 'note'; text: string; isBad: boolean }
  );

const SEARCH = 'search_knowledge_base';

const turnKey = (turn: unknown): string => `turn-${String(turn)}`;

/** The API names the user `callee` or `caller`, depending on the direction of the call. */
const roleOf = (role: unknown): Role => (role === 'agent' || role === 'supervisor' ? role : 'far');

const speakerName = (data: CallEvent['data']): { name?: string } =>
  data['role'] === 'supervisor' && typeof data['name'] === 'string' ? { name: data['name'] } : {};

/** Turns, tool calls, keys and notes of a call, sorted by their start. `spoken`: the words of running turns. Skips events of unknown types. */
export function conversationOf(
  events: readonly CallEvent[],
  spoken: ReadonlyMap<number, CallTurnWords> = new Map(),
): Entry[] {
  const entries = new Map<string, Entry>();
  const cuts: { atMs: number; by: string }[] = [];
  let keys: Extract<Entry, { kind: 'keys' }> | undefined;
  for (const event of events) {
    const atMs = numberOf(event.data['at_ms']);
    if (event.type === 'dtmf_received') {
      keys ??= { kind: 'keys', key: `keys-${event.seq}`, atMs, digits: '', sent: false };
      keys = { ...keys, digits: keys.digits + textOf(event.data['digit']) };
      entries.set(keys.key, keys);
    } else if (event.type === 'dtmf_input') {
      const whole = keys ?? { kind: 'keys' as const, key: `keys-${event.seq}`, atMs, sent: false };
      entries.set(whole.key, { ...whole, digits: textOf(event.data['digits']) });
      keys = undefined;
    } else if (event.type === 'interrupted') cuts.push({ atMs, by: textOf(event.data['by']) });
    else {
      const entry = entryOf(event, atMs, cuts);
      if (entry && !(entry.kind === 'speaking' && entries.has(entry.key))) entries.set(entry.key, entry);
    }
  }
  for (const { data } of spoken.values()) {
    const running = { key: turnKey(data.turn), atMs: data.started_ms, role: roleOf(data.role), text: data.text };
    if (entries.get(running.key)?.kind !== 'turn') entries.set(running.key, { kind: 'speaking', ...running });
  }
  return [...entries.values()].toSorted((one, other) => one.atMs - other.atMs);
}

function entryOf(event: CallEvent, atMs: number, cuts: readonly { atMs: number; by: string }[]): Entry | undefined {
  const { type, data, seq } = event;
  const startedMs = numberOf(data['started_ms'], atMs);
  const turn = turnKey(data['turn']);
  if (type === 'turn_started')
    return { kind: 'speaking', key: turn, atMs: startedMs, role: roleOf(data['role']), ...speakerName(data), text: '' };
  if (type === 'turn') {
    const endMs = numberOf(data['ended_ms'], startedMs);
    const cutBy =
      data['truncated'] === true ? (cuts.findLast((cut) => cut.atMs >= startedMs)?.by ?? 'speech') : undefined;
    return {
      kind: 'turn',
      key: turn,
      atMs: startedMs,
      endMs,
      role: roleOf(data['role']),
      ...speakerName(data),
      text: textOf(data['text']),
      cutBy,
      ...answeredIn(data['latency']),
    };
  }
  if (type === 'tool_call') return toolEntry(event, startedMs);
  if (type === 'dtmf_sent')
    return { kind: 'keys', key: `sent-${seq}`, atMs, digits: textOf(data['digits']), sent: true };
  const text = noteOf(type, data);
  return text === undefined ? undefined : { kind: 'note', key: `note-${seq}`, atMs, text, isBad: BAD.has(type) };
}

function toolEntry({ data, seq }: CallEvent, atMs: number): Entry {
  const [name, ok] = [textOf(data['name']), data['ok'] === true];
  const tookMs = Math.max(0, numberOf(data['ended_ms'], atMs) - atMs);
  const given = data['arguments'];
  const at = { key: `tool-${seq}`, atMs, ok, tookMs };
  if (name !== SEARCH) return { ...at, kind: 'tool', name, given, result: data['result'] };
  const { results } = (data['result'] ?? {}) as { results?: Passage[] };
  const { query, queries = [query] } = (given ?? {}) as { query?: unknown; queries?: unknown[] };
  return {
    ...at,
    kind: 'search',
    query: [queries].flat().map(textOf).join(' · '),
    passages: Array.isArray(results) ? results : [],
  };
}

const REPORTED: Record<string, string> = {
  progress: 'reported its progress',
  completed: 'its result arrived',
  failed: 'reported a failure',
};

const BAD = new Set(['error', 'provider_lost', 'header_dropped', 'variables_missing', 'command_failed']);

function noteOf(type: string, data: CallEvent['data']): string | undefined {
  const say: Record<string, () => string> = {
    hold: () => 'Put on hold',
    resume: () => 'Taken off hold',
    idle_prompt: () => 'Silence: the agent asks if the user is still there',
    time_warning: () => `${Math.round(numberOf(data['remaining_ms']) / 1_000)} s left before the maximum duration`,
    answered_by: () => `Answered by ${textOf(data['answered_by'])} (${words(textOf(data['reason'])).toLowerCase()})`,
    early_media: () => `Early media: answering machine (${words(textOf(data['reason'])).toLowerCase()})`,
    screening_answered: () => 'Call screening: the agent says who is calling',
    beep: () => 'Voicemail beep',
    message_started: () => 'The agent leaves its voicemail message',
    transfer: () => `Transfer: ${words(textOf(data['status'])).toLowerCase()}${causeOf(data['hangup_cause'])}`,
    header_dropped: () => `Header ${textOf(data['header'])} was not sent: ${textOf(data['reason'])}`,
    pre_call_webhook: () =>
      `Pre-call webhook: ${words(textOf(data['outcome'])).toLowerCase()}${reasonOf(data['reason'])}`,
    queue_position: () => `Queue position ${textOf(data['position'])}`,
    queue_left: () => `Left the queue: ${words(textOf(data['outcome'])).toLowerCase()}`,
    postponed: () => 'Postponed: outside the calling window',
    compliance_checked: () =>
      data['result'] === 'allowed'
        ? 'Compliance check passed'
        : `Not dialled: ${words(textOf(data['result'])).toLowerCase()}`,
    tool_result: () => `Tool ${words(textOf(data['name']))}: ${REPORTED[textOf(data['status'])] ?? 'reported'}`,
    variables_missing: () => `Missing variables: ${[data['names']].flat().map(textOf).join(', ')}`,
    provider_lost: () => 'Voice provider disconnected',
    provider_restored: () => 'Voice provider reconnected',
    recording_consent: () => `Recording consent: ${words(textOf(data['result'])).toLowerCase()}`,
    disclosure_played: () =>
      Number(data['heard_ms']) < Number(data['of_ms'])
        ? `Disclosure heard in part: ${seconds(data['heard_ms'])} of ${seconds(data['of_ms'])}`
        : 'Disclosure heard completely',
    guardrail_hit: () => `Rule ${textOf(data['name'])} applied (${textOf(data['action'])}): ${textOf(data['words'])}`,
    step_entered: () => `Step ${textOf(data['step'])}`,
    values_collected: () => `Collected: ${valuesIn(data['values'])}`,
    handed_over: () => `${textOf(data['to_agent_name'])} takes over${reasonOf(data['reason'] || undefined)}`,
    recording_paused: () => 'Recording paused',
    recording_resumed: () => 'Recording resumed',
    command_done: () => `Command ${textOf(data['command_type']).replaceAll('_', ' ')}: done`,
    command_failed: () =>
      `Command ${textOf(data['command_type']).replaceAll('_', ' ')} failed: ${textOf(data['message'])}`,
    listener_joined: () => `${personOf(data)} listens`,
    listener_left: () => `${personOf(data)} stopped listening`,
    took_over: () => `${personOf(data)} took over: the agent is silent`,
    handed_back: () => (GIVEN_BACK[textOf(data['reason'])] ?? GIVEN_BACK.handed_back)(personOf(data)),
    error: () => `Agent error: ${words(textOf(data['code'])).toLowerCase()}${reasonOf(data['reason'])}`,
    ended: () => `The conversation ended: ${words(textOf(data['cause'])).toLowerCase()}`,
  };
  return say[type]?.();
}

/** Milliseconds of an event as seconds. */
const seconds = (ms: unknown): string => `${(Number(ms) / 1_000).toFixed(1)} s`;

const valuesIn = (values: unknown): string =>
  Object.entries(values ?? {})
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(', ');

const STEPS = [
  ['endpoint_ms', 'end of turn detected'],
  ['first_token_ms', 'first token'],
  ['first_audio_ms', 'first audio'],
  ['heard_ms', 'sent to the phone'],
] as const;

/** From the end of the user's input until the agent was heard, and the steps on the way. */
function answeredIn(latency: unknown): { answeredMs?: number; steps?: string } {
  const times = (latency ?? {}) as Record<string, unknown>;
  const heardMs = times['heard_ms'];
  if (typeof heardMs !== 'number') return {};
  const known = STEPS.flatMap(([name, label]) =>
    typeof times[name] === 'number' ? [`${label} ${span(times[name])}`] : [],
  );
  return { answeredMs: heardMs, steps: known.join(', ') };
}

/** Why the agent has the line again. */
const GIVEN_BACK: { handed_back: (name: string) => string } & Record<string, ((name: string) => string) | undefined> = {
  handed_back: (name) => `${name} handed the call back to the agent`,
  disconnected: (name) => `The connection of ${name} was lost: the agent continues`,
  no_audio: (name) => `No audio arrived from ${name}: the agent continues`,
  silence: (name) => `${name} was silent: the agent continues`,
};

/** Everybody at the console has a name, and programs have their token's. */
const personOf = ({ name }: CallEvent['data']): string => (typeof name === 'string' && name !== '' ? name : 'A person');
const reasonOf = (reason: unknown): string => (typeof reason === 'string' ? ` (${reason})` : '');
const causeOf = (cause: unknown): string => (typeof cause === 'string' ? `, ${words(cause).toLowerCase()}` : '');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown, otherwise = 0): number => (typeof value === 'number' ? value : otherwise);

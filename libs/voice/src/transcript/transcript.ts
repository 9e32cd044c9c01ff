import type { SessionEvent, TurnRole } from '../session-events.js';

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

/** One turn of the conversation as played; times in milliseconds from the answer. */
export interface TranscriptTurn {
  role: TurnRole;
  text: string;
  started_ms: number;
  ended_ms: number;
  /** The agent had more to say and was interrupted. */
  truncated: boolean;
}

/** The transcript of a call, in the order in which the turns began. */
export function transcriptOf(events: SessionEvent[]): TranscriptTurn[] {
  return events
    .filter((event) => event.type === 'turn')
    .map(({ role, text, started_ms, ended_ms, truncated }) => ({ role, text, started_ms, ended_ms, truncated }))
    .sort((a, b) => a.started_ms - b.started_ms);
}

/** The text of a turn without transcription: its duration, never invented words. */
export const speechOf = (durationMs: number): string => `[speech ${(durationMs / 1000).toFixed(1)} s]`;

/**
 * The part of `text` that was heard when `playedMs` of `generatedMs` were played: words in proportion to the time, a partly
 * played word included. Word boundaries follow Unicode, including scripts without spaces.
 */
export function heardPart(text: string, playedMs: number, generatedMs: number): string {
  if (playedMs <= 0) return '';
  if (playedMs >= generatedMs) return text.trim();
  const end = (text.length * playedMs) / generatedMs;
  const heard = [...WORDS.segment(text)].filter((word) => word.index < end);
  return heard
    .map((word) => word.segment)
    .join('')
    .trim();
}

/** The longest quoted sentence; some models write text without sentence ends. */
const MAX_QUOTE_LENGTH = 300;

/**
 * A plain-text summary of a call's events, for calls without a text model: durations, turns, keys, tools, the agent's first and
 * last sentence, and the end. `remoteParty`: the name of the remote party.
 */
export function summaryOf(events: SessionEvent[], remoteParty: 'callee' | 'caller' = 'callee'): string {
  const turns = transcriptOf(events);
  const agent = turns.filter((turn) => turn.role === 'agent');
  const user = turns.filter((turn) => turn.role === 'callee');
  return [
    `The agent spoke ${spoken(agent)}, the ${remoteParty} ${spoken(user)}.`,
    keysPressed(events),
    toolsUsed(events),
    ...edgesOf(agent),
    howItEnded(events, remoteParty),
  ]
    .filter(Boolean)
    .join(' ');
}

function spoken(turns: TranscriptTurn[]): string {
  if (turns.length === 0) return 'not at all';
  const seconds = turns.reduce((total, turn) => total + turn.ended_ms - turn.started_ms, 0) / 1000;
  return `${seconds.toFixed(1)} s in ${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}`;
}

function keysPressed(events: SessionEvent[]): string {
  const inputs = events.filter((event) => event.type === 'dtmf_input').map((event) => event.digits);
  return inputs.length > 0 ? `Keys pressed: ${inputs.join(', ')}.` : '';
}

function toolsUsed(events: SessionEvent[]): string {
  const calls = events.filter((event) => event.type === 'tool_call');
  const names = calls.map((call) => (call.ok ? call.name : `${call.name} (failed)`));
  return names.length > 0 ? `Tools used: ${names.join(', ')}.` : '';
}

function edgesOf(agent: TranscriptTurn[]): string[] {
  const first = sentencesOf(agent[0]?.text)[0];
  const last = sentencesOf(agent.at(-1)?.text).at(-1);
  if (!first) return [];
  return last && last !== first ? [`It began: "${first}"`, `It closed: "${last}"`] : [`It said: "${first}"`];
}

function sentencesOf(text = ''): string[] {
  return text
    .split(/(?<=[.!?。！？])\s*/u)
    .map((sentence) => shorten(sentence.trim()))
    .filter(Boolean);
}

const shorten = (sentence: string): string =>
  sentence.length > MAX_QUOTE_LENGTH ? `${sentence.slice(0, MAX_QUOTE_LENGTH)}…` : sentence;

const ENDINGS: Record<string, string> = {
  agent_hangup: 'The agent ended the call.',
  answering_machine: 'An answering machine had picked up, and the call was ended.',
  message_left: 'An answering machine had picked up, and the agent left its message.',
  recording_refused: 'The call ended because it could not be recorded.',
  max_duration: 'The longest permitted duration was reached.',
  agent_provider_error: 'The call ended because the agent was lost.',
  media_timeout: 'The call ended because no audio arrived any more.',
  session_expired: 'The call ended because the session expired.',
  transferred: 'The call was transferred.',
  cancelled: 'The call was ended by a request.',
  drained: 'The call ended because the service was stopped.',
  media_address_refused: 'The call ended because no audio arrived from an allowed address.',
  worker_lost: 'The call ended because its process was lost.',
};

function howItEnded(events: SessionEvent[], remoteParty: string): string {
  const end = events.findLast((event) => event.type === 'ended');
  if (end?.type !== 'ended') return '';
  if (end.cause !== 'normal_clearing') return ENDINGS[end.cause] ?? '';
  return end.ended_by === 'api' ? ENDINGS.cancelled! : `The ${remoteParty} hung up.`;
}

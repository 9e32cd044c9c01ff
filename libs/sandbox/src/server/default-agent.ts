import type { AgentProfile } from '@app/voice';

/** An event for the agent. */
export type Input =
  | { kind: 'opening' }
  /** The user spoke this long. */
  | { kind: 'speech'; seconds: number }
  | { kind: 'digits'; digits: string }
  /** Typed text of a simulation. */
  | { kind: 'text'; text: string }
  /** `failed`: the tool returned an error. */
  /** A note that the user does not hear. */
  | { kind: 'note'; text: string }
  | { kind: 'tool_result'; failed: boolean }
  /** The best passage first. */
  | { kind: 'found'; query: string; passages: Found[] }
  /** A new connection continues a conversation. */
  | { kind: 'resumed' };

/** A passage, with the fields that the agent reads out. */
export interface Found {
  title: string;
  text: string;
}

export interface ScriptState {
  /** Utterances heard so far. */
  heard: number;
  /** The user spoke over the agent, and the agent has not apologised yet. */
  interrupted: boolean;
  /** The agent has the tool `call_transfer`. */
  canTransfer: boolean;
  /** The agent briefs a person about a transfer. */
  canAccept: boolean;
  /** The agent has the tool `search_knowledge_base`. */
  canSearch: boolean;
}

export interface Reply {
  say: string;
  /** The tool that the agent calls after it. */
  then?: 'end_call' | 'call_transfer' | 'accept_transfer';
  /** The query that the agent passes to `search_knowledge_base` after it. */
  lookUp?: string;
}

/** The agent says goodbye after this utterance. */
const LAST_UTTERANCE = 4;
const MAX_QUOTE_LENGTH = 160;
const SENTENCE_END = /(?<=[.!?。！？])\s+|\n+/u;
const KEYS: Record<string, string> = { '*': 'star', '#': 'pound' };

/**
 * The next reply of the sandbox agent. It never claims to have understood words. Keys: `0` reads the instructions, `*` repeats the
 * greeting, `8` transfers the call when the agent may, `9` ends it; a number of two digits or more, ended with `#` or a pause, is
 * looked up when the agent has knowledge bases; the agent names every other key. In a briefing any speech counts as a yes.
 */
export function replyTo(input: Input, agent: AgentProfile, state: ScriptState): Reply {
  switch (input.kind) {
    case 'opening':
      return stay(greetingOf(agent));
    case 'speech':
      return toSpeech(input.seconds, agent, state);
    case 'digits':
      return toKeys(input.digits, agent, state);
    case 'text':
      return toText(input.text, state);
    case 'note':
      return stay(`I was just informed: ${quote(input.text)}.`);
    case 'tool_result':
      return stay(input.failed ? 'I am sorry, that did not work.' : 'That is done. What else can I do for you?');
    case 'found':
      return stay(answerFrom(input.passages, input.query));
    default:
      return stay('Sorry, I was away for a moment. Please go on.');
  }
}

function toSpeech(seconds: number, agent: AgentProfile, state: ScriptState): Reply {
  if (state.canAccept) return { say: '', then: 'accept_transfer' };
  const sorry = state.interrupted ? 'Sorry, I did not mean to talk over you. ' : '';
  if (state.heard >= LAST_UTTERANCE) return leave(`${sorry}Thank you for talking with ${agent.name}. Goodbye.`);
  return stay(sorry + (answers(seconds, agent, state)[state.heard - 1] ?? ''));
}

/** The turns of a conversation, in order. */
function answers(seconds: number, agent: AgentProfile, { canSearch }: ScriptState): string[] {
  const heard = inSeconds(seconds);
  return [
    `Thank you, I heard you speak for ${heard}. I am ${agent.name}, a sandbox agent, and I cannot understand words yet. ` +
      `Press any key and I will tell you which one. ${canSearch ? 'Type a number and pound, and I will look it up. ' : ''}` +
      'Press zero to hear my task, or nine to end the call.',
    `I heard you for another ${heard}. ${taskOf(agent)}`,
    `Thank you, that was ${heard}. If there is nothing else, press nine to end the call.`,
  ];
}

/** Questions are looked up when the agent has knowledge bases. */
function toText(text: string, { canSearch }: ScriptState): Reply {
  return canSearch && text.includes('?') ? lookUp(text) : stay(`You wrote: ${quote(text)}.`);
}

/** Silent: the answer arrives in milliseconds, and a pause in between would invite the user to speak. */
const lookUp = (query: string): Reply => ({ say: '', lookUp: query });

function answerFrom([best]: Found[], query: string): string {
  if (!best) return 'I found nothing about that.';
  return `I found this in ${quote(best.title)}. ${quote(sentenceWith(query, best.text))}.`;
}

/** The longest sentence with the query, because a table contains the number alone as well; otherwise the whole passage. */
function sentenceWith(query: string, text: string): string {
  const sentences = text.split(SENTENCE_END).filter((sentence) => sentence.includes(query));
  return sentences.sort((a, b) => b.length - a.length)[0] ?? text;
}

function toKeys(digits: string, agent: AgentProfile, state: ScriptState): Reply {
  if (digits === '0') return stay(`You pressed zero. ${taskOf(agent)}`);
  if (digits === '*') return stay(greetingOf(agent));
  if (digits === '8' && state.canTransfer) return { say: 'One moment, I am connecting you.', then: 'call_transfer' };
  if (digits === '9') return leave(`You pressed nine. Thank you for talking with ${agent.name}. Goodbye.`);
  if (state.canSearch && /^\d{2,}$/.test(digits)) return lookUp(digits);
  const names = Array.from(digits)
    .map((digit) => KEYS[digit] ?? digit)
    .join(', ');
  return stay(digits.length === 1 ? `You pressed the key ${names}.` : `You pressed the keys ${names}.`);
}

const greetingOf = (agent: AgentProfile): string => agent.greeting.trim() || `Hello, this is ${agent.name}.`;

const taskOf = (agent: AgentProfile): string =>
  agent.instructions.trim() ? `My task is: ${quote(agent.instructions)}.` : 'I was given no task.';

/** The first sentence, without its full stop, cut at a word. */
function quote(text: string): string {
  const sentence = text.trim().split(/(?<=[.!?。！？])\s*/u)[0] ?? '';
  const short =
    sentence.length > MAX_QUOTE_LENGTH ? sentence.slice(0, MAX_QUOTE_LENGTH).replace(/\s\S*$/, '') : sentence;
  return short.replace(/[.!?。！？]+$/u, '');
}

/** Whole seconds, so that the speech cache soon holds every clip. */
function inSeconds(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole === 1 ? 'one second' : `${whole} seconds`;
}

const stay = (say: string): Reply => ({ say });
const leave = (say: string): Reply => ({ say, then: 'end_call' });

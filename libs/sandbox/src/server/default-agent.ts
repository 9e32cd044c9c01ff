import type { AgentProfile } from '@app/voice';

/** What the scripted agent reacts to. */
export type Input =
  | { kind: 'opening' }
  /** The callee spoke this long. */
  | { kind: 'speech'; seconds: number }
  | { kind: 'digits'; digits: string }
  /** Somebody typed: a text simulation, or a note to the agent. */
  | { kind: 'text'; text: string }
  /** `failed`: the tool said why it could not. */
  | { kind: 'tool_result'; failed: boolean }
  /** The best passage first. */
  | { kind: 'found'; query: string; passages: Found[] }
  /** The connection is a new one in a conversation that had begun. */
  | { kind: 'resumed' };

/** A passage, as far as it is read out. */
export interface Found {
  title: string;
  text: string;
}

export interface ScriptState {
  /** Utterances heard so far. */
  heard: number;
  /** The callee spoke over the agent, and the agent has not excused itself yet. */
  interrupted: boolean;
  /** The agent has the tool `call_transfer`. */
  canTransfer: boolean;
  /** The agent has the tool `search_knowledge_base`. */
  canSearch: boolean;
}

export interface Reply {
  say: string;
  /** The tool that the agent calls after it. */
  then?: 'end_call' | 'call_transfer';
  /** What it looks up after it, with `search_knowledge_base`. */
  lookUp?: string;
}

/** Answers before the agent takes its leave. */
const LAST_UTTERANCE = 4;
const LONGEST_QUOTE = 160;
const SENTENCE_END = /(?<=[.!?。！？])\s+|\n+/u;
const KEYS: Record<string, string> = { '*': 'star', '#': 'pound' };

/**
 * What the sandbox agent says next. It never claims to have understood words. Keys: `0` tells its instructions, `*`
 * repeats the greeting, `8` transfers the call when the agent may, `9` ends it; a number of two digits or more, ended with `#` or a
 * pause, is looked up when the agent has knowledge bases; it names every other key it heard.
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
    case 'tool_result':
      return stay(input.failed ? 'I am sorry, that did not work.' : 'That is done. What else can I do for you?');
    case 'found':
      return stay(answerFrom(input.passages, input.query));
    default:
      return stay('Sorry, I was away for a moment. Please go on.');
  }
}

function toSpeech(seconds: number, agent: AgentProfile, state: ScriptState): Reply {
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

/** A question is looked up, if there is where. */
function toText(text: string, { canSearch }: ScriptState): Reply {
  return canSearch && text.includes('?') ? lookUp(text) : stay(`You wrote: ${quoted(text)}.`);
}

/** Without a word: the answer is there in milliseconds, and a pause in between would invite the callee to speak. */
const lookUp = (query: string): Reply => ({ say: '', lookUp: query });

function answerFrom([best]: Found[], query: string): string {
  if (!best) return 'I found nothing about that.';
  return `I found this in ${quoted(best.title)}. ${quoted(sentenceWith(query, best.text))}.`;
}

/** The longest, because a table has the number alone as well; or the first, when the passage answers in words of its own. */
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
  agent.instructions.trim() ? `My task is: ${quoted(agent.instructions)}.` : 'I was given no task.';

/** The first sentence, without its full stop, cut at a word. */
function quoted(text: string): string {
  const sentence = text.trim().split(/(?<=[.!?。！？])\s*/u)[0] ?? '';
  const short = sentence.length > LONGEST_QUOTE ? sentence.slice(0, LONGEST_QUOTE).replace(/\s\S*$/, '') : sentence;
  return short.replace(/[.!?。！？]+$/u, '');
}

/** Whole seconds: the clips for them are soon in the cache. */
function inSeconds(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole === 1 ? 'one second' : `${whole} seconds`;
}

const stay = (say: string): Reply => ({ say });
const leave = (say: string): Reply => ({ say, then: 'end_call' });

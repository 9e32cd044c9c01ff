import { heardPart } from '../../transcript/transcript.js';
import type { HistoryTurn } from '../voice-provider.js';
import type { ModelMessage, TimedWord } from './ports.js';

/** A part of the agent's speech as it was delivered. */
export interface DeliveredPart {
  /** The written form. */
  text: string;
  /** The audio so far. */
  audioMs: number;
  /** Times in the audio of this part; empty: the synthesizer has none. */
  words: readonly TimedWord[];
  isComplete: boolean;
}

interface ToolCall {
  id: string;
  name: string;
  arguments: string;
  result?: string;
}

interface AgentEntry {
  role: 'assistant';
  itemId: string;
  parts: DeliveredPart[];
  calls: ToolCall[];
  /** Said while the calls of this entry ran: the vendors accept no words between calls and results. */
  during?: AgentEntry;
  /** The text that was heard; absent: all parts. */
  heard?: string;
}

type Entry = { role: 'user' | 'system'; text: string } | AgentEntry;

const INTERRUPTED = '[interrupted]';
/** The model needs a result of every call; the real one replaces it. */
const PENDING = JSON.stringify({ status: 'running', message: 'The result is not there yet.' });
/** A model answers the user, and not itself. */
const YOUR_TURN = 'It is your turn to speak.';
const CONTINUE =
  'Your answer was cut off after these words. Continue with the words that follow, and repeat none of them.';

/** Longer conversations lose their beginning, in characters: about 15,000 tokens. A quarter at a time, for the vendors' caches of it. */
const MAX_LENGTH = 60_000;
const KEPT = 45_000;

/** What the model remembers: the words that were heard, and the tools. */
export class Dialogue {
  private readonly entries: Entry[];

  constructor(history: readonly HistoryTurn[]) {
    this.entries = history.map(({ role, text }, at) =>
      role === 'agent'
        ? { role: 'assistant', itemId: `history-${at}`, parts: [], calls: [], heard: text }
        : { role, text },
    );
  }

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  user(text: string): void {
    this.entries.push({ role: 'user', text });
  }

  system(text: string): void {
    this.entries.push({ role: 'system', text });
  }

  /** The agent has begun to say something. */
  delivered(itemId: string, part: DeliveredPart): void {
    this.entryOf(itemId).parts.push(part);
  }

  called(itemId: string, call: ToolCall): void {
    this.entryOf(itemId).calls.push(call);
  }

  /** Returns false when no such call was made here. */
  resulted(toolCallId: string, result: string): boolean {
    const call = this.agentEntries.flatMap(({ calls }) => calls).find(({ id }) => id === toolCallId);
    if (call) call.result = result;
    return call !== undefined;
  }

  /** Only the first `playedMs` of the item were heard. */
  truncate(itemId: string, playedMs: number): void {
    const entry = this.agentEntries.find((one) => one.itemId === itemId);
    if (!entry || entry.heard !== undefined) return;
    const heard = heardOf(entry.parts, playedMs);
    entry.heard = heard === '' ? '' : `${heard} ${INTERRUPTED}`;
  }

  /**
   * The conversation for the model. `unconfirmed`: words of the user that are not final. `cutOff`: the model was cut off in this item, after
   * it had said these words.
   */
  messages({
    unconfirmed,
    cutOff,
  }: { unconfirmed?: string; cutOff?: { itemId: string; said: string } } = {}): ModelMessage[] {
    this.forget();
    const entries = this.entries.filter((entry) => !(entry.role === 'assistant' && entry.itemId === cutOff?.itemId));
    const messages = entries.flatMap((entry) => {
      if (entry.role !== 'assistant') return [{ role: entry.role, text: entry.text }];
      if (entry.during && entries.includes(entry.during)) return [];
      const meanwhile = entries.filter((one): one is AgentEntry => one.role === 'assistant' && one.during === entry);
      return agentMessages(entry, meanwhile);
    });
    if (unconfirmed !== undefined) messages.push({ role: 'user', text: unconfirmed });
    if (cutOff) messages.push({ role: 'assistant', text: cutOff.said }, { role: 'system', text: CONTINUE });
    const last = messages.at(-1);
    if (!last || last.role === 'assistant') messages.push({ role: 'system', text: YOUR_TURN });
    return messages;
  }

  private forget(): void {
    let length = this.entries.reduce((sum, entry) => sum + lengthOf(entry), 0);
    if (length <= MAX_LENGTH) return;
    const kept = this.entries.findIndex((entry) => (length -= lengthOf(entry)) <= KEPT) + 1;
    this.entries.splice(0, Math.min(kept, this.entries.length - 1));
  }

  private get agentEntries(): AgentEntry[] {
    return this.entries.filter((entry) => entry.role === 'assistant');
  }

  private entryOf(itemId: string): AgentEntry {
    const known = this.agentEntries.find((entry) => entry.itemId === itemId);
    if (known) return known;
    const last = this.entries.at(-1);
    const caller = last?.role === 'assistant' ? (last.during ?? last) : undefined;
    const isRunning = caller?.calls.some(({ result }) => result === undefined) ?? false;
    const entry: AgentEntry = { role: 'assistant', itemId, parts: [], calls: [], ...(isRunning && { during: caller }) };
    this.entries.push(entry);
    return entry;
  }
}

function lengthOf(entry: Entry): number {
  if (entry.role !== 'assistant') return entry.text.length;
  const { parts, calls, heard } = entry;
  const said = heard?.length ?? parts.reduce((sum, { text }) => sum + text.length, 0);
  return calls.reduce((sum, call) => sum + call.arguments.length + (call.result?.length ?? 0), said);
}

const spokenText = ({ heard, parts }: AgentEntry): string => heard ?? parts.map((part) => part.text).join(' ');

function agentMessages(entry: AgentEntry, meanwhile: readonly AgentEntry[]): ModelMessage[] {
  const text = [entry, ...meanwhile]
    .map(spokenText)
    .filter((spoken) => spoken !== '')
    .join(' ');
  const calls = [entry, ...meanwhile].flatMap((one) => one.calls);
  if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', text }];
  const toolCalls = calls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json }));
  const results = calls.map(({ id, name, result }) => ({ id, name, result: result ?? PENDING }));
  return [
    { role: 'assistant', text, toolCalls },
    { role: 'tool_results', results },
  ];
}

/** The written words of which `playedMs` were heard. */
function heardOf(parts: readonly DeliveredPart[], playedMs: number): string {
  const heard: string[] = [];
  let from = 0;
  for (const part of parts) {
    if (playedMs <= from) break;
    const partMs = playedMs - from;
    heard.push(part.isComplete && partMs >= part.audioMs ? part.text : heardWords(part, partMs));
    from += part.audioMs;
  }
  return heard.join(' ').trim();
}

/** By the times of the words where they are the written ones, else in proportion to the audio. */
function heardWords(part: DeliveredPart, playedMs: number): string {
  const { text, words } = part;
  const written = text.toLowerCase();
  let end = 0;
  for (const word of words) {
    if (word.startMs >= playedMs) break;
    const wanted = word.text.trim().toLowerCase();
    const at = written.indexOf(wanted, end);
    // Spoken forms of the dictionary have other words.
    if (at < 0) return heardPart(text, playedMs, durationOf(part));
    end = at + wanted.length;
  }
  return words.length > 0 ? text.slice(0, end).trim() : heardPart(text, playedMs, durationOf(part));
}

/** The usual time of a character; scripts without spaces have a syllable in each. */
const SYLLABIC = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const SYLLABLE_MS = 200;
const CHARACTER_MS = 65;

/** Estimated while audio is still missing. */
function durationOf({ text, audioMs, isComplete }: DeliveredPart): number {
  if (isComplete) return audioMs;
  return Math.max(audioMs + 1, text.length * (SYLLABIC.test(text) ? SYLLABLE_MS : CHARACTER_MS));
}

/** The words of an incomplete part whose audio was not delivered. */
export function undeliveredRest(part: DeliveredPart): string {
  const heard = heardWords(part, part.audioMs);
  return part.text.slice(part.text.indexOf(heard) + heard.length).replace(/^[\s\p{P}]+/u, '');
}

import type { Clock } from '../clock.js';
import type { PlayedItem } from './playback.js';
import { keysPressed } from '../providers/realtime-wording.js';
import type { HistoryTurn } from '../providers/voice-provider.js';
import type { SessionFact, SpokenWord, TurnFact, TurnWords } from '../session-events.js';
import type { SessionOptions } from '../session-options.js';
import { heardPart } from '../transcript/transcript.js';
import type { TurnLatency } from '../transcript/turn-latency.js';

/** A server that rejects every frame would report 50 errors a second. */
const MAX_ERRORS = 50;

export interface OpenTurn {
  turn: number;
  text: string;
  startedMs: number;
  /** Of a supervisor. */
  name?: string;
  /** The words are those of this command. */
  commandId?: string;
  latency?: TurnLatency;
  words?: SpokenWord[];
}

/** What the user said or pressed. */
interface HeardInput {
  /** Of a turn; keys have none. */
  turn?: number;
  text: string;
  atMs: number;
  /** From 1, of all inputs. */
  number: number;
}

/** A moment of the conversation. */
export interface LogMark {
  turn: number;
  inputs: number;
}

/** More inputs than one confirmation is waited for. */
const MAX_INPUTS = 50;

/** The longest history for a new provider in characters: about 15,000 tokens, half of a small model's context. */
const MAX_HISTORY_LENGTH = 60_000;

/** The record of a call: events with their times, the agent's turns as played, and the history for a new provider. */
export class ConversationLog {
  private readonly history: HistoryTurn[] = [];
  private readonly agent = new Map<string, OpenTurn>();
  private readonly generated = new Map<string, string>();
  private turns = 0;
  private inputs = 0;
  /** The latest inputs of the user. */
  private readonly heard: HeardInput[] = [];
  private errors = 0;
  private isSealed = false;
  private readonly startedAt: number;

  constructor(
    private readonly clock: Clock,
    private readonly sink: Pick<SessionOptions, 'onEvent' | 'log'>,
  ) {
    this.startedAt = clock.now();
  }

  /** Milliseconds from the answer to a time of the clock. */
  at(time: number): number {
    return Math.max(0, Math.round(time - this.startedAt));
  }

  /** Milliseconds since the answer. */
  get nowMs(): number {
    return this.at(this.clock.now());
  }

  /** The clock's time this many milliseconds after the answer. */
  timeOf(ms: number): number {
    return this.startedAt + ms;
  }

  /** A failing sink is logged and does not end the call. */
  write(fact: SessionFact): void {
    if (this.isSealed) return;
    try {
      this.sink.onEvent({ at_ms: this.nowMs, ...fact });
    } catch (err) {
      this.sink.log.error({ err, event_type: fact.type }, 'session event sink failed');
    }
  }

  /** Records an error of the provider; the first ones name the cause, the others are dropped. */
  providerError(provider: string, { code, message }: { code: string; message: string }): void {
    this.errors++;
    if (this.errors > MAX_ERRORS) return;
    this.sink.log.warn({ code, provider }, 'voice provider error');
    this.write({ type: 'error', code, message });
    if (this.errors === MAX_ERRORS)
      this.write({ type: 'error', code: 'too_many_errors', message: 'Further errors of this call are not recorded.' });
  }

  /** To be called after the last event. */
  seal(): void {
    this.isSealed = true;
  }

  /** The history for a provider that takes over, including speech that still plays. Only the end of a long call. */
  historySoFar(): HistoryTurn[] {
    const playing = [...this.agent.keys()].map((itemId) => ({ role: 'agent' as const, text: this.textOf(itemId) }));
    const all = [...this.history, ...playing];
    let room = MAX_HISTORY_LENGTH;
    const from = all.findLastIndex(({ text }) => (room -= text.length) < 0);
    return all.slice(from + 1);
  }

  /** The playing turns of the agent with the words that were played. */
  runningTurns(progressOf: (itemId: string) => Pick<PlayedItem, 'playedMs' | 'generatedMs'>): TurnWords[] {
    return [...this.agent].map(([itemId, { turn, startedMs }]) => {
      const { playedMs, generatedMs } = progressOf(itemId);
      const text = heardPart(this.textOf(itemId), playedMs, generatedMs);
      return { turn, role: 'agent', text, started_ms: startedMs };
    });
  }

  /** The number of the latest turn; 0: none has begun. */
  get lastTurn(): number {
    return this.turns;
  }

  /** The number of finished turns and notes. */
  get length(): number {
    return this.history.length;
  }

  /** Whether the agent has said anything but these phrases, of which it may have said a part. */
  agentHasSpoken(...beside: (string | undefined)[]): boolean {
    const playing = [...this.agent.keys()].map((itemId) => this.textOf(itemId));
    const said = this.history.filter(({ role }) => role === 'agent').map(({ text }) => text);
    return [...playing, ...said].some((text) => !beside.some((phrase) => phrase?.startsWith(text.trim())));
  }

  keys(digits: string): void {
    this.write({ type: 'dtmf_input', digits });
    this.hear({ text: keysPressed(digits), atMs: this.nowMs });
    this.history.push({ role: 'user', text: keysPressed(digits) });
  }

  /** A note for the agent, which is not a turn. */
  note(text: string): void {
    this.history.push({ role: 'system', text });
  }

  /** The agent that takes over knows these turns and nothing else. */
  restartHistory(turns: readonly HistoryTurn[]): void {
    this.history.splice(0, Infinity, ...turns);
  }

  /** Text may arrive before, between or after the audio of its item. */
  agentText(itemId: string, text: string): void {
    this.generated.set(itemId, this.textOf(itemId) + text);
  }

  agentStarted(itemId: string, startedAt: number): void {
    this.agent.set(itemId, this.openTurn('agent', this.at(startedAt)));
  }

  /** `commandId`: of the command whose words these are. Returns the heard text. */
  agentEnded(item: PlayedItem, facts: Pick<OpenTurn, 'commandId' | 'latency'> = {}): string {
    const turn = this.agent.get(item.itemId);
    if (!turn) return '';
    const text = heardPart(this.textOf(item.itemId), item.playedMs, item.generatedMs);
    this.agent.delete(item.itemId);
    this.generated.delete(item.itemId);
    if (item.playedMs === 0) return '';
    const startedMs = this.at(item.startedAt);
    this.closeTurn('agent', { ...turn, text, startedMs, ...facts }, this.at(item.endedAt), item.truncated);
    return text;
  }

  /** Records an agent item of a text conversation, which is complete at once. */
  agentItemWritten(itemId: string): void {
    const text = this.textOf(itemId).trim();
    this.generated.delete(itemId);
    if (text) this.textTurn('agent', text);
  }

  /** Records a turn of a text conversation. */
  textTurn(role: TurnFact['role'], text: string): void {
    this.closeTurn(role, { ...this.openTurn(role, this.nowMs), text }, this.nowMs, false);
  }

  openTurn(role: TurnFact['role'], startedMs: number): OpenTurn {
    const turn = ++this.turns;
    this.write({ type: 'turn_started', turn, role, started_ms: startedMs });
    return { turn, text: '', startedMs };
  }

  closeTurn(role: TurnFact['role'], open: OpenTurn, endedMs: number, truncated: boolean): void {
    const { turn, text, startedMs, name, commandId, latency, words } = open;
    const facts = {
      ...(name !== undefined && { name }),
      ...(commandId !== undefined && { command_id: commandId }),
      ...(latency && { latency }),
      ...(words && { words }),
    };
    this.write({ type: 'turn', turn, role, text, started_ms: startedMs, ended_ms: endedMs, truncated, ...facts });
    if (role === 'callee') this.hear({ turn, text, atMs: endedMs });
    // A note tells the agent what a supervisor says.
    if (role !== 'supervisor') this.history.push({ role: role === 'callee' ? 'user' : 'agent', text });
  }

  /** The present moment, for `heardSince`. */
  mark(): LogMark {
    return { turn: this.turns, inputs: this.inputs };
  }

  /** What the user began to say, or pressed, after a moment; words may arrive late. */
  heardSince({ turn, inputs }: LogMark): { text: string; atMs: number }[] {
    return this.heard.filter((one) => (one.turn === undefined ? one.number > inputs : one.turn > turn));
  }

  private hear(input: Omit<HeardInput, 'number'>): void {
    this.heard.push({ ...input, number: ++this.inputs });
    if (this.heard.length > MAX_INPUTS) this.heard.shift();
  }

  private textOf(itemId: string): string {
    return this.generated.get(itemId) ?? '';
  }
}

/** Readers of a running call see the words in steps of this time. */
const WORDS_MS = 400;

/** Reports the words of running turns while they are spoken. */
export class RunningWords {
  private dueAt = -Infinity;
  /** The last reported text of each running turn. */
  private reported = new Map<number, string>();

  constructor(
    private readonly clock: Clock,
    private readonly onWords: (words: TurnWords) => void,
  ) {}

  get isDue(): boolean {
    return this.clock.now() >= this.dueAt;
  }

  /** Takes the running turns of both sides; reports those with other words than before. */
  report(running: readonly TurnWords[]): void {
    this.dueAt = this.clock.now() + WORDS_MS;
    const turns = running.filter(({ text }) => text !== '');
    for (const words of turns) if (this.reported.get(words.turn) !== words.text) this.onWords(words);
    this.reported = new Map(turns.map(({ turn, text }) => [turn, text]));
  }
}

import type { Clock } from './clock.js';
import type { PlayedItem } from './playback.js';
import type { HistoryTurn } from './providers/voice-provider.js';
import type { SessionEvent, SessionFact, TurnFact } from './session-events.js';
import { heardPart, speechOf } from './transcript.js';

interface OpenTurn {
  turn: number;
  text: string;
  startedMs: number;
}

/** A callee item whose end or words may still come. */
interface CalleeTurn extends OpenTurn {
  endedMs: number | undefined;
}

/** Writes down what happens in a call: facts with their time, and turns out of items of both sides. */
export class ConversationLog {
  private readonly history: HistoryTurn[] = [];
  private readonly agent = new Map<string, OpenTurn>();
  private readonly generated = new Map<string, string>();
  private readonly callee = new Map<string, CalleeTurn>();
  private turns = 0;
  private readonly startedAt: number;

  constructor(
    private readonly clock: Clock,
    private readonly transcribes: () => boolean,
    private readonly sink: (event: SessionEvent) => void,
  ) {
    this.startedAt = clock.now();
  }

  /** Milliseconds since the answer of a time of the clock. */
  at(time: number): number {
    return Math.max(0, Math.round(time - this.startedAt));
  }

  write(fact: SessionFact): void {
    this.sink({ at_ms: this.at(this.clock.now()), ...fact });
  }

  /** What was said so far, what is still being played included: for a provider that takes over. */
  historySoFar(): HistoryTurn[] {
    const playing = [...this.agent.keys()].map((itemId) => ({ role: 'agent' as const, text: this.textOf(itemId) }));
    return [...this.history, ...playing];
  }

  keys(digits: string): void {
    this.write({ type: 'dtmf_input', digits });
    this.history.push({ role: 'callee', text: `[keys ${digits}]` });
  }

  /** Text may come before, between or after the audio of its item. */
  agentText(itemId: string, text: string): void {
    this.generated.set(itemId, this.textOf(itemId) + text);
  }

  agentStarted(itemId: string, startedAt: number): void {
    this.agent.set(itemId, this.openTurn('agent', this.at(startedAt)));
  }

  agentEnded(item: PlayedItem): void {
    const turn = this.agent.get(item.itemId);
    if (!turn) return;
    const text = heardPart(this.textOf(item.itemId), item.playedMs, item.generatedMs);
    this.agent.delete(item.itemId);
    this.generated.delete(item.itemId);
    if (item.playedMs === 0) return;
    this.closeTurn('agent', { ...turn, text }, this.at(item.endedAt), item.truncated);
  }

  calleeStarted(itemId: string, startedAt: number): void {
    this.callee.set(itemId, { ...this.openTurn('callee', this.at(startedAt)), endedMs: undefined });
    this.write({ type: 'speech_started' });
  }

  calleeStopped(itemId: string, stoppedAt: number): void {
    const turn = this.callee.get(itemId);
    if (!turn) return;
    turn.endedMs = Math.max(turn.startedMs, this.at(stoppedAt));
    this.write({ type: 'speech_stopped', duration_ms: turn.endedMs - turn.startedMs });
    if (!this.transcribes() || turn.text) this.closeCallee(itemId, turn);
  }

  calleeText(itemId: string, text: string): void {
    const turn = this.callee.get(itemId);
    if (!turn) return;
    turn.text = text;
    if (turn.endedMs !== undefined) this.closeCallee(itemId, turn);
  }

  /** A turn that nobody but the session heard: before it was known whether a human speaks. */
  calleeSpoke(startedAt: number, stoppedAt: number): void {
    const text = speechOf(stoppedAt - startedAt);
    this.closeTurn('callee', { ...this.openTurn('callee', this.at(startedAt)), text }, this.at(stoppedAt), false);
  }

  get calleeSpeaks(): boolean {
    return [...this.callee.values()].some((turn) => turn.endedMs === undefined);
  }

  /** Ends what the callee was saying, or what still waits for its words: the call or the connection is over. */
  closeCalleeTurns(): void {
    for (const [itemId, turn] of this.callee) this.closeCallee(itemId, turn);
  }

  private textOf(itemId: string): string {
    return this.generated.get(itemId) ?? '';
  }

  private closeCallee(itemId: string, turn: CalleeTurn): void {
    this.callee.delete(itemId);
    const endedMs = turn.endedMs ?? this.at(this.clock.now());
    const text = turn.text || speechOf(endedMs - turn.startedMs);
    this.closeTurn('callee', { ...turn, text }, endedMs, false);
  }

  private openTurn(role: TurnFact['role'], startedMs: number): OpenTurn {
    const turn = ++this.turns;
    this.write({ type: 'turn_started', turn, role, started_ms: startedMs });
    return { turn, text: '', startedMs };
  }

  private closeTurn(role: TurnFact['role'], open: OpenTurn, endedMs: number, truncated: boolean): void {
    const { turn, text, startedMs } = open;
    this.write({ type: 'turn', turn, role, text, started_ms: startedMs, ended_ms: endedMs, truncated });
    this.history.push({ role, text });
  }
}

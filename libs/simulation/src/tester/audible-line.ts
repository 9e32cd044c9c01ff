import type { RtpStats } from '@app/telephony';
import type { SessionEnd, SessionEvent, TurnWords } from '@app/voice';
import { agentTurns } from '../scenario/conversation-facts.js';
import type { AgentTurnWait, TesterLine } from '../scenario/tester-line.js';
import type { HeardLine, LineQuality, SpeechSpan } from './call-audio.js';
import type { LineProfile } from '@app/agents/scenarios';
import type { TesterAudio } from './tester-audio.js';

/** Silence of the agent after which its turn is over. */
export const TURN_END_MS = 700;
/** The same, when its words were not what the tester waits for: it may have announced a tool. */
const LONGER_TURN_END_MS = 4_000;
/** The end of a turn and of its sound differ by less, the delay of the line included. */
const LATE_WORDS_MS = 1_500;

/** A line that carries speech: everything takes its real time. */
export abstract class AudibleLine implements TesterLine {
  readonly events: SessionEvent[] = [];
  end: SessionEnd | undefined;
  problem: string | undefined;
  protected audio: TesterAudio | undefined;
  /** The agent's running turns, by number. */
  private readonly running = new Map<number, string>();
  private quality: LineQuality | undefined;

  constructor(protected readonly profile: LineProfile) {}

  abstract connect(): Promise<void>;

  /** Ends the call of this line, if it has begun. */
  protected abstract release(): Promise<void>;

  /** Resolves when the events before the end of the audio have arrived. */
  protected lastEvents(): Promise<void> {
    return Promise.resolve();
  }

  /** The caller has said these words. */
  protected said(_text: string, _span: SpeechSpan): void {
    // Most lines report what the agent has heard.
  }

  /** The caller has pressed these keys. */
  protected pressed(_keys: string): void {
    // As above.
  }

  /** Whether a tool of the agent runs, as far as the line knows. */
  protected get isToolRunning(): boolean {
    return false;
  }

  nowMs(): number {
    return this.audio?.nowMs ?? 0;
  }

  /** What the phone heard; undefined: the call was not answered. */
  get heard(): HeardLine | undefined {
    return this.audio && { ...this.audio.facts(), ...this.quality };
  }

  async say(text: string): Promise<void> {
    const { audio } = this;
    if (!audio || this.isOver) return;
    if (!audio.isAgentSpeaking)
      await audio.until(() => this.isOver || audio.isAgentSpeaking || audio.agentQuietMs >= this.profile.reply_ms);
    const span = this.isOver ? undefined : await audio.say(text);
    if (span) this.said(text, span);
  }

  async press(keys: string): Promise<void> {
    if (this.isOver) return;
    await this.audio?.press(keys);
    this.pressed(keys);
  }

  async silence(ms: number): Promise<void> {
    await this.audio?.pause(ms, () => this.isOver);
  }

  async agentTurn({ from, patienceMs, isEnough, isComplete, speechMs }: AgentTurnWait): Promise<void> {
    const { audio } = this;
    if (!audio) return;
    let known = '';
    let quietFrom = audio.nowMs;
    const isInterrupted = (): boolean => {
      const words = this.wordsSince(from);
      if (!isEnough || words === known) return false;
      known = words;
      return isEnough(words);
    };
    await audio.until(() => {
      if (this.isOver || isInterrupted()) return true;
      if (speechMs !== undefined && audio.agentSpeechMs >= speechMs) return true;
      if (audio.isAgentSpeaking || this.isToolRunning) quietFrom = audio.nowMs;
      const quietMs = Math.min(audio.agentQuietMs, audio.nowMs - quietFrom);
      if (agentTurns(this.events.slice(from)).length === 0) return audio.nowMs - quietFrom >= patienceMs;
      const isHeard = !this.awaitsWords && (isComplete?.() ?? true);
      return quietMs >= TURN_END_MS && (quietMs >= LONGER_TURN_END_MS || isHeard);
    });
    await this.lastEvents();
  }

  async hangUp(): Promise<void> {
    await this.release();
    this.audio?.close();
  }

  stop(why: string): void {
    this.problem ??= why;
  }

  protected get isOver(): boolean {
    return this.end !== undefined || this.problem !== undefined;
  }

  /** The packets that the phone received. */
  protected measured(stats: RtpStats | undefined): void {
    if (!stats) return;
    const { mos, lossRate, jitterMs, codec } = stats;
    this.quality = {
      mos: mos === undefined ? null : Math.round(mos * 100) / 100,
      loss: Math.round(lossRate * 1_000) / 1_000,
      jitter_ms: Math.round(jitterMs),
      codec: codec ?? null,
    };
  }

  /** An event of the conversation. */
  protected noted(event: SessionEvent): void {
    if (event.type === 'turn') this.running.delete(event.turn);
    this.events.push(event);
  }

  /** The words of a running turn. */
  protected hears({ turn, role, text }: Pick<TurnWords, 'turn' | 'role' | 'text'>): void {
    const isFinished = this.events.some((event) => event.type === 'turn' && event.turn === turn);
    if (role === 'agent' && !isFinished) this.running.set(turn, text);
  }

  /** The agent was heard for longer than its known turns last: a busy service stores the words of its speech late. */
  private get awaitsWords(): boolean {
    const lastMs = agentTurns(this.events).reduce((last, turn) => Math.max(last, turn.ended_ms), 0);
    return (this.audio?.agentHeardMs ?? 0) > lastMs + LATE_WORDS_MS;
  }

  private wordsSince(from: number): string {
    const finished = agentTurns(this.events.slice(from)).map(({ text }) => text);
    return [...finished, ...this.running.values()].join(' ');
  }
}

import type { SessionEvent, TranscriptEvent } from '@app/voice';
import { TURN_END_MS } from './audible-line.js';
import type { SpeechSpan } from './call-audio.js';
import type { ListeningPhone, TestedCallListener } from './tested-call.js';

/** Silence after which the transcriber is asked for its final words. */
const FLUSH_MS = 300;
/** Words that are missing after so much silence are a turn of their own when they arrive; speech without words, such as music, is none. */
const LATE_WORDS_MS = 2_000;
/** The times of the last word and of the last sound differ by less. */
const UNHEARD_MS = 1_000;

type Phone = ListeningPhone['audio'];

/** Turns of a call without stored events: the phone's voice activity gives the times of the agent's turns, a transcriber their words. */
export class HeardTurns {
  private turns = 0;
  /** The agent's running turn. */
  private turn: { number: number; startedMs: number } | undefined;
  private finals: string[] = [];
  private interim = '';
  /** The end of the last recognised word. */
  private wordsUntilMs = 0;
  /** The end of a turn that was reported with words that were not final: they are reported once. */
  private reportedUntilMs = -1;
  private changedMs = 0;
  private isFlushed = false;

  constructor(
    private readonly phone: Phone,
    private readonly sink: Pick<TestedCallListener, 'event' | 'words'>,
    private readonly flush: () => void,
  ) {}

  /** The agent neither speaks nor has said words that are not reported. */
  get isIdle(): boolean {
    return this.turn === undefined && !this.phone.isAgentSpeaking;
  }

  /** All words of the running turn are known. */
  get isComplete(): boolean {
    return this.interim === '' && this.wordsUntilMs + UNHEARD_MS >= this.phone.agentHeardMs;
  }

  /** The caller has said this. */
  said(text: string, { startMs, endMs }: SpeechSpan): void {
    this.report({ role: 'callee', number: ++this.turns, text, startedMs: startMs, endedMs: endMs });
  }

  /** The caller has pressed these keys. */
  pressed(digits: string): void {
    this.sink.event({ type: 'dtmf_input', at_ms: this.phone.nowMs, digits });
  }

  /** Times of the event count from the answer. */
  heard(event: TranscriptEvent): void {
    if ((event.type !== 'interim' && event.type !== 'final') || event.endMs <= this.reportedUntilMs) return;
    const text = event.text.trim();
    if (event.type === 'final' && text !== '') this.finals.push(text);
    this.interim = event.type === 'interim' ? text : '';
    if (text === '') return;
    this.changedMs = this.phone.nowMs;
    this.wordsUntilMs = Math.max(this.wordsUntilMs, event.endMs);
    const { number } = (this.turn ??= this.begun(event.endMs));
    this.sink.words({ turn: number, role: 'agent', text: this.text });
  }

  /** To be called every 20 ms. */
  tick(): void {
    const { phone } = this;
    if (phone.isAgentSpeaking) {
      this.isFlushed = false;
      this.turn ??= this.begun();
      return;
    }
    if (!this.turn) return;
    const { agentQuietMs: quietMs, nowMs } = phone;
    if (quietMs >= FLUSH_MS && !this.isFlushed) {
      this.isFlushed = true;
      this.flush();
    }
    const isHeard = this.text !== '' && this.isComplete;
    const isLate = nowMs - this.changedMs >= LATE_WORDS_MS;
    if (quietMs >= (isHeard ? TURN_END_MS : LATE_WORDS_MS) && (isHeard || isLate)) this.close();
  }

  /** Ends the running turn with the words that are known. */
  close(): void {
    const { turn, text, interim, phone } = this;
    this.turn = undefined;
    this.finals = [];
    this.interim = '';
    if (!turn || text === '') return;
    const endedMs = Math.max(turn.startedMs, phone.agentHeardMs);
    if (interim !== '') this.reportedUntilMs = endedMs;
    this.report({ role: 'agent', number: turn.number, text, startedMs: turn.startedMs, endedMs });
  }

  private get text(): string {
    return [...this.finals, this.interim].join(' ').trim();
  }

  /** `untilMs`: the end of its first words, which may arrive after its sound. */
  private begun(untilMs = Infinity): { number: number; startedMs: number } {
    const { nowMs, agentSpeechMs } = this.phone;
    return { number: ++this.turns, startedMs: Math.max(0, Math.min(nowMs - agentSpeechMs, untilMs)) };
  }

  private report(turn: { role: 'agent' | 'callee'; number: number; text: string; startedMs: number; endedMs: number }) {
    const { role, number, text, startedMs, endedMs } = turn;
    const event: SessionEvent = {
      ...{ type: 'turn', at_ms: this.phone.nowMs, turn: number, role, text },
      ...{ started_ms: startedMs, ended_ms: endedMs, truncated: false },
    };
    this.sink.event(event);
  }
}

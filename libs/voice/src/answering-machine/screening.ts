import { FRAME_MS, silentFrame, type MediaPort } from '@app/telephony';
import type { MessageAfter, SessionFact, Answer, AnswerReason } from '../session-events.js';
import { AnswerDetector, type Finding } from './answer-detector.js';
import type { Tone } from './tones.js';

/** The behaviour of an agent towards an answering machine. */
export interface AnsweringMachineSettings {
  /** `go_on`: the agent is notified and talks as to a human, for example to navigate a menu. */
  onMachine: 'hang_up' | 'leave_message' | 'go_on';
  /** Spoken by `leave_message` verbatim, after the beep. */
  message: string;
  /** Without a beep, the message starts this many seconds after the machine was recognised; default 30. */
  waitForBeepSeconds?: number;
}

const DEFAULT_WAIT_FOR_BEEP_SECONDS = 30;

/** Silence after a greeting without a beep: longer than a pause inside a greeting, shorter than the timeout of recorders. */
const GREETING_IS_OVER_MS = 3_000;
/** Reasons of machines that record no message. */
const NO_VOICEMAIL: readonly AnswerReason[] = ['fax', 'intercept'];

export interface ScreeningListener {
  write(fact: SessionFact): void;
  /** Speech before the conversation, which the agent did not hear; times are audio time since the answer. */
  userSpoke(speech: { startMs: number; endMs: number }): void;
  /** The conversation begins or continues: the agent and the user hear each other. */
  converse(answer: Answer): void;
  leaveMessage(text: string): void;
  hangUp(): void;
}

/**
 * - `undecided`: a human or a machine; the agent waits
 * - `doubtful`: treated as a human without evidence, until a beep
 * - `machine`: waiting for the moment to leave the message
 */
type State = 'undecided' | 'doubtful' | 'machine' | 'over';

/** Classifies the answer before the agent's first word, and applies the settings for machines. */
export class Screening {
  private readonly detector: AnswerDetector;
  private readonly silence: Buffer;
  private readonly waitMs: number;
  private state: State = 'undecided';
  /** The conversation has begun and records the user's turns itself. */
  private letIn = false;
  private clockMs = 0;
  private stateSinceMs = 0;

  constructor(
    codec: MediaPort['codec'],
    private readonly settings: AnsweringMachineSettings,
    private readonly listener: ScreeningListener,
  ) {
    this.detector = new AnswerDetector(codec);
    this.silence = silentFrame(codec);
    this.waitMs = (settings.waitForBeepSeconds ?? DEFAULT_WAIT_FOR_BEEP_SECONDS) * 1000;
  }

  /** The agent must not speak, and its provider gets silence. */
  get holdsBack(): boolean {
    return this.state === 'undecided' || this.state === 'machine';
  }

  /** Takes 20 ms of the user; returns the frame for the agent's provider. */
  hear(frame: Buffer): Buffer {
    if (this.state === 'over') return frame;
    this.clockMs += FRAME_MS;
    const audible = this.holdsBack ? this.silence : frame;
    this.take(this.detector.push(frame));
    this.watchTheClock();
    return audible;
  }

  /** A key was pressed. */
  press(): void {
    if (this.state !== 'over') this.take(this.detector.press());
  }

  private take(findings: Finding[]): void {
    for (const finding of findings) {
      if (finding.type === 'answered') this.answered(finding.answer);
      else this.beeped(finding.tone);
    }
  }

  private answered(answer: Answer): void {
    const { answeredBy, reason, atMs } = answer;
    this.listener.write({ type: 'answered_by', answered_by: answeredBy, reason, ms: atMs });
    if (answeredBy === 'machine') return this.treat(answer);
    this.converse(answer, answeredBy === 'unknown' ? 'doubtful' : 'over');
  }

  private treat(answer: Answer): void {
    const { onMachine } = this.settings;
    if (onMachine === 'go_on') return this.converse(answer, 'over');
    if (onMachine === 'leave_message' && !NO_VOICEMAIL.includes(answer.reason)) return this.enter('machine');
    this.reportSpeech();
    this.enter('over');
    this.listener.hangUp();
  }

  private converse(answer: Answer, state: State): void {
    this.reportSpeech();
    this.letIn = true;
    this.enter(state);
    this.listener.converse(answer);
  }

  private beeped({ frequencies, startMs, endMs }: Tone): void {
    if (this.state !== 'machine') return;
    const frequencies_hz = frequencies.map(Math.round);
    this.listener.write({ type: 'beep', frequencies_hz, duration_ms: endMs - startMs });
    this.leaveMessage('beep');
  }

  private watchTheClock(): void {
    const waited = this.clockMs - this.stateSinceMs >= this.waitMs;
    if (this.state === 'doubtful' && waited) this.enter('over');
    if (this.state !== 'machine') return;
    if (waited) return this.leaveMessage('wait_limit');
    if (!this.detector.hearsTone && this.detector.silenceMs >= GREETING_IS_OVER_MS) this.leaveMessage('silence');
  }

  private leaveMessage(after: MessageAfter): void {
    this.reportSpeech();
    this.enter('over');
    this.listener.write({ type: 'message_started', after });
    this.listener.leaveMessage(this.settings.message);
  }

  private reportSpeech(): void {
    const { speech } = this.detector;
    if (!this.letIn && speech) this.listener.userSpoke(speech);
  }

  private enter(state: State): void {
    this.state = state;
    this.stateSinceMs = this.clockMs;
  }
}

import { FRAME_MS, silentFrame, type MediaPort } from '@app/telephony';
import type { MessageAfter, SessionFact } from '../session-events.js';
import type { Answer, AnswerReason } from './answer.js';
import { AnswerDetector, type Finding } from './answer-detector.js';
import type { Tone } from './tones.js';

/** What an agent does when an answering machine picks up. */
export interface AnsweringMachineSettings {
  /** `go_on`: the agent is told, and talks as it would to a human (to find its way through a menu, for example). */
  onMachine: 'hang_up' | 'leave_message' | 'go_on';
  /** Spoken by `leave_message`, word for word, after the beep. */
  message: string;
  /** Without a beep the message begins this long after the machine was recognised, in seconds; default 30. */
  waitForBeepSeconds?: number;
}

const DEFAULT_WAIT_FOR_BEEP_SECONDS = 30;

/** A machine that has said what it had to say and does not beep: longer than a pause inside a greeting, shorter than the patience of recorders. */
const GREETING_IS_OVER_MS = 3_000;
/** Machines that take no message. */
const NO_VOICEMAIL: readonly AnswerReason[] = ['fax', 'intercept'];

export interface ScreeningListener {
  write(fact: SessionFact): void;
  /** What the agent did not answer; times are audio time since the answer. */
  userSpoke(speech: { startMs: number; endMs: number }): void;
  /** The conversation begins, or goes on: from here on the agent and the callee hear each other. */
  converse(answer: Answer): void;
  leaveMessage(text: string): void;
  hangUp(): void;
}

/**
 * - `undecided`: a human or a machine; the agent waits
 * - `doubtful`: taken for a human because nothing could be found out, until a beep says something else
 * - `machine`: waiting for the moment to leave the message
 */
type State = 'undecided' | 'doubtful' | 'machine' | 'over';

/** Stands between the answer and the agent's first word: finds out who answered, and does what is set for machines. */
export class Screening {
  private readonly detector: AnswerDetector;
  private readonly silence: Buffer;
  private readonly waitMs: number;
  private state: State = 'undecided';
  /** The conversation has begun, and writes down by itself what the callee says. */
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

  /** The agent must not speak, and its provider hears silence. */
  get holdsBack(): boolean {
    return this.state === 'undecided' || this.state === 'machine';
  }

  /** Takes the callee's last 20 ms; returns what the agent's provider may hear of them. */
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

import { FRAME_MS, silentFrame, type MediaPort } from '@app/telephony';
import type {
  Answer,
  AnswerDetection,
  AnswerReason,
  AnswerResult,
  MessageAfter,
  SessionEnd,
  SessionFact,
} from '../session-events.js';
import type { AnsweringMachineSettings } from '../session-options.js';
import type { VoiceConnection } from '../providers/voice-provider.js';
import { AnswerDetector, type Finding } from './answer-detector.js';
import type { EarlyMedia } from './early-media.js';
import { OverTalk, RemoteTurn } from './over-talk.js';
import { findPhrases, type FoundPhrases } from './phrases.js';
import type { Tone } from './tones.js';
import { dependsOnWords, detectionOf, type Reaction, reactionTo } from './verdict.js';

const DEFAULT_WAIT_FOR_BEEP_SECONDS = 30;

/** Silence after a greeting without a beep: longer than a pause inside a greeting, shorter than the timeout of recorders. */
const GREETING_IS_OVER_MS = 3_000;
/** Words arrive within this time after the speech. */
const LATE_WORDS_MS = 1_500;
const MAX_CLASSIFYING_MS = 10_000;
/** Silence before and after the words of a person who picks up during the greeting; most beeps come earlier. */
const [BEFORE_PICK_UP_MS, AFTER_PICK_UP_MS] = [1_000, 1_600];
/** A message that began before the beep is repeated after it. */
const MAX_MESSAGES = 2;
/** A screening service has finished its question. */
const PROMPT_IS_OVER_MS = 700;
const MAX_PROMPT_MS = 15_000;
const MAX_INTRODUCTIONS = 3;
const TURN_IS_OVER_MS = 800;
const MAX_WAIT_FOR_PERSON_MS = 60_000;
/** Of slow speech; a stalled provider must not keep the call open. */
const MAX_START_MS = 15_000;
const MAX_MS_PER_CHARACTER = 150;
/** The mailbox has just begun to record. */
const BEEP_AT_ANSWER_MS = 2_000;

export interface ScreeningListener {
  write(fact: SessionFact): void;
  /** Speech before the conversation, which the agent did not hear; times are audio time since the answer, which is `nowMs` now. */
  userSpoke(speech: { startMs: number; endMs: number }, nowMs: number): void;
  /** The conversation begins or continues: the agent and the user hear each other. */
  converse(answer: Answer, result: AnswerResult): void;
  /** Says a text and nothing else, while the conversation waits. Returns whether it is not played completely. */
  say(text: string): boolean;
  /** Pauses the text, continues it, or drops the rest. */
  control(step: 'hold' | 'continue' | 'stop'): void;
  /** The message was said to its end. */
  messageLeft(): void;
  hangUp(): void;
}

/**
 * - `undecided`: a human or a machine; the agent waits
 * - `doubtful`: treated as a human without evidence, until a beep
 * - `classifying`: a machine; its words decide about the reaction
 * - `machine`: waiting for the moment to leave the message
 * - `message`: saying it
 * - `late_beep`: it was said without a beep, which may still come
 * - `prompt`: a screening service asks who is calling
 * - `introduction`: saying who is calling
 * - `person_awaited`: the service asks the person
 */
type State =
  | 'undecided'
  | 'doubtful'
  | 'classifying'
  | 'machine'
  | 'message'
  | 'late_beep'
  | 'prompt'
  | 'introduction'
  | 'person_awaited'
  | 'over';

/** States in which only this class speaks. */
const SAYING: readonly State[] = ['message', 'introduction'];

/** Classifies the answer before the agent's first word, and applies the settings for machines. */
export class Screening {
  private readonly detector: AnswerDetector;
  private readonly silence: Buffer;
  private readonly waitMs: number;
  private state: State = 'undecided';
  /** The greeting is in the transcript; the conversation records further turns itself. */
  private isReported = false;
  private clockMs = 0;
  private stateSinceMs = 0;
  private machineSinceMs = 0;
  private answer: Answer | undefined;
  private result: AnswerResult = 'unknown';
  private phrases: FoundPhrases | undefined;
  private turn = new RemoteTurn();
  private overTalk = new OverTalk(undefined);
  private remoteDb: number | undefined;
  private messages = 0;
  private introductions = 0;
  private longestSayingMs = 0;
  /** The text is not played completely. */
  private isTextPlaying = false;
  /** The provider hears the line without answering, so that words arrive. */
  private hearsWords = false;
  /** What the service said after the introduction. */
  private latestWords: { text: string; phrases: FoundPhrases | undefined } | undefined;

  constructor(
    codec: MediaPort['codec'],
    private readonly settings: AnsweringMachineSettings,
    private readonly listener: ScreeningListener,
    private readonly early?: EarlyMedia,
  ) {
    this.detector = new AnswerDetector(codec, {}, early?.headStartMs);
    this.silence = silentFrame(codec);
    this.waitMs = (settings.waitForBeepSeconds ?? DEFAULT_WAIT_FOR_BEEP_SECONDS) * 1000;
  }

  /** The agent must not speak by itself. */
  get isHoldingBack(): boolean {
    return this.state !== 'doubtful' && this.state !== 'over';
  }

  /** The message or the introduction is said; nothing else is. */
  get isSaying(): boolean {
    return SAYING.includes(this.state);
  }

  /** A machine that hangs up after the message has it. */
  endOf(end: SessionEnd): SessionEnd {
    return this.state === 'late_beep' && end.cause === 'normal_clearing' ? { ...end, cause: 'message_left' } : end;
  }

  /** The provider transcribes the greeting of a machine without answering it. */
  steer(connection: VoiceConnection | undefined): void {
    connection?.listenOnly?.(this.isHoldingBack);
  }

  /**
   * Takes 20 ms of the user; returns the frame for the agent's provider. `hearsWords`: the provider can transcribe without answering.
   * `isTextPlaying`: the text of `say` is not played completely.
   */
  hear(frame: Buffer, hearsWords: boolean, isTextPlaying: boolean): Buffer {
    if (this.state === 'over') return frame;
    this.hearsWords = hearsWords;
    this.isTextPlaying = isTextPlaying;
    if (this.clockMs === 0) this.continueEarlyMedia();
    this.clockMs += FRAME_MS;
    const audible = this.isHoldingBack && !hearsWords ? this.silence : frame;
    this.take(this.detector.push(frame));
    this.turn.push(this.detector.sound);
    this.watch();
    return audible;
  }

  /** A key was pressed. */
  press(): void {
    if (this.state === 'undecided' || this.state === 'doubtful') this.take(this.detector.press());
    else if (this.state === 'person_awaited') this.pickedUp('key_pressed');
  }

  /** The words of a turn so far. */
  words(text: string): void {
    if (this.state === 'over' || text.trim() === '') return;
    const phrases = findPhrases(text);
    this.latestWords = { text, phrases };
    if (!phrases || phrases.kind === 'wait' || this.isSaying || this.state === 'late_beep') return;
    if (this.state === 'person_awaited') return;
    if (!phrases.isSure) {
      this.phrases ??= phrases;
      return;
    }
    const isNews = this.phrases?.kind !== phrases.kind || !this.phrases.isSure;
    this.phrases = phrases;
    if (isNews && this.state !== 'prompt') this.machine('keywords');
  }

  /** What the network said before the answer may be the beginning of the greeting. */
  private continueEarlyMedia(): void {
    const { early } = this;
    if (!early) return;
    const { tone } = early.evidence;
    if (tone) return this.machine(tone);
    if (early.sinceBeepMs > BEEP_AT_ANSWER_MS) return;
    this.machine('beep');
    if (this.state === 'machine') this.leaveMessage('beep');
  }

  private take(findings: Finding[]): void {
    for (const finding of findings) {
      if (finding.type === 'beep') this.beeped(finding.tone);
      else if (this.answer === undefined || this.state === 'doubtful') this.answered(finding.answer);
    }
  }

  private answered(answer: Answer): void {
    if (answer.answeredBy === 'machine') return this.machine(answer.reason);
    this.conclude(answer);
    this.converse(answer.answeredBy === 'unknown' ? 'doubtful' : 'over');
  }

  private machine(reason: AnswerReason): void {
    if (this.remoteDb === undefined && this.detector.speech) this.remoteDb = this.detector.voiceDb;
    this.conclude({ answeredBy: 'machine', reason, atMs: this.clockMs });
    const isTone = reason === 'fax' || reason === 'intercept';
    if (isTone && this.settings.onMachine !== 'go_on') return this.hangUp();
    const decides = this.phrases !== undefined || !this.hearsWords || !dependsOnWords(this.settings);
    if (isTone || decides || reason === 'beep') this.react(isTone ? 'go_on' : reactionTo(this.settings, this.result));
    else this.enter('classifying');
  }

  private react(reaction: Reaction): void {
    if (reaction === 'go_on') return this.converse('over');
    if (reaction === 'hang_up') return this.hangUp();
    if (reaction === 'answer') return this.enter('prompt');
    if (this.state !== 'machine') this.machineSinceMs = this.clockMs;
    this.enter('machine');
  }

  private beeped({ frequencies, startMs, endMs }: Tone): void {
    if (this.state === 'doubtful' && this.answer?.reason === 'picked_up') this.machine('beep');
    const waits =
      this.state === 'machine' || this.isSaying || this.state === 'late_beep' || this.state === 'person_awaited';
    if (!waits || !this.answer) return;
    const frequencies_hz = frequencies.map(Math.round);
    const answering_machine = this.detection(this.answer);
    this.listener.write({ type: 'beep', frequencies_hz, duration_ms: endMs - startMs, answering_machine });
    if (this.state === 'introduction') return;
    if (this.state === 'person_awaited')
      return this.settings.onMachine === 'leave_message' ? this.leaveMessage('beep') : undefined;
    if (this.messages < MAX_MESSAGES) this.leaveMessage('beep');
  }

  private watch(): void {
    switch (this.state) {
      case 'doubtful':
        return this.inStateMs >= this.waitMs ? this.enter('over') : undefined;
      case 'classifying':
        return this.watchClassifying();
      case 'machine':
        return this.watchMachine();
      case 'message':
      case 'introduction':
        return this.watchSpeech();
      case 'late_beep':
        return this.watchLateBeep();
      case 'prompt':
        return this.watchPrompt();
      case 'person_awaited':
        return this.watchPerson();
      default:
    }
  }

  private watchClassifying(): void {
    const isOver = this.detector.silenceMs >= LATE_WORDS_MS || this.inStateMs >= MAX_CLASSIFYING_MS;
    if (isOver) this.react(this.settings.onMachine);
  }

  private watchMachine(): void {
    const { detector } = this;
    if (this.clockMs - this.machineSinceMs >= this.waitMs) return this.leaveMessage('wait_limit');
    if (detector.hearsTone) return;
    if (this.isPickUp) return this.pickedUp('picked_up');
    if (detector.silenceMs >= GREETING_IS_OVER_MS) this.leaveMessage('silence');
  }

  private watchLateBeep(): void {
    if (this.isPickUp) return this.pickedUp('picked_up');
    if (this.clockMs - this.machineSinceMs < this.waitMs) return;
    this.enter('over');
    this.listener.messageLeft();
  }

  /** A few words between two silences, and no beep after them. */
  private get isPickUp(): boolean {
    const { voicedMs, isShort, silenceBeforeMs, silenceMs } = this.turn;
    const isTurn = voicedMs >= 200 && isShort && silenceBeforeMs >= BEFORE_PICK_UP_MS;
    return isTurn && silenceMs >= AFTER_PICK_UP_MS && !this.latestWords?.phrases;
  }

  private watchSpeech(): void {
    const step = this.detector.hearsTone ? undefined : this.overTalk.push(this.detector.sound);
    if (step === 'person') return this.pickedUp('picked_up');
    if (step === 'hold' || step === 'continue') this.listener.control(step);
    if (step === 'machine') return this.interruptedByMachine();
    if (this.isTextPlaying && this.inStateMs < this.longestSayingMs) return;
    if (this.state === 'introduction') return this.awaitPerson();
    const hasBeeped = this.detector.beepsMs.length > 0 || this.early?.evidence.beeps_ms.length;
    if (!hasBeeped && this.clockMs - this.machineSinceMs < this.waitMs) return this.enter('late_beep');
    this.enter('over');
    this.listener.messageLeft();
  }

  /** The greeting was not over: the message is said again after it. */
  private interruptedByMachine(): void {
    if (this.state === 'introduction' || this.messages >= MAX_MESSAGES) return this.listener.control('continue');
    this.listener.control('stop');
    this.enter('machine');
  }

  private watchPrompt(): void {
    const isOver = this.detector.silenceMs >= PROMPT_IS_OVER_MS && !this.detector.hearsTone;
    if (!isOver && this.inStateMs < MAX_PROMPT_MS) return;
    this.reportSpeech();
    this.introductions++;
    this.listener.write({ type: 'screening_answered', attempt: this.introductions });
    this.startSaying('introduction', this.settings.screeningMessage ?? '');
  }

  private awaitPerson(): void {
    this.turn = new RemoteTurn();
    this.latestWords = undefined;
    this.enter('person_awaited');
  }

  private watchPerson(): void {
    if (this.inStateMs >= MAX_WAIT_FOR_PERSON_MS) return this.hangUp();
    const { turn, latestWords } = this;
    if (turn.voicedMs < 200 || turn.silenceMs < (latestWords ? TURN_IS_OVER_MS : LATE_WORDS_MS)) return;
    const kind = latestWords?.phrases?.kind;
    // Sound without words may be music; a long turn of a person has words.
    if (!kind && (latestWords || turn.isShort)) return this.pickedUp('picked_up');
    this.turn = new RemoteTurn();
    this.latestWords = undefined;
    if (kind === undefined || kind === 'wait') return;
    this.phrases = latestWords?.phrases;
    if (kind === 'screening' && this.introductions < MAX_INTRODUCTIONS) return this.enter('prompt');
    if (kind !== 'screening') this.machine('keywords');
  }

  private leaveMessage(after: MessageAfter): void {
    this.reportSpeech();
    if (this.messages > 0 && this.isSaying) this.listener.control('stop');
    this.messages++;
    this.listener.write({ type: 'message_started', after });
    this.startSaying('message', this.settings.message);
  }

  private startSaying(state: State, text: string): void {
    this.overTalk = new OverTalk(this.remoteDb);
    this.longestSayingMs = MAX_START_MS + text.length * MAX_MS_PER_CHARACTER;
    this.enter(state);
    this.isTextPlaying = this.listener.say(text);
  }

  /** A beep after that still means a machine. */
  private pickedUp(reason: AnswerReason): void {
    if (this.isSaying) this.listener.control('stop');
    this.conclude({ answeredBy: 'human', reason, atMs: this.clockMs });
    const isDoubtful = reason === 'picked_up' && this.messages < MAX_MESSAGES && this.introductions === 0;
    this.converse(isDoubtful ? 'doubtful' : 'over');
  }

  private converse(state: State): void {
    this.reportSpeech();
    this.enter(state);
    if (this.answer) this.listener.converse(this.answer, this.result);
  }

  private hangUp(): void {
    this.reportSpeech();
    this.enter('over');
    this.listener.hangUp();
  }

  private conclude(answer: Answer): void {
    this.answer = answer;
    const { answeredBy: answered_by, reason, atMs: ms } = answer;
    const answering_machine = this.detection(answer);
    this.result = answering_machine.result;
    this.listener.write({ type: 'answered_by', answered_by, reason, ms, answering_machine });
  }

  private detection(answer: Answer): AnswerDetection {
    const { cadence, beepsMs } = this.detector;
    return detectionOf({ answer, cadence, beepsMs, phrases: this.phrases, early: this.early?.evidence });
  }

  private reportSpeech(): void {
    const { speech } = this.detector;
    if (!this.isReported && speech) this.listener.userSpoke(speech, this.clockMs);
    this.isReported = true;
  }

  private get inStateMs(): number {
    return this.clockMs - this.stateSinceMs;
  }

  private enter(state: State): void {
    this.state = state;
    this.stateSinceMs = this.clockMs;
  }
}

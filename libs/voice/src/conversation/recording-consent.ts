import type { MediaPort } from '@app/telephony';
import type { AgentSpeech } from './agent-speech.js';
import type { CallEnding } from './call-ending.js';
import type { Clock } from '../clock.js';
import type { CommandRunner } from './command-runner.js';
import type { ConversationLog } from './conversation-log.js';
import type { AgentProfile, ResponseRequest } from '../providers/voice-provider.js';
import type { ConsentResult } from '../session-events.js';
import type { RecordingConsentSettings, SessionSettings } from '../session-options.js';
import { ToolFailed } from '../tools/tool-box.js';

/** After the question. The idle prompt comes later. */
const ANSWER_MS = 8_000;
/** An answer in words may need this much longer, while the user or the model speaks. */
const MAX_ANSWER_MS = 30_000;

const QUESTION_NOTE =
  'The caller is asked now whether this call may be recorded. When the caller answers in words, call the tool recording_consent with the answer and say nothing else.';

/** The conversation, as the consent changes it. */
interface ConsentedConversation {
  /** The user speaks, or the words of the user are not answered yet. */
  readonly isAnswering: boolean;
  note(text: string): void;
}

/** The line of the conversation. */
interface ConsentLine {
  media: Pick<MediaPort, 'pauseRecording'>;
  clock: Clock;
  log: Pick<ConversationLog, 'write'>;
  commands: Pick<CommandRunner, 'speak'>;
  /** Hangs up after the words. */
  hangUp(text: string | undefined): void;
}

/** Goes on after the consent. Returns whether words were requested. `hasAsked`: the user was asked just now. */
type Next = (hasAsked: boolean) => boolean;

/** The consent of the user to the recording, which is silent until then. */
export class RecordingConsent {
  private stage: 'due' | 'machine' | 'announcing' | 'asking' | 'settled' = 'due';
  private next: Next | undefined;
  private cancelTimer = (): void => undefined;
  private hasGoneOn = false;

  constructor(
    private readonly settings: RecordingConsentSettings,
    private readonly line: ConsentLine,
    private readonly conversation: ConsentedConversation,
  ) {}

  /** The message is about to be spoken: the agent neither hears nor speaks. */
  get holdsBack(): boolean {
    return this.stage === 'due' || this.stage === 'announcing';
  }

  get isDue(): boolean {
    return this.stage === 'due';
  }

  /** The message must be heard completely: nothing interrupts it. */
  get isAnnouncing(): boolean {
    return this.stage === 'announcing' && this.settings.mode === 'announce';
  }

  /** The question is spoken, or was: a key answers it. */
  get takesKeys(): boolean {
    return this.awaitsAnswer || (this.stage === 'announcing' && this.settings.mode === 'ask');
  }

  /** The user has been asked. */
  get awaitsAnswer(): boolean {
    return this.stage === 'asking';
  }

  /** Continues with `next` after the consent or its refusal; at once with a machine, which does not consent. */
  before(isMachine: boolean, next: Next): void {
    if (isMachine && this.isDue) this.stage = 'machine';
    if (this.stage === 'settled' || isMachine) return void next(false);
    this.next = next;
    if (this.stage === 'due' || this.stage === 'machine') void this.begin();
  }

  /** A key of the user. True: it is the answer, which may interrupt the question. */
  press(digit: string): boolean {
    if (!this.takesKeys) return false;
    this.settle(this.settings.acceptKeys.includes(digit) ? 'accepted' : 'refused');
    return true;
  }

  /** The answer in words, as the model has understood it. Throws ToolFailed. */
  answer(agrees: boolean): void {
    if (!this.awaitsAnswer) throw new ToolFailed('not_asked', 'The caller is not being asked.');
    this.hasGoneOn = this.settle(agrees ? 'accepted' : 'refused');
  }

  /** True once: the conversation goes on by itself after the tool, whose result needs no words. */
  takesOver(): boolean {
    const takesOver = this.hasGoneOn;
    this.hasGoneOn = false;
    return takesOver;
  }

  /** To be called at the end of the call. */
  close(): void {
    this.next = undefined;
    this.cancelTimer();
    if (this.stage !== 'settled') this.conclude(this.stage === 'asking' ? 'no_answer' : 'not_asked');
  }

  private async begin(): Promise<void> {
    const { mode, message, language } = this.settings;
    this.stage = 'announcing';
    if (mode === 'ask') this.conversation.note(QUESTION_NOTE);
    const isHeard = await this.line.commands.speak(message, language);
    if (this.stage !== 'announcing') return;
    if (mode === 'announce') return void this.settle(isHeard ? 'announced' : 'not_asked');
    this.stage = 'asking';
    this.expectAnswer(this.line.clock.now() + MAX_ANSWER_MS);
  }

  private expectAnswer(until: number): void {
    this.cancelTimer = this.line.clock.after(ANSWER_MS, () => {
      if (this.conversation.isAnswering && this.line.clock.now() < until) this.expectAnswer(until);
      else this.settle('no_answer');
    });
  }

  /** Returns whether the conversation goes on by itself. */
  private settle(result: ConsentResult): boolean {
    const { mode, onRefusal, refusalMessage } = this.settings;
    const { next } = this;
    this.next = undefined;
    this.cancelTimer();
    this.conclude(result);
    if (result === 'announced' || result === 'accepted') this.line.media.pauseRecording(false, 'consent');
    else if (mode === 'ask' && onRefusal === 'hang_up') {
      this.line.hangUp(refusalMessage);
      return true;
    }
    return next?.(true) ?? false;
  }

  private conclude(result: ConsentResult): void {
    this.stage = 'settled';
    this.line.log.write({ type: 'recording_consent', mode: this.settings.mode, result });
  }
}

/** The conversation, as it begins. */
interface OpenedConversation extends ConsentedConversation {
  readonly isClosing: boolean;
  /** The agent must not begin to speak. */
  readonly isHeldBack: boolean;
  readonly isConnected: boolean;
}

interface OpeningLine extends Omit<ConsentLine, 'hangUp'> {
  voice: Pick<AgentSpeech, 'request' | 'generates'>;
  log: ConversationLog;
  ending: Pick<CallEnding, 'afterSpeech'>;
}

/** The first words of the agent, after the consent to the recording. */
export class FirstWords {
  /** Absent: none is needed. */
  readonly consent: RecordingConsent | undefined;

  constructor(
    private readonly conversation: OpenedConversation,
    private readonly settings: SessionSettings,
    private readonly moment: string,
    private readonly line: OpeningLine,
  ) {
    const hangUp = (text: string | undefined): void => {
      if (text !== undefined) line.voice.request({ say: text });
      line.ending.afterSpeech({ endedBy: 'agent', cause: 'recording_refused' });
    };
    const { recordingConsent: consent } = settings;
    this.consent = consent && new RecordingConsent(consent, { ...line, hangUp }, conversation);
  }

  /** Says the first words, unless the agent has spoken already or the call is closing, for example with a voicemail message. */
  greet(isMachine: boolean): void {
    const { line, settings } = this;
    this.afterConsent(isMachine, (hasAsked) => {
      // The response with the answer of the user may not be over.
      const isBusy = line.voice.generates && !hasAsked;
      if (isBusy || line.log.agentHasSpoken(this.moment, settings.recordingConsent?.message)) return false;
      line.voice.request(firstWords(settings.agent));
      return true;
    });
  }

  /** Says the first words to a person who has taken over from a machine. */
  meetPerson(): void {
    this.afterConsent(false, () => {
      this.line.voice.request(firstWords(this.settings.agent));
      return true;
    });
  }

  private get mayBegin(): boolean {
    const { isConnected, isHeldBack, isClosing } = this.conversation;
    return isConnected && !isHeldBack && !isClosing;
  }

  private afterConsent(isMachine: boolean, next: Next): void {
    if (!this.mayBegin) return;
    if (this.consent) this.consent.before(isMachine, (hasAsked) => this.mayBegin && next(hasAsked));
    else next(false);
  }
}

/** Without a greeting, the provider finds its own. */
const firstWords = ({ greeting }: Pick<AgentProfile, 'greeting'>): ResponseRequest =>
  greeting === '' ? {} : { say: greeting };

import { type LineCodec, type MediaPort, silentFrame } from '@app/telephony';
import type { EarlyMedia } from '../answering-machine/early-media.js';
import { Screening, type ScreeningListener } from '../answering-machine/screening.js';
import type { Clock } from '../clock.js';
import type { EarlyConnection } from '../provider-link/early-connection.js';
import type { SpeakingProviders } from '../flow/agent-flow.js';
import type { FlowHost, FlowSession } from '../flow/flow-session.js';
import { FailedResponses } from '../provider-link/failed-responses.js';
import { Outage } from '../provider-link/outage.js';
import { connectRequest, messageOf, ProviderLink } from '../provider-link/provider-link.js';
import { publicReason } from '../provider-link/public-reason.js';
import { Rotation } from '../provider-link/rotation.js';
import { formatInjectedNote, handedBack, resultNote, saidByPerson, takenOver } from '../providers/realtime-wording.js';
import type {
  AgentProfile,
  ConnectRequest,
  ProviderEvent,
  ResponseRequest,
  VoiceConnection,
} from '../providers/voice-provider.js';
import {
  ExactWords,
  failedCommand as failed,
  type SessionCommand,
  type SessionCommandOutcome,
} from '../session-command.js';
import type { Answer, AnswerResult, ConsentResult, HandBackReason, SessionEnd, TurnWords } from '../session-events.js';
import {
  type AnsweringMachineSettings,
  DEFAULT_PHRASES,
  neuralHearing,
  type Phrases,
  type SessionOptions,
} from '../session-options.js';
import type { DigitInput } from '../tools/digit-input.js';
import { type CallControl, type ConversationControl, TRANSFER_TOOL } from '../tools/tool-box.js';
import { Confirmations } from '../tools/confirmations.js';
import { LateResults } from '../tools/late-results.js';
import { LineHandover, type ToolCall, ToolCalls } from '../tools/tool-calls.js';
import { ToolSpeaker } from '../tools/tool-phrases.js';
import { toolSound, type ToolSound } from '../tools/tool-sound.js';
import { TurnLatencies } from '../transcript/turn-latency.js';
import { AgentSpeech } from './agent-speech.js';
import { BargeIn } from './barge-in.js';
import { Disclosure } from './disclosure.js';
import { GuardedSpeech, type SpeechParts } from './guarded-speech.js';
import { ConversationLog, RunningWords } from './conversation-log.js';
import { type ConversationEvent, type ConversationState, isConversing, nextState } from './conversation-state.js';
import { Keypad } from './keypad.js';
import { PersonOnLine } from './person-on-line.js';
import { RecordingConsent } from './recording-consent.js';
import { IdleTimer, startCallLimit } from './session-timers.js';
import { UserAudio, UserTurns } from './user-input.js';

/** Silence between the last word and the hangup, so that the goodbye is not clipped. */
const SETTLE_MS = 150;
/** A stalled response or queue (call on hold) must not keep an ending call open. */
const MAX_ENDING_MS = 15_000;

/** After the question for consent. The idle prompt comes later. */
const CONSENT_MS = 8_000;
/** An answer in words may need this much longer, while the user or the model speaks. */
const MAX_CONSENT_MS = 30_000;

/** A pause to speak in must come within this time. */
const MAX_PAUSE_WAIT_MS = 60_000;
/** An announcement interrupts the agent after this time. */
const MAX_ANNOUNCEMENT_WAIT_MS = 5_000;
/** The words must be spoken within this time and their own. */
const MAX_START_MS = 15_000;
const MAX_MS_PER_CHARACTER = 150;

/** After a reconnection an answer to the replayed speech is requested after this time. */
const REPLAY_ANSWER_MS = 1_500;

/**
 * How silent the line is.
 * - `none`: the user or the agent speaks or is about to speak, or the agent does not take part
 * - `waiting`: nobody does, but a tool, the next key of the user, or the answer to a question is awaited
 * - `idle`: nothing is awaited
 * - `pause`: the last words of the user are recognised and answered as well: something else may begin
 */
type Silence = 'none' | 'waiting' | 'idle' | 'pause';

/** Why the agent must not speak by itself, and its provider hears silence. */
type HeldBackBy = 'tool' | 'person' | 'mute' | 'screening' | 'disclosure' | 'consent' | 'rule';

/** The first words of the agent: unless it has spoken already, or again to a person who has taken over from a machine. */
type FirstWords = 'greeting' | 'to_person';

/** Input for the provider that the history contains as well. */
type Delivery = (connection: VoiceConnection) => void;

/** Words of a command that wait for a pause; urgent ones only for a moment in which the agent may speak. */
interface WaitingWords {
  words: ExactWords;
  isUrgent: boolean;
}

/**
 * One answered call: connects the line, the provider and the tools until the call ends. Its parts get events and values; what they decide is
 * done here. The methods follow the order of a call: the answer, each frame, the user, the provider, tools, commands, a lost provider and
 * the end.
 */
export class Conversation implements CallControl, ConversationControl {
  private readonly phrases: Phrases;
  private readonly log: ConversationLog;
  private readonly link: ProviderLink;
  private readonly userAudio: UserAudio;
  private readonly userTurns: UserTurns;
  private readonly bargeIn: BargeIn;
  private readonly keypad: Keypad;
  private readonly voice: AgentSpeech;
  private readonly sound: ToolSound | undefined;
  private readonly tools: ToolCalls;
  private readonly handover: LineHandover;
  private readonly toolSpeaker: ToolSpeaker;
  private readonly idle: IdleTimer;
  private readonly latencies: TurnLatencies;
  private readonly words: RunningWords | undefined;
  private readonly screening: Screening | undefined;
  private readonly consent: RecordingConsent | undefined;
  private readonly disclosure: Disclosure | undefined;
  private readonly rules: GuardedSpeech | undefined;
  private readonly rotation: Rotation;
  private readonly outage: Outage;
  private readonly failures = new FailedResponses();
  /** Aborts at the end. */
  private readonly aborted = new AbortController();

  /** Only `enter` changes it; `state` adds the activity of the parts. */
  private stage: ConversationState = 'idle';
  /** By a command. */
  private isMutedByCommand = false;
  /** Speaks instead of the agent. */
  private person: PersonOnLine | undefined;
  /** The provider was given up while a person spoke. */
  private unsaidApology: (() => void) | undefined;
  /** A tool has connected the user to another party. */
  private isHandedOver = false;
  /** The message for a machine, while the provider speaks it; the local voice repeats it when that fails. */
  private unsaidMessage: string | undefined;
  /** Wait for the consent to the recording. */
  private wordsAfterConsent: FirstWords | undefined;
  /** The conversation has gone on by itself after the tool of the consent, whose result needs no words. */
  private hasConsentGoneOn = false;
  /** Words of commands, in order. */
  private waitingWords: WaitingWords[] = [];
  /** Ends each unfinished command with the call. */
  private readonly unfinished = new Set<() => void>();
  /** Ends `take_line`. */
  private returnLine: (() => void) | undefined;
  /** Wait for the next connection. */
  private undelivered: Delivery[] = [];
  /** The user spoke during the outage; the next connection gets that speech and answers it without a request. */
  private isSpokenInto = false;
  /** The first announcement counts. */
  private announcedEnd: SessionEnd | undefined;
  private isHangingUp = false;

  private cancelLimit = (): void => undefined;
  private cancelConsentTimer = (): void => undefined;
  private cancelReplayTimer = (): void => undefined;
  private cancelEndingTimer: (() => void) | undefined;

  constructor(
    private readonly options: SessionOptions,
    private readonly media: MediaPort,
    private readonly clock: Clock,
    private readonly onEnd: (end: SessionEnd) => void,
    private readonly early: { connection?: EarlyConnection; media?: EarlyMedia; flow?: FlowSession } = {},
  ) {
    const { settings } = options;
    const { signal } = this.aborted;
    this.phrases = { ...DEFAULT_PHRASES, ...settings.phrases };
    const { flow } = early;
    const onEvent: SessionOptions['onEvent'] = (event) => {
      options.onEvent(event);
      flow?.noticed(event);
    };
    this.log = new ConversationLog(clock, { ...options, onEvent });
    this.link = new ProviderLink(
      { ...options, early: early.connection },
      clock,
      {
        connecting: () => this.connecting(),
        connected: (connection, codec) => this.connected(connection, codec),
        event: (event) => this.take(event),
        lost: (reason) => this.providerLost(reason),
        attemptFailed: () => this.outage.attemptFailed(),
        restored: (attempts) => this.providerRestored(attempts),
        givenUp: (error) => void this.apologise(error),
      },
      signal,
    );
    const userAudio = (this.userAudio = UserAudio.on(media.codec, clock, options));
    this.userTurns = new UserTurns(this.log, this.link, userAudio);
    this.latencies = new TurnLatencies(clock, (audioMs) => userAudio.timeOf(audioMs));
    this.bargeIn = BargeIn.on(media.codec, settings.bargeIn, neuralHearing(options));
    this.keypad = new Keypad(
      media,
      clock,
      this.log,
      this.latencies,
      (digits) => this.keysEntered(digits),
      options.onSecret,
    );
    this.sound = toolSound(settings, media);
    this.voice = new AgentSpeech({
      ...options,
      media,
      clock,
      signal,
      link: this.link,
      conversationLog: this.log,
      latencies: this.latencies,
      sound: this.sound,
      onDelay: () => this.askToWait(),
    });
    this.handover = new LineHandover(media, clock, this.voice);
    this.toolSpeaker = new ToolSpeaker(clock, {
      fill: () => this.voice.request({ say: this.phrases.filler }),
      say: (text) => this.sayForTool(text),
    });
    const confirmations = new Confirmations(clock, this.log, this.userTurns, signal);
    this.tools = new ToolCalls(
      { ...options, clock },
      this.handover,
      this.toolSpeaker,
      confirmations,
      new LateResults(clock, this.log, () => this.checkSilence()),
      this.log,
      signal,
    );
    this.idle = new IdleTimer(clock, settings.idle, {
      prompt: (count) => this.promptIdleUser(count),
      giveUp: () => this.leaveIdleUser(),
    });
    this.words = options.onWords && new RunningWords(clock, options.onWords);
    this.screening = settings.answeringMachine && this.screeningOf(settings.answeringMachine, early.media);
    this.consent = settings.recordingConsent && new RecordingConsent(settings.recordingConsent);
    this.disclosure = settings.disclosure && new Disclosure(settings.disclosure);
    this.rules = options.guard && new GuardedSpeech(options.guard, options, this.parts());
    this.rotation = new Rotation(clock);
    this.outage = new Outage(clock);
  }

  get isOver(): boolean {
    return this.stage === 'ended';
  }

  /** The end is announced, or has come. */
  private get isClosing(): boolean {
    return this.stage === 'closing' || this.isOver;
  }

  private get state(): ConversationState {
    return nextState(this.stage, {
      type: 'activity',
      isScreening: this.isOpening,
      toolHasLine: this.handover.isActive,
      isPlaying: this.voice.isPlaying,
      isPreparing: this.voice.isPreparing,
    });
  }

  /** The answer is not classified, or something is spoken before the first words of the agent. */
  private get isOpening(): boolean {
    return [this.screening, this.disclosure, this.consent].some((one) => one?.isHoldingBack);
  }

  private get silence(): Silence {
    if (this.state !== 'listening' || this.userTurns.isSpeaking || !this.link.connection) return 'none';
    if (this.keypad.isCollecting || this.tools.areRunning || this.consent?.isAwaitingAnswer) return 'waiting';
    return this.userTurns.isAwaited || this.bargeIn.isUserSpeaking ? 'idle' : 'pause';
  }

  /** The model neither speaks nor calls tools. */
  private get isMuted(): boolean {
    return this.isMutedByCommand || this.person !== undefined;
  }

  /** Undefined: the agent may speak, unless the call is closing. */
  private get heldBackBy(): HeldBackBy | undefined {
    if (this.handover.isActive) return 'tool';
    if (this.person) return 'person';
    if (this.isMuted) return 'mute';
    if (this.screening?.isHoldingBack) return 'screening';
    if (this.disclosure?.isHoldingBack) return 'disclosure';
    if (this.consent?.isHoldingBack) return 'consent';
    return this.rules?.isHoldingBack ? 'rule' : undefined;
  }

  private enter(event: ConversationEvent): void {
    this.stage = nextState(this.stage, event);
  }

  // The answer, and the first words

  start(): void {
    this.enter({ type: 'started' });
    this.early.flow?.begin(this.flowHost(), this.clock);
    this.media.pauseRecording(this.consent !== undefined, 'consent');
    this.media.onFrame((frame, wide) => this.hear(frame, wide));
    this.media.onDtmf((digit, durationMs) => this.pressed(digit, durationMs));
    this.cancelLimit = startCallLimit(this.clock, this.options.settings.maxCallSeconds, {
      warn: (remainingMs) => this.warnOfLimit(remainingMs),
      end: () => this.finish({ endedBy: 'system', cause: 'max_duration' }),
    });
    void this.link.open().then(() => this.opened());
  }

  /** The first connection is open: keys and text that came earlier are answered after the greeting. */
  private opened(): void {
    this.begin('greeting', false);
    if (!this.outage.isAnswerOwed || this.outage.isLasting) return;
    this.outage.end();
    this.voice.request({});
  }

  /** The agent says its first words, after the consent to the recording. */
  private begin(words: FirstWords, isMachine: boolean): void {
    if (!this.canBegin) return;
    const { consent, disclosure } = this;
    const opening = disclosure?.before(words === 'to_person') ?? 'go_on';
    if (disclosure && opening === 'speak') void this.disclose(disclosure, words, isMachine);
    if (opening !== 'go_on') return;
    const step = consent?.before(isMachine) ?? 'go_on';
    if (step === 'go_on') return void this.sayFirstWords(words, false);
    this.wordsAfterConsent = words;
    if (consent && step === 'speak_message') void this.speakConsentMessage(consent);
  }

  private get canBegin(): boolean {
    const { heldBackBy } = this;
    const isFree = heldBackBy === undefined || heldBackBy === 'consent' || heldBackBy === 'disclosure';
    return isFree && !this.isClosing && this.link.connection !== undefined;
  }

  /** Returns whether words were requested. `isAfterAnswer`: the user has just answered the question for consent. */
  private sayFirstWords(words: FirstWords, isAfterAnswer: boolean): boolean {
    if (!this.canBegin) return false;
    if (this.early.flow?.isDue) {
      void this.advanceFlow();
      return true;
    }
    const { agent, recordingConsent } = this.options.settings;
    // The response with the answer of the user may not be over.
    const isBusy = this.voice.isGenerating && !isAfterAnswer;
    const beside = [this.phrases.moment, recordingConsent?.message, this.options.settings.disclosure?.text];
    const isSaid = isBusy || this.log.agentHasSpoken(...beside);
    if (isSaid && words === 'greeting') return false;
    this.voice.request(firstWords(agent));
    return true;
  }

  /** Then what follows: the consent to the recording, or the first words. */
  private async disclose(disclosure: Disclosure, words: FirstWords, isMachine: boolean): Promise<void> {
    await this.speakDisclosure(disclosure, isMachine);
    this.begin(words, isMachine);
  }

  /** Words that the provider did not speak to their end are spoken again, by the local voice. */
  private async speakDisclosure(disclosure: Disclosure, isMachine: boolean): Promise<void> {
    const { text, language, isForeign } = disclosure.settings;
    const begins = (words: ExactWords): void => disclosure.begins(words);
    const isHeard = await this.speak(text, isForeign ? language : undefined, begins);
    if (!isHeard && !this.isOver) await this.speak(text, language, begins);
    if (!this.isOver) this.concludeDisclosure(disclosure, isMachine);
  }

  private concludeDisclosure(disclosure: Disclosure, isMachine: boolean): void {
    const isText = this.options.settings.modality === 'text';
    const heard = disclosure.heard(isText, (itemId) => this.voice.progressOf(itemId));
    disclosure.settle(isMachine);
    this.log.write({ type: 'disclosure_played', language: disclosure.settings.language, ...heard });
  }

  private async speakConsentMessage(consent: RecordingConsent): Promise<void> {
    const { mode, message, language } = consent.settings;
    if (mode === 'ask') this.note(CONSENT_NOTE);
    const result = consent.spoken(await this.speak(message, language));
    if (result) this.settleConsent(consent, result);
    else if (consent.isAwaitingAnswer) this.expectConsent(consent, this.clock.now() + MAX_CONSENT_MS);
  }

  private expectConsent(consent: RecordingConsent, until: number): void {
    this.cancelConsentTimer = this.clock.after(CONSENT_MS, () => {
      // The user speaks, or the words of the user are not answered yet.
      const isAnswering = this.userTurns.isAwaited || this.voice.isGenerating || this.tools.areRunning;
      if (isAnswering && this.clock.now() < until) this.expectConsent(consent, until);
      else this.settleConsent(consent, 'no_answer');
    });
  }

  /** Returns whether the agent goes on by itself. */
  private settleConsent(consent: RecordingConsent, result: ConsentResult): boolean {
    const { mode, onRefusal, refusalMessage } = consent.settings;
    const words = this.wordsAfterConsent;
    this.concludeConsent(consent, result);
    if (result === 'announced' || result === 'accepted') this.media.pauseRecording(false, 'consent');
    else if (mode === 'ask' && onRefusal === 'hang_up') {
      if (refusalMessage !== undefined) this.voice.request({ say: refusalMessage });
      this.endAfterSpeech({ endedBy: 'agent', cause: 'recording_refused' });
      return true;
    }
    return words !== undefined && this.sayFirstWords(words, true);
  }

  private concludeConsent(consent: RecordingConsent, result: ConsentResult): void {
    this.wordsAfterConsent = undefined;
    this.cancelConsentTimer();
    consent.settle();
    this.log.write({ type: 'recording_consent', mode: consent.settings.mode, result });
  }

  // Answering machines

  /** Classifies the answer before the agent's first word. */
  private screeningOf(settings: AnsweringMachineSettings, early: EarlyMedia | undefined): Screening {
    const listener: ScreeningListener = {
      write: (fact) => this.log.write(fact),
      userSpoke: ({ startMs, endMs }, nowMs) => {
        const from = this.clock.now() - nowMs;
        if (!this.userTurns.hasHeard) this.userTurns.spoke(from + startMs, from + endMs);
      },
      converse: (answer, result) => this.converse(answer, result),
      say: (text) => this.sayMessage(text),
      control: (step) => this.controlMessage(step),
      messageLeft: () => this.endAfterSpeech({ endedBy: 'agent', cause: 'message_left' }),
      hangUp: () => this.hangUpOnMachine(),
    };
    return new Screening(this.media.codec, settings, listener, early);
  }

  private converse({ answeredBy, reason }: Answer, result: AnswerResult): void {
    const note = reason === 'picked_up' ? PICKED_UP : answeredBy === 'machine' ? MACHINE_NOTES[result] : undefined;
    if (note !== undefined) this.note(note);
    if (reason === 'picked_up') this.begin('to_person', false);
    else this.begin('greeting', answeredBy === 'machine');
  }

  /** Returns whether the message is being said: by the provider or, when that is not there or fails, by the local voice. */
  private sayMessage(text: string): boolean {
    if (this.isMuted) this.hangUpOnMachine();
    else if (!this.isClosing) {
      if (this.isSpeaking) this.voice.stop('machine');
      const { disclosure } = this;
      if (disclosure?.isDue && disclosure.before(false) === 'speak') void this.discloseBefore(disclosure, text);
      else this.startMessage(text);
    }
    return this.isSpeaking;
  }

  private async discloseBefore(disclosure: Disclosure, message: string): Promise<void> {
    await this.speakDisclosure(disclosure, true);
    if (!this.isClosing) this.startMessage(message);
  }

  private startMessage(text: string): void {
    this.unsaidMessage = text;
    if (this.link.connection) this.voice.request({ say: text });
    else this.repeatMessage();
  }

  /** The provider was lost, or its response failed. Returns whether there is a message to say. */
  private repeatMessage(): boolean {
    const text = this.unsaidMessage;
    this.unsaidMessage = undefined;
    if (text !== undefined) void this.say(text);
    return text !== undefined;
  }

  private controlMessage(step: 'hold' | 'continue' | 'stop'): void {
    if (step === 'hold') return this.voice.hold();
    if (step === 'continue') return this.voice.continue();
    this.unsaidMessage = undefined;
    if (this.isSpeaking) this.voice.stop('speech');
  }

  private hangUpOnMachine(): void {
    this.finish({ endedBy: 'agent', cause: 'answering_machine' });
  }

  // Every 20 ms

  private hear(frame: Buffer, wide?: Buffer): void {
    if (this.isOver) return;
    const { screening, consent, userTurns, bargeIn } = this;
    const { connection, provider } = this.link;
    const screened = screening?.hear(frame, provider.capabilities.listensOnly === true, this.isSpeaking) ?? frame;
    const isSpokenFirst = consent?.isHoldingBack || this.disclosure?.isHoldingBack;
    const isKept = this.keypad.isLineHidden || (isSpokenFirst && !screening?.isHoldingBack);
    const forAgent = isKept ? silentFrame(this.media.codec) : this.handover.audible(screened);
    // The screening may have ended the call.
    if (this.isOver) return;
    screening?.steer(connection);
    const audible = { narrow: forAgent, wide: wide && forAgent !== frame ? silentFrame('L16') : wide };
    const matters = userTurns.isAwaited || bargeIn.isUserSpeaking;
    this.userAudio.push(audible, connection, { matters, silenceMs: bargeIn.silenceMs });
    this.hearInterruption(frame, isKept || this.handover.isActive);
    this.watchOutage();
    this.watchPerson();
    if (this.words?.isDue) this.words.report(this.runningTurns());
    this.sound?.tick(this.shouldPlayToolSound);
    this.checkSilence();
  }

  /** `isApart`: the user does not speak to the agent. */
  private hearInterruption(frame: Buffer, isApart: boolean): void {
    const { voice, bargeIn, isJudged } = this;
    // The screening holds its message itself.
    const isHeld = voice.isHeld && !this.screening?.isSaying;
    const speaks = voice.isPlaying && !isApart && !this.isUninterruptible;
    const step = bargeIn.heard(frame, { speaks, isHeld, isJudged });
    if (!step) return;
    voice.duck(bargeIn.isDucked);
    if (step === 'hold') voice.hold();
    if (step === 'continue') voice.continue();
    if (step === 'stop') this.interrupt('speech');
  }

  private watchOutage(): void {
    if (!this.outage.isLasting) return;
    const { isUserSpeaking } = this.bargeIn;
    if (!this.link.connection && isUserSpeaking) this.isSpokenInto = true;
    const isQuiet = this.media.queuedMs === 0 && !this.voice.isPlaying && !isUserSpeaking && isConversing(this.state);
    if (this.outage.shouldAskToWait(isQuiet)) this.askToWait();
  }

  private runningTurns(): TurnWords[] {
    const ofAgent = this.log.runningTurns((itemId) => this.voice.progressOf(itemId));
    return [...ofAgent, ...this.userTurns.runningTurns()];
  }

  /** The user waits for a tool, or for the words after it, and was asked to. */
  private get shouldPlayToolSound(): boolean {
    const { state, voice, sound } = this;
    if (state !== 'listening' && state !== 'thinking') return false;
    const isWaiting = this.toolSpeaker.hasSpoken || (sound?.isPlaying === true && voice.isPreparing);
    return isWaiting && !this.userTurns.isSpeaking && !this.isMuted && this.link.connection !== undefined;
  }

  /** Begins what waits for silence. Also after a response or a tool, because the time of silence counts from there. */
  private checkSilence(): void {
    if (this.consent?.isDue || this.disclosure?.isDue) this.begin('greeting', false);
    const { silence, isMuted } = this;
    this.idle.update(silence === 'none' || silence === 'waiting' || isMuted);
    this.toolSpeaker.update(silence !== 'none' && !isMuted);
    this.voice.checkDelay(this.userTurns.isSpeaking);
    if (silence === 'pause' && this.early.flow?.isDue && !this.voice.isGenerating) void this.advanceFlow(true);
    const isLate = silence === 'pause' && !isMuted && this.tools.haveLateResults;
    if (isLate && !this.early.flow?.isChanging) this.deliverLateResults();
    if (silence === 'pause' && this.rotation.begin()) void this.rotate();
    this.speakWaitingWords();
  }

  private async rotate(): Promise<void> {
    const sentTurns = this.log.length;
    try {
      const isRotated = await this.link.rotate(() => this.silence === 'pause' && this.log.length === sentTurns);
      this.rotation.tried(isRotated ? 'rotated' : 'postponed');
      if (isRotated) this.log.write({ type: 'provider_rotated' });
    } catch (error) {
      this.rotation.tried('failed');
      this.log.write({ type: 'error', code: 'rotation_failed', message: messageOf(error) });
    }
  }

  private promptIdleUser(count: number): void {
    this.log.write({ type: 'idle_prompt', count });
    this.voice.prompt(this.phrases.idle);
  }

  private leaveIdleUser(): void {
    this.voice.prompt(this.phrases.goodbye);
    this.endAfterSpeech({ endedBy: 'agent', cause: 'agent_hangup' });
  }

  private warnOfLimit(remainingMs: number): void {
    this.log.write({ type: 'time_warning', remaining_ms: remainingMs });
    this.note(`The call ends in ${remainingMs / 1000} seconds. Come to a close and say goodbye.`);
  }

  // The user

  private speechStarted(itemId: string, audioMs: number): void {
    const startedAt = this.userAudio.timeOf(audioMs);
    this.userTurns.started(itemId, startedAt);
    this.rules?.userActs();
    if (!this.userAudio.isNow(startedAt)) return;
    if (!this.isJudged && this.bargeIn.isGuardOver) this.interrupt('speech');
  }

  private speechStopped(itemId: string, audioMs: number): void {
    this.userTurns.stopped(itemId, this.userAudio.timeOf(audioMs));
    this.idle.userActed();
  }

  private interrupt(by: 'speech' | 'dtmf' | 'provider'): void {
    if (this.voice.isPlaying && !this.isUninterruptible) this.voice.stop(by);
  }

  /** The agent says goodbye, or a message for a machine. */
  private get isUninterruptible(): boolean {
    return this.stage === 'closing' || [this.screening?.isSaying, this.disclosure?.isSpeaking].includes(true);
  }

  /** The provider decides whether speech interrupts. */
  private get isJudged(): boolean {
    const { connection, provider } = this.link;
    return connection !== undefined && provider.capabilities.judgesInterruptions === true;
  }

  private pressed(digit: string, durationMs: number): void {
    if (this.isOver) return;
    this.keypad.note(digit, durationMs);
    this.idle.userActed();
    this.rules?.userActs();
    if (this.stage === 'closing') return;
    this.screening?.press();
    const { consent, keypad } = this;
    const isAsked = keypad.isAsked || consent?.isAnsweredByKeys;
    if ((this.bargeIn.isGuardOver && !consent?.isAnnouncing) || isAsked) this.interrupt('dtmf');
    const answer = consent?.press(digit);
    if (consent && answer) this.settleConsent(consent, answer);
    else keypad.press(digit);
  }

  /** The keys of one input. */
  private keysEntered(digits: string): void {
    if (this.isOver) return;
    this.log.keys(digits);
    if (!isConversing(this.state)) return;
    if (this.isMuted) this.latencies.unanswered();
    else this.latencies.acted();
    this.deliver((connection) => connection.sendDigits(digits));
    this.answerUser();
  }

  /** Takes text of the user in a text conversation. */
  hearText(text: string): void {
    if (this.isOver) return;
    this.log.textTurn('callee', text);
    this.idle.userActed();
    if (!isConversing(this.state)) return;
    this.interrupt('speech');
    const { rules } = this;
    const answer = (): void => {
      this.deliver((connection) => connection.sendText(text, 'user'));
      this.answerUser();
    };
    if (rules) rules.hearText(text, answer);
    else answer();
  }

  /** After the change that the input has decided. */
  private answerUser(): void {
    if (this.early.flow?.isDue) void this.advanceFlow();
    else this.answer();
  }

  private answer(): void {
    // The answer follows the change.
    if (this.isMuted || this.rules?.isActing || this.early.flow?.isChanging) return;
    if (this.hasConsentGoneOn) this.hasConsentGoneOn = false;
    else if (this.link.connection) this.voice.request({});
    else this.outage.oweAnswer();
  }

  // The provider

  private take(event: ProviderEvent): void {
    this.latencies.take(event);
    if (!this.rules || this.rules.passes(event)) this.handle(event);
  }

  private handle(event: ProviderEvent): void {
    switch (event.type) {
      case 'response_started':
        return this.responseStarted(event.responseId);
      case 'audio':
        return this.voice.play(event) ? this.outage.end() : undefined;
      case 'agent_text':
        return this.voice.text(event);
      case 'tool_call':
        this.outage.end();
        return void this.latencies.toolRuns(this.runTool(event));
      case 'response_done':
        return this.responseDone(event);
      case 'response_refused':
        return this.voice.refused(this.shouldPlayResponse);
      case 'speech_started':
        return this.speechStarted(event.itemId, event.audioMs);
      case 'speech_stopped':
        return this.speechStopped(event.itemId, event.audioMs);
      case 'user_text':
      case 'user_interim':
        this.screening?.words(event.text);
        this.userTurns.take(event);
        if (event.type === 'user_text') this.rules?.heard(event.text);
        return this.prepareAnswer();
      case 'turn_decision':
        return this.userTurns.take(event);
      case 'interrupted':
        // Held speech was stopped by the words of the user.
        return this.interrupt(this.voice.isHeld ? 'speech' : 'provider');
      case 'not_interrupted':
        this.bargeIn.harmless();
        return this.voice.continue();
      case 'delayed':
        return this.askToWait();
      case 'usage':
        return event.items.forEach((item) => this.log.write({ type: 'usage', ...item }));
      case 'expiring':
        return this.rotation.expiring();
      case 'error':
        this.failures.reported(event.message);
        return this.log.providerError(this.link.provider.name, event);
      case 'first_token':
      case 'closed':
    }
  }

  private responseStarted(responseId: string): void {
    const isPlayed = this.shouldPlayResponse;
    this.voice.started(responseId, isPlayed);
    this.rules?.responseStarted(responseId, isPlayed);
  }

  /** Whether an unrequested response is played: not while the agent is held back, nor after the goodbye. */
  private get shouldPlayResponse(): boolean {
    if (this.voice.isAwaitingWords) return true;
    return this.isUninterruptible ? this.voice.isAwaitingStart : this.heldBackBy === undefined;
  }

  private responseDone({ responseId, status }: Extract<ProviderEvent, { type: 'response_done' }>): void {
    const unsaid = status === 'failed' ? this.voice.unsaid(responseId) : undefined;
    const isContinued = this.tools.areCalledBy(responseId);
    this.voice.done(responseId);
    if (status === 'completed') this.failures.completed();
    if (this.options.settings.modality === 'text' && status !== 'failed') this.outage.end();
    const isMessage = status === 'failed' && this.repeatMessage();
    if (unsaid && !isMessage && !isContinued) this.responseFailed(unsaid);
    this.answerTools(responseId);
    this.speechEnded();
    this.checkSilence();
  }

  /** The connection lives, but nobody has answered the user. */
  private responseFailed(unsaid: ResponseRequest): void {
    if (this.isClosing || this.isMuted) return;
    const step = this.failures.failed(this.link.hasFallback);
    // The provider answers the speech of the user by itself.
    const isSpokenTo = this.userTurns.isSpeaking || this.bargeIn.isUserSpeaking;
    const isAnswer = unsaid.say === undefined;
    if (step === 'repeat') {
      if (!isSpokenTo && !(isAnswer && this.voice.isGenerating)) this.voice.request(unsaid);
      return;
    }
    if (isAnswer) this.outage.oweAnswer();
    this.link.fail(this.failures.reason, step === 'replace');
  }

  // Tools

  private async runTool(call: ToolCall): Promise<void> {
    const { connection } = this.link;
    if (this.isMuted) return connection?.sendToolResult(call.toolCallId, MUTED_TOOL);
    const text = await this.tools.run(call, this);
    if (text === undefined) return;
    if (this.isHandedOver) return this.leave();
    if (connection && connection === this.link.connection) connection.sendToolResult(call.toolCallId, text);
    else this.deliver((other) => other.sendText(resultNote(call, text), 'system'));
    this.tools.delivered(call.responseId);
    this.answerTools(call.responseId);
    this.checkEnding();
    this.checkSilence();
  }

  /** Answers all tools of a response together, after its last call. */
  private answerTools(responseId: string): void {
    if (this.voice.isActive(responseId) || !this.tools.areAnswerable(responseId)) return;
    if (this.isClosing) return;
    const { words, isModelNeeded } = this.tools.takeReply(responseId);
    this.answerResults(words, isModelNeeded);
  }

  private deliverLateResults(): void {
    const { notes, words, isModelNeeded } = this.tools.deliverLate();
    for (const text of notes) this.note(text);
    this.answerResults(words, isModelNeeded);
  }

  /** `words`: what the agent says about results. They may have led to another step, in which the model answers. */
  private answerResults(words: readonly string[], isModelNeeded: boolean): void {
    const areSpoken = words.filter((text) => this.sayForTool(text)).length === words.length;
    const isAnswered = !isModelNeeded && areSpoken;
    if (this.early.flow?.isDue) void this.advanceFlow(isAnswered);
    else if (!isAnswered) this.answer();
  }

  /** In the agent's voice, after what it is saying. False: it cannot speak now. */
  private sayForTool(text: string): boolean {
    if (this.isMuted || this.isClosing || !this.link.connection) return false;
    this.voice.request({ say: text });
    return true;
  }

  // Steps and handoffs

  /** A provider that answers by itself does so with the step that the turn has led to, unless it has begun already. */
  private prepareAnswer(): void {
    const { flow } = this.early;
    if (flow?.isDue && flow.isPlain && !this.voice.isGenerating) void flow.advance();
  }

  /** `isAnswered`: the user has got an answer to the last turn. */
  private async advanceFlow(isAnswered = false): Promise<void> {
    const { flow } = this.early;
    if (!flow) return;
    const followed = await flow.advance();
    if (this.isClosing || this.isMuted) return;
    if (followed.type === 'answer' && (followed.isOwed || !isAnswered)) this.answer();
    if (followed.type === 'greet') this.voice.request({ say: followed.text });
    this.checkEnding();
  }

  private flowHost(): FlowHost {
    const isClosing = (): boolean => this.isClosing;
    return {
      get isClosing() {
        return isClosing();
      },
      write: (fact) => this.log.write(fact),
      update: (providers) => this.updateProvider(providers),
      judgeBy: (judge) => this.options.guard?.judgeBy(judge),
      inherit: (inherited, note) => {
        if (!inherited.keepsHistory) this.log.restartHistory(inherited.turns);
        // The old connection says nothing any more.
        this.log.note(note);
      },
      note: (text) => this.note(text),
      speak: (text) => this.speak(text),
      transfer: (args) => this.transferByFlow(args),
      end: () => this.endCall(),
      due: () => this.checkSilence(),
    };
  }

  private async updateProvider(providers: SpeakingProviders | undefined): Promise<void> {
    const { connection } = this.link;
    if (providers) return this.link.replace(providers.provider, providers.fallbacks);
    const { settings, tools } = this.options;
    // The next connection opens with them.
    if (!connection || connection.update?.({ agent: settings.agent, tools: tools.definitions() })) return;
    await this.link.renew();
  }

  private async transferByFlow(args: Record<string, unknown>): Promise<string | undefined> {
    const toolCallId = `flow-${this.log.nowMs}`;
    const call: ToolCall = {
      type: 'tool_call',
      responseId: toolCallId,
      toolCallId,
      name: TRANSFER_TOOL.name,
      arguments: JSON.stringify(args),
    };
    const text = await this.transferByService(call);
    if (text !== undefined) this.deliver((connection) => connection.sendText(resultNote(call, text), 'system'));
    return text;
  }

  endCall(): void {
    // A tool from before the takeover must not hang up on the person.
    if (this.person) return;
    this.voice.clearWaiting();
    this.endAfterSpeech({ endedBy: 'agent', cause: 'agent_hangup' });
  }

  async sendDtmf(digits: string): Promise<void> {
    await this.media.sendDtmf(digits);
    this.log.write({ type: 'dtmf_sent', digits });
  }

  handOver(): void {
    this.isHandedOver = true;
  }

  collectDigits(input: DigitInput, signal: AbortSignal): Promise<Record<string, unknown>> {
    return this.keypad.collect(input, (text) => this.speak(text), signal);
  }

  answerConsent(agrees: boolean): void {
    const { consent } = this;
    if (consent) this.hasConsentGoneOn = this.settleConsent(consent, consent.answer(agrees));
  }

  // Commands

  /** Executes a command. Never rejects. */
  run(command: SessionCommand): Promise<SessionCommandOutcome> {
    if (this.isClosing) return Promise.resolve(CLOSING);
    switch (command.type) {
      case 'say':
        return this.sayCommanded(command);
      case 'inject':
        return Promise.resolve(this.inject(command));
      case 'tool_result':
        return Promise.resolve(this.tools.takeLateResult(command) ? this.done() : NO_SUCH_USE);
      case 'mute_agent':
        return Promise.resolve(this.mute());
      case 'unmute_agent':
        this.isMutedByCommand = false;
        return Promise.resolve(this.done());
      case 'take_line':
        return this.takeLine();
      case 'return_line':
        return Promise.resolve(this.giveBackLine(command.note));
      case 'take_over':
        return Promise.resolve(this.takeOver(command.name));
      case 'hand_back':
        this.handBack(command.reason);
        return Promise.resolve(this.done());
      case 'announce':
        return this.announce(command);
      default:
        this.leave();
        return Promise.resolve(this.done());
    }
  }

  private done(result?: Record<string, unknown>): SessionCommandOutcome {
    return { ok: true, atMs: this.log.nowMs, ...(result && { result }) };
  }

  private sayCommanded({
    commandId,
    text,
    when,
  }: Extract<SessionCommand, { type: 'say' }>): Promise<SessionCommandOutcome> {
    return new Promise((resolve) => {
      const end = (): void => words.settle(ENDED);
      const words = new ExactWords(commandId, text, this.log, (outcome) => {
        this.unfinished.delete(end);
        this.waitingWords = this.waitingWords.filter((one) => one.words !== words);
        resolve(outcome);
      });
      this.unfinished.add(end);
      words.limit(this.clock, MAX_PAUSE_WAIT_MS, NO_PAUSE);
      this.waitingWords.push({ words, isUrgent: when === 'now' });
      this.speakWaitingWords();
    });
  }

  private speakWaitingWords(): void {
    const [next] = this.waitingWords;
    if (!next || this.person || !(next.isUrgent ? isConversing(this.state) : this.silence === 'pause')) return;
    this.waitingWords.shift();
    if (this.voice.isPlaying || this.voice.isGenerating) this.voice.stop('command');
    next.words.limit(this.clock, MAX_START_MS + next.words.text.length * MAX_MS_PER_CHARACTER, TOO_LATE);
    this.voice.sayExactly(next.words);
  }

  /**
   * Speaks words of the session itself after the agent's own; the local voice speaks those with a language. Resolves with whether they
   * were heard completely.
   */
  private speak(text: string, language?: string, begins?: (words: ExactWords) => void): Promise<boolean> {
    if (this.person) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settled = ({ ok }: SessionCommandOutcome): void => {
        this.unfinished.delete(end);
        resolve(ok);
      };
      const words = new ExactWords(undefined, text, this.log, settled, language);
      const end = (): void => words.settle(ENDED);
      this.unfinished.add(end);
      begins?.(words);
      words.limit(this.clock, MAX_PAUSE_WAIT_MS + text.length * MAX_MS_PER_CHARACTER, TOO_LATE);
      this.voice.sayExactly(words);
    });
  }

  private inject({ note, respond, variables }: Extract<SessionCommand, { type: 'inject' }>): SessionCommandOutcome {
    this.note(formatInjectedNote(note));
    if (variables) this.early.flow?.assign(variables);
    const isAnswered = respond && isConversing(this.state) && !this.isMuted;
    if (isAnswered) this.answer();
    return this.done({ responded: isAnswered });
  }

  private mute(): SessionCommandOutcome {
    this.isMutedByCommand = true;
    const canStop = !this.disclosure?.isSpeaking;
    if (canStop && (this.voice.isPlaying || this.voice.isGenerating)) this.voice.stop('command');
    return this.done();
  }

  private takeLine(): Promise<SessionCommandOutcome> {
    if (this.person) return Promise.resolve(failed('taken_over', `${this.person.name} speaks on this call.`));
    if (this.handover.isActive || this.returnLine)
      return Promise.resolve(failed('not_possible', 'The call is being transferred already.'));
    return new Promise((resolve) => {
      const end = (): void => resolve(ENDED);
      this.unfinished.add(end);
      const hold = (): Promise<void> => {
        this.unfinished.delete(end);
        resolve(this.done());
        return new Promise((back) => (this.returnLine = back));
      };
      void this.handover.during(hold, this.aborted.signal);
    });
  }

  private giveBackLine(note: string): SessionCommandOutcome {
    this.returnLine?.();
    this.returnLine = undefined;
    // The line is free after the current turn of the event loop.
    setImmediate(() => {
      if (this.isClosing) return;
      this.note(note);
      if (!this.isMuted) this.answer();
    });
    return this.done();
  }

  // A person instead of the agent

  private takeOver(name: string): SessionCommandOutcome {
    if (this.person) return failed('taken_over', `${this.person.name} has taken over already.`);
    if (this.isOpening)
      return failed('not_possible', 'The agent has not begun to talk yet. Try again in some seconds.');
    if (this.handover.isClaimed || this.returnLine) return failed('not_possible', 'The call is being transferred.');
    // It neither speaks nor uses tools from here on; what it has begun is cut where it was heard.
    const person = new PersonOnLine(name, this.media, this.clock, this.log, {
      said: (text, durationMs) => this.note(saidByPerson(name, text, durationMs)),
    });
    this.person = person;
    if (this.isSpeaking) this.voice.stop('supervisor');
    this.voice.duck(false);
    this.sound?.stop();
    this.link.connection?.listenOnly?.(true);
    this.log.write({ type: 'took_over', name });
    this.note(takenOver(name));
    void this.recognise(person);
    return this.done();
  }

  /** 20 ms of L16 of the person who has taken over. */
  hearPerson(frame: Buffer): void {
    if (!this.isOver) this.person?.hear(frame);
  }

  /** Without a recognition the turns of the person have no words. */
  private async recognise(person: PersonOnLine): Promise<void> {
    const { provider } = this.link;
    const { language } = this.options.settings.agent;
    try {
      const words = await provider.recogniseOther?.(
        language,
        (event) => {
          if (event.type === 'words') person.heard(event);
          else if (event.type === 'usage') event.items.forEach((item) => this.log.write({ type: 'usage', ...item }));
          else this.recognitionEnded(person, 'recognition_lost', event.reason);
        },
        this.aborted.signal,
      );
      person.recogniseBy(words);
    } catch (error) {
      this.recognitionEnded(person, 'recognition_failed', messageOf(error));
    }
  }

  private recognitionEnded(person: PersonOnLine, code: string, reason: string): void {
    if (!this.isOver) this.log.write({ type: 'error', code, message: publicReason(reason) });
    person.recogniseBy(undefined);
  }

  private watchPerson(): void {
    const reason = this.person?.absence(this.bargeIn.isUserSpeaking);
    if (reason) this.handBack(reason);
  }

  private handBack(reason: HandBackReason): void {
    const { person } = this;
    if (!person) return;
    person.leave();
    this.person = undefined;
    this.link.connection?.listenOnly?.(false);
    this.log.write({ type: 'handed_back', name: person.name, reason });
    this.note(handedBack(person.name));
    const apologise = this.unsaidApology;
    this.unsaidApology = undefined;
    if (apologise) apologise();
    else if (!this.isMuted) {
      this.latencies.unanswered();
      this.answer();
    }
    this.checkSilence();
  }

  private announce({ text, language }: Extract<SessionCommand, { type: 'announce' }>): Promise<SessionCommandOutcome> {
    return new Promise((resolve) => {
      const end = (): void => waiting.words.settle(ENDED);
      const settled = (outcome: SessionCommandOutcome): void => {
        cancel();
        this.unfinished.delete(end);
        this.waitingWords = this.waitingWords.filter((one) => one !== waiting);
        resolve(outcome);
      };
      const cancel = this.clock.after(MAX_ANNOUNCEMENT_WAIT_MS, () => {
        waiting.isUrgent = true;
        this.speakWaitingWords();
      });
      const waiting: WaitingWords = {
        words: new ExactWords(undefined, text, this.log, settled, language),
        isUrgent: false,
      };
      this.unfinished.add(end);
      waiting.words.limit(this.clock, MAX_PAUSE_WAIT_MS, NO_PAUSE);
      this.waitingWords.push(waiting);
      this.speakWaitingWords();
    });
  }

  /** The user is connected to another party. */
  private leave(): void {
    this.finish({ endedBy: 'agent', cause: 'transferred' });
  }

  // A lost provider: nothing is said twice, and no input of the user is lost

  private providerLost(reason: string): void {
    this.log.write({ type: 'provider_lost', reason: publicReason(reason) });
    this.options.log.warn({ provider: this.link.provider.name }, 'voice provider lost');
    this.rotation.settled();
    this.outage.begin();
    this.rules?.connectionLost();
    const hadMoreToSay = this.voice.connectionLost();
    const since = this.userTurns.connectionLost();
    this.userAudio.lost(since ?? this.clock.now());
    this.isSpokenInto ||= since !== undefined || this.bargeIn.isUserSpeaking;
    if (hadMoreToSay) {
      this.outage.oweAnswer();
      this.repeatMessage();
    }
    this.speechEnded();
  }

  /** A connection is requested with the history so far. */
  private connecting(): ConnectRequest {
    this.undelivered = [];
    return connectRequest(this.options, this.media, this.link.provider, this.tools.history());
  }

  private connected(connection: VoiceConnection, codec: LineCodec): void {
    this.screening?.steer(connection);
    if (this.person) connection.listenOnly?.(true);
    this.userAudio.connected(connection, codec);
    for (const send of this.undelivered.splice(0)) send(connection);
  }

  /** The greeting or an early event may have requested a response already. */
  private providerRestored(attempts: number): void {
    this.log.write({ type: 'provider_restored', attempts, provider: this.link.provider.name });
    if (this.stage === 'closing') return this.outage.end();
    this.begin('greeting', false);
    if (this.isSpokenInto || this.voice.isGenerating) this.outage.oweAnswer();
    if (this.isSpokenInto) this.expectReplayAnswer();
    else if (this.outage.isAnswerOwed && !this.voice.isGenerating) this.voice.request({});
    this.isSpokenInto = false;
    this.outage.restored();
  }

  /** Speech that is too short for the provider's voice activity detection would otherwise stay unanswered. */
  private expectReplayAnswer(): void {
    this.cancelReplayTimer();
    this.cancelReplayTimer = this.clock.after(REPLAY_ANSWER_MS, () => {
      if (!this.outage.isLasting || this.voice.isGenerating) return;
      if (this.bargeIn.isUserSpeaking || this.userTurns.isSpeaking) this.expectReplayAnswer();
      else this.voice.request({});
    });
  }

  private async apologise(error: unknown): Promise<void> {
    if (this.person) {
      this.unsaidApology = () => void this.apologise(error);
      return;
    }
    const reason = publicReason(messageOf(error));
    this.log.write({ type: 'error', code: 'agent_provider_error', message: reason, reason });
    this.options.log.error({ provider: this.link.provider.name, reason }, 'voice provider given up');
    if (this.stage === 'closing') return;
    const end = { endedBy: 'system', cause: 'agent_provider_error' } as const;
    this.announceEnd(end);
    if (!this.isMuted) await this.say(this.phrases.apology);
    this.endAfterSpeech(end);
  }

  // The end

  /** Nothing interrupts the agent from here on. */
  private announceEnd(end: SessionEnd): void {
    this.announcedEnd ??= end;
    this.enter({ type: 'end_announced' });
  }

  /** Ends the call after the remaining speech. */
  private endAfterSpeech(end: SessionEnd): void {
    this.announceEnd(end);
    this.cancelEndingTimer ??= this.clock.after(this.media.queuedMs + MAX_ENDING_MS, () =>
      this.finish(this.announcedEnd ?? end),
    );
    this.checkEnding();
  }

  /** To be called when a response or a tool has ended. */
  private checkEnding(): void {
    if (!this.announcedEnd || this.isHangingUp || this.voice.isPreparing || this.tools.areRunning) return;
    this.isHangingUp = true;
    void this.hangUp(this.announcedEnd);
  }

  private async hangUp(end: SessionEnd): Promise<void> {
    try {
      await this.media.drained(SETTLE_MS);
      this.finish(end);
    } catch {
      // The port closed first: the remote party hung up.
      this.finish({ endedBy: 'callee', cause: 'normal_clearing' });
    }
  }

  /** Ends the conversation at once; only the first end counts. */
  finish(reason: SessionEnd): void {
    if (this.isOver) return;
    const end = this.screening?.endOf(reason) ?? reason;
    this.enter({ type: 'ended' });
    this.cancelLimit();
    this.early.flow?.close();
    this.cancelEndingTimer?.();
    this.keypad.close();
    this.idle.close();
    this.cancelReplayTimer();
    this.outage.end();
    // Before the audio of the words is dropped.
    this.endDisclosure();
    for (const endCommand of [...this.unfinished]) endCommand();
    this.waitingWords = [];
    this.returnLine?.();
    this.voice.close();
    this.userAudio.close();
    this.bargeIn.close();
    const unsettled = this.consent?.ended();
    if (this.consent && unsettled) this.concludeConsent(this.consent, unsettled);
    this.sound?.stop();
    this.userTurns.closeAll();
    this.person?.close();
    this.person = undefined;
    this.tools.callEnded();
    this.link.close();
    this.rules?.close();
    this.log.write({ type: 'ended', ended_by: end.endedBy, cause: end.cause });
    this.log.seal();
    this.aborted.abort();
    this.onEnd(end);
  }

  /** The call is over in the middle of the disclosure, or before it. Unanswered calls have no conversation. */
  private endDisclosure(): void {
    if (this.disclosure?.isHoldingBack) this.concludeDisclosure(this.disclosure, false);
  }

  // Rules

  private parts(): SpeechParts {
    const { voice, log, link } = this;
    return {
      ...{ voice, log, link },
      isOver: () => this.isClosing,
      note: (text) => this.note(text),
      speak: (text) => this.speak(text),
      resume: (event) => this.handle(event),
      answer: () => this.answer(),
      end: () => this.endAfterSpeech({ endedBy: 'agent', cause: 'agent_hangup' }),
      transfer: (call) => this.transferByService(call),
    };
  }

  /** A transfer that a rule or a flow wants, not the model. Resolves with the result for the model when nobody takes the call. */
  private async transferByService(call: ToolCall): Promise<string | undefined> {
    const { responseId } = call;
    const text = await this.tools.run(call, this);
    this.tools.delivered(responseId);
    if (this.tools.areAnswerable(responseId)) this.tools.takeReply(responseId);
    if (!this.isHandedOver) return text;
    this.leave();
    return undefined;
  }

  // What several of them do

  /** The agent speaks, or prepares to. */
  private get isSpeaking(): boolean {
    return this.voice.isPlaying || this.voice.isPreparing;
  }

  /** Asks the user to wait for the provider. */
  private askToWait(): void {
    if (this.heldBackBy === undefined && !this.isClosing && !this.voice.isPlaying) void this.say(this.phrases.moment);
  }

  /** By the local voice. */
  private async say(text: string): Promise<void> {
    await this.voice.say(text);
    this.speechEnded();
  }

  /** Speech may have ended: continues a waiting end, or a tool that waits for the line. */
  private speechEnded(): void {
    this.checkEnding();
    this.handover.check();
  }

  /** A message of the system to the agent; the user does not hear it. */
  private note(text: string): void {
    this.log.note(text);
    this.deliver((connection) => connection.sendText(text, 'system'));
  }

  /** Sends now, or over the next connection unless that opens with the newer history. */
  private deliver(send: Delivery): void {
    if (this.link.connection) send(this.link.connection);
    else this.undelivered.push(send);
  }
}

const CONSENT_NOTE =
  'The caller is asked now whether this call may be recorded. When the caller answers in words, call the tool recording_consent with the answer and say nothing else.';

/** Without a greeting, the provider finds its own. */
const firstWords = ({ greeting }: Pick<AgentProfile, 'greeting'>): ResponseRequest =>
  greeting === '' ? {} : { say: greeting };

/** What the agent learns about a machine that it talks to. */
const MACHINE_NOTES: Partial<Record<AnswerResult, string>> = {
  voicemail: 'An answering machine picked up.',
  fax: 'A fax machine picked up.',
  ivr: 'An automated menu or announcement picked up. Keys can be sent with the tool for DTMF.',
  screening: 'A call screening service picked up. It asks who is calling.',
};
const PICKED_UP = 'A person has picked up now. Talk to the person.';

/** The result of a tool that the model calls while it is muted. */
const MUTED_TOOL = '{"error":{"code":"agent_muted","message":"You are muted: no tool was run."}}';

const ENDED = failed('call_ended', 'The call ended before the command was executed to its end.');
const CLOSING = failed('call_ending', 'The agent is saying goodbye, and the call is about to end.');
const NO_SUCH_USE = failed('not_waiting', 'No result of this tool is waited for in the conversation.');
const NO_PAUSE = failed('no_pause', 'There was no pause to speak in within 60 seconds. Use "when": "now".');
const TOO_LATE = failed('time_limit', 'The voice of the agent did not speak the words in time.');

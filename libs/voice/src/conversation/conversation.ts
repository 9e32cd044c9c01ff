import { type MediaPort, silentFrame } from '@app/telephony';
import { AgentSpeech } from './agent-speech.js';
import type { EarlyMedia } from '../answering-machine/early-media.js';
import type { Screening } from '../answering-machine/screening.js';
import { BargeIn } from './barge-in.js';
import {
  CallEnding,
  idlePrompts,
  type ScreenedConversation,
  screeningOn,
  timeWarning,
  VoicemailMessage,
} from './call-ending.js';
import type { Clock } from '../clock.js';
import { type CommandedConversation, CommandRunner } from './command-runner.js';
import type { EarlyConnection } from '../provider-link/early-connection.js';
import { ConversationLog, RunningWords } from './conversation-log.js';
import { isConversing, nextState, type ConversationEvent, type ConversationState } from './conversation-state.js';
import { FailedResponses } from '../provider-link/failed-responses.js';
import { Interruptions } from './interruptions.js';
import { Keypad } from './keypad.js';
import { FirstWords, type RecordingConsent } from './recording-consent.js';
import { UserAudio, UserTurns } from './user-input.js';
import { type AnsweringConversation, LineHandover, ToolAnswers, ToolCalls } from '../tools/tool-calls.js';
import { connectRequest, messageOf, ProviderLink, Rotation } from '../provider-link/provider-link.js';
import { type LinkedConversation, linkListener, ProviderRecovery } from '../provider-link/provider-recovery.js';
import type { ProviderEvent, ResponseRequest } from '../providers/voice-provider.js';
import type { SessionEnd } from '../session-events.js';
import { DEFAULT_PHRASES, neuralHearing, type Phrases, type SessionOptions } from '../session-options.js';
import { FillerTimer, IdleTimer, startCallLimit } from './session-timers.js';
import type { LineControl } from '../tools/tool-box.js';
import { toolSound, type ToolSound } from '../tools/tool-sound.js';
import { TurnLatencies } from '../transcript/turn-latency.js';

/** One answered call: connects the line, the provider and the tools until the call ends. */
export class Conversation implements LineControl, CommandedConversation, AnsweringConversation, ScreenedConversation {
  /** Only `enter` changes it; `state` adds the activity of the components. */
  private stage: ConversationState = 'idle';
  private readonly aborted = new AbortController();
  private readonly phrases: Phrases;
  private readonly log: ConversationLog;
  private readonly link: ProviderLink;
  private readonly userTurns: UserTurns;
  private readonly userAudio: UserAudio;
  private readonly latencies: TurnLatencies;
  private readonly sound: ToolSound | undefined;
  private readonly voice: AgentSpeech;
  private readonly bargeIn: BargeIn;
  private readonly interruptions: Interruptions;
  private readonly handover: LineHandover;
  private readonly filler: FillerTimer;
  private readonly tools: ToolCalls;
  private readonly ending: CallEnding;
  private readonly voicemail: VoicemailMessage;
  private readonly recovery: ProviderRecovery;
  private readonly failures = new FailedResponses();
  private readonly answers: ToolAnswers;
  private readonly rotation: Rotation;
  readonly keypad: Keypad;
  readonly firstWords: FirstWords;
  readonly consent: RecordingConsent | undefined;
  private readonly idle: IdleTimer;
  private readonly screening: Screening | undefined;
  private readonly words: RunningWords | undefined;
  readonly commands: CommandRunner;
  private cancelLimit = (): void => undefined;

  constructor(
    private readonly options: SessionOptions,
    private readonly media: MediaPort,
    private readonly clock: Clock,
    private readonly onEnd: (end: SessionEnd) => void,
    early: { connection?: EarlyConnection; media?: EarlyMedia } = {},
  ) {
    const { settings } = options;
    const { signal } = this.aborted;
    this.phrases = { ...DEFAULT_PHRASES, ...settings.phrases };
    const log = (this.log = new ConversationLog(clock, options));
    const link = (this.link = new ProviderLink(
      { ...options, early: early.connection },
      clock,
      linkListener(() => this.recovery, this.linked()),
      signal,
    ));
    this.userTurns = new UserTurns(log, link, (audioMs) => this.userAudio.timeOf(audioMs));
    this.userAudio = UserAudio.on(media.codec, clock, options);
    const latencies = (this.latencies = new TurnLatencies(clock, (audioMs) => this.userAudio.timeOf(audioMs)));
    const sound = (this.sound = toolSound(settings, media));
    const line = { media, clock, link, conversationLog: log, latencies, sound, signal };
    const voice = (this.voice = new AgentSpeech({ ...options, ...line, onDelay: () => this.sayMoment() }));
    this.bargeIn = BargeIn.on(media.codec, settings.bargeIn, neuralHearing(options));
    const isScreened = (): boolean => this.screening?.isSaying ?? false;
    this.interruptions = new Interruptions(this.bargeIn, voice, link, () => this.stage === 'closing', isScreened);
    this.handover = new LineHandover(media, clock, voice);
    this.filler = new FillerTimer(clock, () => voice.request({ say: this.phrases.filler }));
    this.tools = new ToolCalls({ ...options, clock }, this, this.handover, this.filler, log, signal);
    this.ending = new CallEnding(media, clock, voice, this.tools, {
      announced: () => this.enter({ type: 'end_announced' }),
      ended: (end) => this.finish(end),
    });
    this.voicemail = new VoicemailMessage(voice, (text) => void this.say(text));
    this.recovery = new ProviderRecovery(clock, this, voice, this.bargeIn, this.userTurns, this.userAudio);
    this.answers = new ToolAnswers(this, this.tools, link, voice, this.recovery);
    this.rotation = new Rotation(clock, link, log, () => this.pauses);
    const own = { log, ending: this.ending, userTurns: this.userTurns, message: this.voicemail };
    this.screening = screeningOn(this, media.codec, settings, { ...line, ...own }, early.media);
    this.keypad = new Keypad(media, clock, log, latencies, (digits) => this.keyInput(digits), options.onSecret);
    this.idle = new IdleTimer(clock, settings.idle, idlePrompts(voice, this.ending, log, this.phrases));
    const running = () => [...log.runningTurns((itemId) => voice.progressOf(itemId)), ...this.userTurns.runningTurns()];
    this.words = options.onWords && new RunningWords(clock, running, options.onWords);
    this.commands = new CommandRunner(clock, this, voice, this.handover, log, signal);
    const opening = { voice, log, link, media, clock, ending: this.ending, commands: this.commands };
    this.firstWords = new FirstWords(this, settings, this.phrases.moment, opening);
    this.consent = this.firstWords.consent;
  }

  start(): void {
    this.enter({ type: 'started' });
    this.media.pauseRecording(this.consent !== undefined, 'consent');
    this.media.onFrame((frame, wide) => this.hear(frame, wide));
    this.media.onDtmf((digit, durationMs) => this.pressed(digit, durationMs));
    const warn = (remainingMs: number): void => this.note(timeWarning(this.log, remainingMs));
    const end = (): void => this.finish({ endedBy: 'system', cause: 'max_duration' });
    this.cancelLimit = startCallLimit(this.clock, this.options.settings.maxCallSeconds, { warn, end });
    void this.link.open().then(() => this.recovery.opened());
  }

  /** Ends the conversation at once; only the first end counts. */
  finish(reason: SessionEnd): void {
    if (this.isOver) return;
    const end = this.screening?.endOf(reason) ?? reason;
    this.enter({ type: 'ended' });
    this.cancelLimit();
    const { ending, keypad, idle, recovery, commands, voice, userAudio, bargeIn } = this;
    for (const part of [ending, keypad, idle, recovery, commands, voice, userAudio, bargeIn, this.consent])
      part?.close();
    this.sound?.stop();
    this.userTurns.closeAll();
    this.tools.callEnded();
    this.link.close();
    this.log.write({ type: 'ended', ended_by: end.endedBy, cause: end.cause });
    this.log.seal();
    this.aborted.abort();
    this.onEnd(end);
  }

  endCall(): void {
    this.voice.clearWaiting();
    this.ending.afterSpeech({ endedBy: 'agent', cause: 'agent_hangup' });
  }

  async sendDtmf(digits: string): Promise<void> {
    await this.media.sendDtmf(digits);
    this.log.write({ type: 'dtmf_sent', digits });
  }

  hearText(text: string): void {
    if (this.isOver) return;
    this.log.textTurn('callee', text);
    this.idle.userActed();
    if (!isConversing(this.state)) return;
    this.interruptions.interrupt('speech');
    this.recovery.deliver(this.link.connection, (connection) => connection.sendText(text, 'user'));
    this.answer();
  }

  get isAnswering(): boolean {
    return this.userTurns.awaited || this.voice.generates || this.tools.busy;
  }

  /** Asks the user to wait for the provider. */
  sayMoment(): void {
    if (!this.holdsBack && !this.isClosing && !this.voice.plays) void this.say(this.phrases.moment);
  }

  leave(): void {
    this.finish({ endedBy: 'agent', cause: 'transferred' });
  }

  get isConnected(): boolean {
    return this.link.connection !== undefined;
  }

  get isMuted(): boolean {
    return this.commands.muted;
  }

  get isClosing(): boolean {
    return this.stage === 'closing' || this.isOver;
  }

  /** A command may speak: neither side does, no answer is prepared, and the user's last words are answered. */
  get pauses(): boolean {
    return this.isIdle && !this.userTurns.awaited && !this.bargeIn.userSpeaks;
  }

  get mayTalk(): boolean {
    return isConversing(this.state);
  }

  private enter(event: ConversationEvent): void {
    this.stage = nextState(this.stage, event);
  }

  get isOver(): boolean {
    return this.stage === 'ended';
  }

  private get state(): ConversationState {
    return nextState(this.stage, {
      type: 'activity',
      isScreening: (this.screening?.holdsBack || this.consent?.holdsBack) ?? false,
      toolHasLine: this.handover.active,
      isPlaying: this.voice.plays,
      isPreparing: this.voice.prepares,
    });
  }

  /** The provider hears silence and the agent starts nothing, also while the call is closing. */
  private get holdsBack(): boolean {
    return this.isHeldBack || (this.consent?.holdsBack ?? false);
  }

  get isHeldBack(): boolean {
    return this.handover.active || this.commands.muted || (this.screening?.holdsBack ?? false);
  }

  private get isSilent(): boolean {
    return this.state === 'listening' && !this.userTurns.speaks && this.isConnected;
  }

  private get isIdle(): boolean {
    return this.isSilent && !this.keypad.collecting && !this.tools.busy && !this.consent?.awaitsAnswer;
  }

  /** The user waits for a tool, or for the words after it, and was asked to. */
  private get waitsForTool(): boolean {
    if (this.state !== 'listening' && this.state !== 'thinking') return false;
    const waits = this.filler.hasSpoken || (this.sound?.plays === true && this.voice.prepares);
    return waits && !this.userTurns.speaks && !this.isMuted && this.isConnected;
  }

  /** Whether an unrequested response of the provider is played: not while held back, nor after the goodbye. */
  private get isWelcome(): boolean {
    if (this.voice.awaitsWords) return true;
    if (this.stage === 'closing' || this.screening?.isSaying) return this.voice.awaitsStart;
    return !this.holdsBack;
  }

  /** A message of the system to the agent; the user does not hear it. */
  note(text: string): void {
    this.log.note(text);
    this.recovery.deliver(this.link.connection, (connection) => connection.sendText(text, 'system'));
  }

  private hear(frame: Buffer, wide?: Buffer): void {
    if (this.isOver) return;
    const screened = this.screening?.hear(frame) ?? frame;
    const isKept = this.keypad.hidesLine || (this.consent?.holdsBack && !this.screening?.holdsBack);
    const forAgent = isKept ? silentFrame(this.media.codec) : this.handover.audible(screened);
    // The screening may have ended the call.
    if (this.isOver) return;
    const audible = { narrow: forAgent, wide: wide && forAgent !== frame ? silentFrame('L16') : wide };
    this.screening?.steer(this.link.connection);
    const matters = this.userTurns.awaited || this.bargeIn.userSpeaks;
    this.userAudio.push(audible, this.link.connection, { matters, silenceMs: this.bargeIn.silenceMs });
    this.interruptions.hear(frame, isKept || this.handover.active || this.stage === 'closing');
    this.recovery.tick(this.link.connection, this.media.queuedMs);
    this.words?.tick();
    this.sound?.tick(this.waitsForTool);
    this.checkSilence();
  }

  private checkSilence(): void {
    if (this.consent?.isDue) this.firstWords.greet(false);
    this.idle.update(!this.isIdle || this.commands.muted);
    this.filler.update(this.isSilent && !this.commands.muted);
    this.voice.checkDelay(this.userTurns.speaks);
    this.rotation.check();
    this.commands.check();
  }

  private pressed(digit: string, durationMs: number): void {
    if (this.isOver) return;
    this.keypad.note(digit, durationMs);
    this.idle.userActed();
    if (this.stage === 'closing') return;
    this.screening?.press();
    const isAsked = this.keypad.collects || this.consent?.takesKeys;
    if ((this.bargeIn.guardIsOver && !this.consent?.isAnnouncing) || isAsked) this.interruptions.interrupt('dtmf');
    if (!this.consent?.press(digit)) this.keypad.press(digit);
  }

  private keyInput(digits: string): void {
    if (this.isOver) return;
    this.log.keys(digits);
    if (!isConversing(this.state)) return;
    if (this.isMuted) this.latencies.unanswered();
    else this.latencies.acted();
    this.recovery.deliver(this.link.connection, (connection) => connection.sendDigits(digits));
    this.answer();
  }

  answer(): void {
    if (this.commands.muted || this.consent?.takesOver()) return;
    if (this.link.connection) this.voice.request({});
    else this.recovery.oweAnswer();
  }

  private take(event: ProviderEvent): void {
    this.latencies.take(event);
    if (event.type === 'user_text' || event.type === 'user_interim') this.screening?.words(event.text);
    switch (event.type) {
      case 'usage':
        return event.items.forEach((item) => this.log.write({ type: 'usage', ...item }));
      case 'response_started':
        return this.voice.started(event.responseId, this.isWelcome);
      case 'audio':
        return this.voice.play(event) ? this.recovery.overcome() : undefined;
      case 'agent_text':
        return this.voice.text(event);
      case 'response_done':
        return this.responseDone(event);
      case 'response_refused':
        return this.voice.refused(this.isWelcome);
      case 'tool_call':
        this.recovery.overcome();
        return void this.latencies.toolRuns(this.answers.run(event));
      case 'speech_started':
        return this.userStarted(event.itemId, event.audioMs);
      case 'speech_stopped':
        this.userTurns.stopped(event.itemId, this.userAudio.timeOf(event.audioMs));
        return this.idle.userActed();
      case 'expiring':
        return this.rotation.expiring();
      case 'delayed':
        return this.sayMoment();
      case 'error':
        this.failures.reported(event.message);
        return this.log.providerError(this.link.provider.name, event);
      default:
        this.interruptions.take(event);
        return this.userTurns.take(event);
    }
  }

  private responseDone({ responseId, status }: Extract<ProviderEvent, { type: 'response_done' }>): void {
    const unsaid = status === 'failed' ? this.voice.unsaid(responseId) : undefined;
    const isContinued = this.tools.areCalledBy(responseId);
    this.voice.done(responseId);
    if (status === 'completed') this.failures.completed();
    if (this.options.settings.modality === 'text' && status !== 'failed') this.recovery.overcome();
    const isVoicemail = status === 'failed' && this.voicemail.repeat();
    if (unsaid && !isVoicemail && !isContinued) this.responseFailed(unsaid);
    this.answers.answer(responseId);
    this.speechEnded();
    this.checkSilence();
  }

  /** The connection lives, but nobody has answered the user. */
  private responseFailed(unsaid: ResponseRequest): void {
    if (this.isClosing || this.isMuted) return;
    const step = this.failures.failed(this.link.hasFallback);
    // The provider answers the speech of the user by itself.
    const isSpokenTo = this.userTurns.speaks || this.bargeIn.userSpeaks;
    const isAnswer = unsaid.say === undefined;
    if (step === 'repeat') {
      if (!isSpokenTo && !(isAnswer && this.voice.generates)) this.voice.request(unsaid);
      return;
    }
    if (isAnswer) this.recovery.oweAnswer();
    this.link.fail(this.failures.reason, step === 'replace');
  }

  private userStarted(itemId: string, audioMs: number): void {
    const startedAt = this.userAudio.timeOf(audioMs);
    this.userTurns.started(itemId, startedAt);
    if (this.userAudio.isNow(startedAt)) this.interruptions.speechDetected();
  }

  toolEnded(): void {
    this.ending.check();
    this.checkSilence();
  }

  private linked(): LinkedConversation {
    return {
      request: () => connectRequest(this.options, this.media, this.link.provider, this.tools.history()),
      event: (event) => this.take(event),
      connecting: (connection) => this.screening?.steer(connection),
      lost: (reason) => {
        this.log.write({ type: 'provider_lost', reason });
        this.options.log.warn({ provider: this.link.provider.name }, 'voice provider lost');
        this.rotation.settled();
        if (this.recovery.begin()) this.voicemail.repeat();
        this.speechEnded();
      },
      restored: (attempts) =>
        this.log.write({ type: 'provider_restored', attempts, provider: this.link.provider.name }),
      isClosing: () => this.stage === 'closing',
      givenUp: (error) => void this.apologise(error),
    };
  }

  private async apologise(error: unknown): Promise<void> {
    const reason = messageOf(error);
    this.log.write({ type: 'error', code: 'agent_provider_error', message: reason, reason });
    this.options.log.error({ provider: this.link.provider.name, reason }, 'voice provider given up');
    if (this.stage !== 'closing')
      await this.ending.afterApology(async () => this.isMuted || (await this.say(this.phrases.apology)));
  }

  private async say(text: string): Promise<void> {
    await this.voice.say(text);
    this.speechEnded();
  }

  /** Speech may have ended: continues a waiting end, or a tool that waits for the line. */
  private speechEnded(): void {
    this.ending.check();
    this.handover.check();
  }
}

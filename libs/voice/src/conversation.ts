import { FRAME_MS, type MediaPort } from '@app/telephony';
import { Screening, type ScreeningListener } from './answering-machine/screening.js';
import { AgentSpeech } from './agent-speech.js';
import { BargeIn, type BargeInStep } from './barge-in.js';
import { startCallLimit, FillerTimer, DEFAULT_IDLE, IdleTimer } from './session-timers.js';
import { UserAudio } from './user-audio.js';
import { UserTurns } from './user-turns.js';
import type { Clock } from './clock.js';
import { ConversationLog } from './conversation-log.js';
import { DtmfCollector } from './dtmf-collector.js';
import { CallEnding, VoicemailMessage } from './call-ending.js';
import { LineHandover } from './line-handover.js';
import { DEFAULT_PHRASES, type Phrases, type SessionOptions } from './session-options.js';
import { ProviderLink, Rotation } from './provider-link.js';
import { ProviderRecovery } from './provider-recovery.js';
import type { ProviderEvent, VoiceConnection } from './providers/voice-provider.js';
import type { SessionEnd } from './session-events.js';
import type { LineControl } from './tool-box.js';
import { ToolCalls, type ToolCall } from './tool-calls.js';
import { resultNote } from './providers/realtime-wording.js';

const MACHINE_NOTE = 'An answering machine picked up.';
/** A provider notices speech by then; what began before was told again to another connection. */
const LATEST_START_MS = 1_500;

/** One answered call: brings the line, the provider and the tools together until somebody ends it. */
export class Conversation implements LineControl {
  private readonly over = new AbortController();
  private readonly conversationLog: ConversationLog;
  private readonly userTurns: UserTurns;
  private readonly userAudio: UserAudio;
  private readonly voice: AgentSpeech;
  private readonly link: ProviderLink;
  private readonly loss: ProviderRecovery;
  private readonly rotation: Rotation;
  private readonly bargeIn: BargeIn;
  private readonly keys: DtmfCollector;
  private readonly idle: IdleTimer;
  private readonly filler: FillerTimer;
  private readonly phrases: Phrases;
  private cancelLimit = (): void => undefined;
  private readonly farewell: CallEnding;
  private readonly pause: LineHandover;
  private readonly message: VoicemailMessage;
  private readonly tools: ToolCalls;
  private readonly screening: Screening | undefined;
  private ended = false;
  /** When the first frame of the call began. */
  private heardFrom: number | undefined;

  constructor(
    private readonly options: SessionOptions,
    private readonly media: MediaPort,
    private readonly clock: Clock,
    private readonly onEnd: (end: SessionEnd) => void,
  ) {
    const { settings } = options;
    this.phrases = { ...DEFAULT_PHRASES, ...settings.phrases };
    this.conversationLog = new ConversationLog(clock, options);
    this.userTurns = new UserTurns(this.conversationLog, () => this.link.provider.capabilities.transcribesUser);
    this.userAudio = new UserAudio(clock);
    this.link = new ProviderLink(options, () => this.connectRequest(), clock, this.linkListener(), this.over.signal);
    const { conversationLog, link } = this;
    this.voice = new AgentSpeech({ ...options, media, clock, link, conversationLog, over: this.over.signal });
    this.bargeIn = BargeIn.on(media.codec, settings.bargeIn);
    this.farewell = new CallEnding(
      media,
      clock,
      () => !this.voice.prepares && !this.tools.busy,
      (end) => this.finish(end),
    );
    this.message = new VoicemailMessage(this.voice, this.farewell, (text) => void this.say(text));
    this.pause = new LineHandover(media, clock, () => !this.voice.prepares);
    this.filler = new FillerTimer(clock, () => this.voice.request({ say: this.phrases.filler }));
    this.tools = new ToolCalls(options, this, this.pause, this.filler, conversationLog, clock, this.over.signal);
    this.loss = new ProviderRecovery(this.lossParts());
    this.rotation = new Rotation(clock, link, conversationLog, () => this.isBetweenTurns);
    const { answeringMachine } = settings;
    this.screening = answeringMachine && new Screening(media.codec, answeringMachine, this.screeningListener());
    this.keys = new DtmfCollector(clock, (digits) => this.keyInput(digits));
    const idleListener = { prompt: (count: number) => this.promptIdle(count), giveUp: () => this.giveUpIdle() };
    this.idle = new IdleTimer(clock, { ...DEFAULT_IDLE, ...settings.idle }, idleListener);
  }

  /** Starts listening and talking. */
  begin(): void {
    this.media.onFrame((frame) => this.hear(frame));
    this.media.onDtmf((digit, durationMs) => this.pressed(digit, durationMs));
    this.cancelLimit = startCallLimit(this.clock, this.options.settings.maxCallSeconds, {
      warn: (remainingMs) => this.warnOfLimit(remainingMs),
      end: () => this.finish({ endedBy: 'system', cause: 'max_duration' }),
    });
    void this.link.open().then(() => this.loss.opened());
  }

  /** Ends the conversation at once; only the first end counts. */
  finish(end: SessionEnd): void {
    if (this.ended) return;
    this.ended = true;
    this.cancelLimit();
    this.farewell.close();
    this.keys.close();
    this.idle.close();
    this.loss.close();
    this.voice.close();
    this.userTurns.closeAll();
    this.tools.callEnded();
    this.link.close();
    this.conversationLog.write({ type: 'ended', ended_by: end.endedBy, cause: end.cause });
    this.conversationLog.seal();
    this.over.abort();
    this.onEnd(end);
  }

  endCall(): void {
    this.voice.clearWaiting();
    this.farewell.afterSpeech({ endedBy: 'agent', cause: 'agent_hangup' });
  }

  async sendDtmf(digits: string): Promise<void> {
    await this.media.sendDtmf(digits);
    this.conversationLog.write({ type: 'dtmf_sent', digits });
  }

  /** The callee writes instead of speaking, and gets an answer. */
  hearText(text: string): void {
    if (this.ended) return;
    this.conversationLog.textTurn('callee', text);
    this.idle.userActed();
    if (this.farewell.announced || this.holdsBack) return;
    this.interrupt('speech');
    this.loss.tell(this.link.connection, (connection) => connection.sendText(text, 'user'));
    this.answer();
  }

  private connectRequest() {
    const { settings, tools, call } = this.options;
    const { agent, modality = 'audio' } = settings;
    const notes = this.tools.notes().map((text) => ({ role: 'system' as const, text }));
    this.loss.connecting();
    const history = [...this.conversationLog.historySoFar(), ...notes];
    return { agent, modality, codec: this.media.codec, tools: tools.definitions(), history, metadata: call.metadata };
  }

  /** For the agent alone. */
  private noteToAgent(text: string): void {
    this.conversationLog.note(text);
    this.loss.tell(this.link.connection, (connection) => connection.sendText(text, 'system'));
  }

  private warnOfLimit(remainingMs: number): void {
    this.conversationLog.write({ type: 'time_warning', remaining_ms: remainingMs });
    const seconds = remainingMs / 1000;
    this.noteToAgent(`The call ends in ${seconds} seconds. Come to a close and say goodbye.`);
  }

  private greet(): void {
    if (!this.link.connection || this.holdsBack || this.voice.generates || this.conversationLog.agentHasSpoken) return;
    const { greeting } = this.options.settings.agent;
    this.voice.request(greeting ? { say: greeting } : {});
  }

  /** Nobody speaks, and the agent neither prepares to nor must not. */
  private get isSilent(): boolean {
    const outside = this.voice.plays || this.userTurns.speaks || this.holdsBack;
    return !outside && !this.voice.prepares && !this.farewell.announced && this.link.connection !== undefined;
  }

  private get isIdle(): boolean {
    return this.isSilent && !this.keys.collecting && !this.tools.busy;
  }

  private get isBetweenTurns(): boolean {
    return this.isIdle && !this.userTurns.awaited && !this.bargeIn.userSpeaks;
  }

  private hear(frame: Buffer): void {
    if (this.ended) return;
    this.heardFrom ??= this.clock.now() - FRAME_MS;
    const forAgent = this.pause.audible(this.screening?.hear(frame) ?? frame);
    if (this.ended) return;
    this.userAudio.push(forAgent, this.link.connection, this.userTurns.awaited || this.bargeIn.userSpeaks);
    const interruptible = this.voice.plays && !this.pause.active && !this.farewell.announced;
    this.overlap(this.bargeIn.heard(frame, interruptible));
    this.loss.tick(this.link.connection, this.media.queuedMs);
    this.attend();
  }

  private overlap(step: BargeInStep | undefined): void {
    if (step === undefined) return;
    this.voice.duck(step === 'duck');
    if (step === 'stop') this.interrupt('speech');
  }

  /** To what waits for silence. */
  private attend(): void {
    this.idle.update(!this.isIdle);
    this.filler.update(this.isSilent);
    this.rotation.check();
  }

  private pressed(digit: string, durationMs: number): void {
    if (this.ended) return;
    this.conversationLog.write({ type: 'dtmf_received', digit, duration_ms: durationMs });
    this.idle.userActed();
    if (this.farewell.announced) return;
    this.screening?.press();
    if (this.bargeIn.guardIsOver) this.interrupt('dtmf');
    this.keys.press(digit);
  }

  private keyInput(digits: string): void {
    if (this.ended) return;
    this.conversationLog.keys(digits);
    if (this.farewell.announced || this.holdsBack) return;
    this.loss.tell(this.link.connection, (connection) => connection.sendDigits(digits));
    this.answer();
  }

  /** Asks for an answer now, or when the provider is back. */
  private answer(): void {
    if (this.link.connection) this.voice.request({});
    else this.loss.oweAnswer();
  }

  private interrupt(by: 'speech' | 'dtmf' | 'provider'): void {
    if (!this.voice.plays || this.farewell.announced) return;
    this.voice.stop(by);
  }

  private take(event: ProviderEvent): void {
    switch (event.type) {
      case 'usage':
        return event.items.forEach((item) => this.conversationLog.write({ type: 'usage', ...item }));
      case 'response_started':
        return this.voice.started(event.responseId, this.isWelcome);
      case 'audio':
        return this.voice.play(event) ? this.loss.overcome() : undefined;
      case 'agent_text':
        return this.voice.text(event);
      case 'response_done':
        return this.responseDone(event);
      case 'response_refused':
        return this.voice.refused();
      case 'tool_call':
        this.loss.overcome();
        return void this.runTool(event);
      case 'interrupted':
        return this.interrupt('provider');
      case 'speech_started':
        return this.userStarted(event.itemId, event.audioMs);
      case 'speech_stopped':
        this.userTurns.stopped(event.itemId, this.userAudio.timeOf(event.audioMs));
        return this.idle.userActed();
      case 'user_text':
        return this.userTurns.words(event.itemId, event.text);
      case 'expiring':
        return this.rotation.expiring();
      case 'error':
        return this.conversationLog.providerError(this.link.provider.name, event);
    }
  }

  /** The provider answers speech by itself; nothing new may begin behind a goodbye, or before it is known who answered. */
  private get isWelcome(): boolean {
    return !this.holdsBack && (!this.farewell.announced || this.voice.awaitsStart);
  }

  private responseDone({ responseId, status }: Extract<ProviderEvent, { type: 'response_done' }>): void {
    this.voice.done(responseId);
    if (this.options.settings.modality === 'text') this.loss.overcome();
    if (status === 'failed') this.message.repeat();
    this.answerTools(responseId);
    this.farewell.check();
    this.pause.check();
    this.attend();
  }

  private userStarted(itemId: string, audioMs: number): void {
    const startedAt = this.userAudio.timeOf(audioMs);
    this.userTurns.started(itemId, startedAt);
    // What was kept for this connection may have been said long before what plays now.
    const isNow = this.clock.now() - startedAt < LATEST_START_MS;
    if (isNow && this.bargeIn.guardIsOver) this.interrupt('speech');
  }

  private async runTool(call: ToolCall): Promise<void> {
    const { connection } = this.link;
    const text = await this.tools.run(call);
    if (text === undefined) return;
    if (this.tools.handedOver) return this.finish({ endedBy: 'agent', cause: 'transferred' });
    if (connection && connection === this.link.connection) connection.sendToolResult(call.toolCallId, text);
    else this.loss.tell(this.link.connection, (other) => other.sendText(resultNote(call, text), 'system'));
    this.answerTools(call.responseId);
    this.farewell.check();
    this.attend();
  }

  /** All tools of a response are answered together, when it will call no more. */
  private answerTools(responseId: string): void {
    if (this.voice.isGenerating(responseId) || !this.tools.areAnswerable(responseId)) return;
    if (!this.farewell.announced) this.answer();
  }

  private promptIdle(count: number): void {
    this.conversationLog.write({ type: 'idle_prompt', count });
    this.voice.request({ say: this.phrases.idle });
  }

  private giveUpIdle(): void {
    this.voice.request({ say: this.phrases.goodbye });
    this.farewell.afterSpeech({ endedBy: 'agent', cause: 'agent_hangup' });
  }

  /** Nothing is said, and the provider hears nothing: it is not known who answered, a machine greets, or a tool has the line. */
  private get holdsBack(): boolean {
    return this.pause.active || (this.screening?.holdsBack ?? false);
  }

  private screeningListener(): ScreeningListener {
    const from = () => this.heardFrom ?? this.clock.now();
    return {
      write: (fact) => this.conversationLog.write(fact),
      userSpoke: ({ startMs, endMs }) => this.userTurns.spoke(from() + startMs, from() + endMs),
      converse: ({ answeredBy }) => {
        if (answeredBy === 'machine') this.noteToAgent(MACHINE_NOTE);
        this.greet();
      },
      leaveMessage: (text) => this.message.leave(text, this.link.connection !== undefined),
      hangUp: () => this.finish({ endedBy: 'agent', cause: 'answering_machine' }),
    };
  }

  private linkListener() {
    return {
      event: (event: ProviderEvent) => this.take(event),
      connected: (connection: VoiceConnection) => this.loss.connected(connection),
      lost: (reason: string) => this.providerLost(reason),
      stillLost: () => this.loss.attemptFailed(),
      restored: (attempts: number) => this.providerRestored(attempts),
      givenUp: (error: unknown) => void this.apologise(error),
    };
  }

  private lossParts() {
    const { clock, userTurns, userAudio, voice } = this;
    return {
      clock,
      userTurns,
      userAudio,
      voice,
      userSpeaks: () => this.bargeIn.userSpeaks,
      greet: () => this.greet(),
      mayTalk: () => !this.farewell.announced && !this.holdsBack,
      sayMoment: () => void this.say(this.phrases.moment),
    };
  }

  private providerLost(reason: string): void {
    this.conversationLog.write({ type: 'provider_lost', reason });
    this.options.log.warn({ provider: this.link.provider.name }, 'voice provider lost');
    this.rotation.settled();
    if (this.loss.begin()) this.message.repeat();
    this.farewell.check();
    this.pause.check();
  }

  private providerRestored(attempts: number): void {
    this.conversationLog.write({ type: 'provider_restored', attempts, provider: this.link.provider.name });
    if (this.farewell.announced) return this.loss.overcome();
    this.loss.restored();
  }

  private async apologise(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    this.conversationLog.write({ type: 'error', code: 'agent_provider_error', message });
    this.options.log.error({ provider: this.link.provider.name }, 'voice provider given up');
    if (this.farewell.announced) return;
    const end = { endedBy: 'system', cause: 'agent_provider_error' } as const;
    this.farewell.announce(end);
    await this.say(this.phrases.apology);
    this.farewell.afterSpeech(end);
  }

  private async say(text: string): Promise<void> {
    await this.voice.say(text);
    this.farewell.check();
    this.pause.check();
  }
}

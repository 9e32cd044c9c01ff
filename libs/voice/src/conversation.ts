import { FRAME_MS, VoiceActivity, type MediaPort } from '@app/telephony';
import { Screening, type ScreeningListener } from './answering-machine/screening.js';
import { BargeIn, DEFAULT_BARGE_IN } from './barge-in.js';
import { limitCall } from './call-limit.js';
import type { Clock } from './clock.js';
import { ConversationLog } from './conversation-log.js';
import { DtmfCollector } from './dtmf-collector.js';
import { Farewell } from './farewell.js';
import { DEFAULT_IDLE, IdleClock } from './idle-clock.js';
import { tellInterruption } from './interruption.js';
import { LinePause } from './line-pause.js';
import { OwnSpeech } from './own-speech.js';
import { DEFAULT_PHRASES, type Phrases } from './phrases.js';
import { Playback } from './playback.js';
import { ProviderLink } from './provider-link.js';
import type { ProviderEvent, VoiceConnection } from './providers/voice-provider.js';
import { Responses } from './responses.js';
import type { SessionEnd, SessionEvent } from './session-events.js';
import type { SessionOptions } from './session-options.js';
import type { LineControl } from './tool-box.js';
import { ToolCalls, type ToolCall } from './tool-calls.js';
import { TurnTaking } from './turn-taking.js';

const MACHINE_NOTE = 'An answering machine picked up.';
/** Slow speech. A message that has not been said by then does not come any more. */
const LONGEST_MS_PER_CHARACTER = 150;

/** One answered call: brings the line, the provider and the tools together until somebody ends it. */
export class Conversation implements LineControl {
  private readonly over = new AbortController();
  private readonly written: ConversationLog;
  private readonly playback: Playback;
  private readonly own: OwnSpeech;
  private readonly turns: TurnTaking;
  private readonly link: ProviderLink;
  private readonly bargeIn: BargeIn;
  private readonly keys: DtmfCollector;
  private readonly idle: IdleClock;
  private readonly phrases: Phrases;
  private cancelLimit = (): void => undefined;
  private readonly responses = new Responses();
  private readonly farewell: Farewell;
  private readonly pause: LinePause;
  private readonly tools: ToolCalls;
  private readonly screening: Screening | undefined;
  private work = 0;
  private ended = false;
  /** The last event has been written. */
  private sealed = false;
  private resume = false;
  /** When the first frame of this connection's audio began. */
  private audioOrigin: number | undefined;
  /** What an answering machine is to record, until it was said or the session says it by itself. */
  private message: string | undefined;
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
    const transcribes = () => this.link.provider.capabilities.transcribesCallee;
    this.written = new ConversationLog(clock, transcribes, (event) => this.emit(event));
    this.playback = new Playback(media, clock, {
      started: (itemId, startedAt) => this.written.agentStarted(itemId, startedAt),
      ended: (item) => this.written.agentEnded(item),
    });
    this.own = new OwnSpeech(options.speech, this.playback, this.written);
    this.turns = new TurnTaking((request) => this.link.connection?.createResponse(request));
    this.link = new ProviderLink(options, () => this.connectRequest(), clock, this.linkListener(), this.over.signal);
    this.bargeIn = new BargeIn(new VoiceActivity(media.codec), { ...DEFAULT_BARGE_IN, ...settings.bargeIn });
    const isQuiet = () => !this.turns.busy && !this.works;
    this.farewell = new Farewell(media, clock, isQuiet, (end) => this.finish(end));
    this.pause = new LinePause(media, clock, () => !this.turns.busy);
    this.tools = new ToolCalls(options, this, this.pause, this.written, clock, this.over.signal);
    const { answeringMachine } = settings;
    this.screening = answeringMachine && new Screening(media.codec, answeringMachine, this.screeningListener());
    this.keys = new DtmfCollector(clock, (digits) => this.keyInput(digits));
    const idleListener = { prompt: (count: number) => this.promptIdle(count), giveUp: () => this.giveUpIdle() };
    this.idle = new IdleClock(clock, { ...DEFAULT_IDLE, ...settings.idle }, idleListener);
  }

  /** Starts listening and talking. */
  begin(): void {
    this.media.onFrame((frame) => this.hear(frame));
    this.media.onDtmf((digit, durationMs) => this.pressed(digit, durationMs));
    this.cancelLimit = limitCall(this.clock, this.options.settings.maxCallSeconds, {
      warn: (remainingMs) => this.warnOfLimit(remainingMs),
      end: () => this.finish({ endedBy: 'system', cause: 'max_duration' }),
    });
    void this.link.open().then(() => this.greet());
  }

  /** Ends the conversation at once; only the first end counts. */
  finish(end: SessionEnd): void {
    if (this.ended) return;
    this.ended = true;
    this.cancelLimit();
    this.farewell.close();
    this.keys.close();
    this.idle.close();
    this.playback.interrupt();
    this.written.closeCalleeTurns();
    this.link.close();
    this.written.write({ type: 'ended', ended_by: end.endedBy, cause: end.cause });
    this.sealed = true;
    this.over.abort();
    this.onEnd(end);
  }

  endCall(): void {
    this.turns.clearWaiting();
    this.farewell.afterSpeech({ endedBy: 'agent', cause: 'agent_hangup' });
  }

  async sendDtmf(digits: string): Promise<void> {
    await this.media.sendDtmf(digits);
    this.written.write({ type: 'dtmf_sent', digits });
  }

  private emit(event: SessionEvent): void {
    if (this.sealed) return;
    try {
      this.options.onEvent(event);
    } catch (err) {
      this.options.log.error({ err, event_type: event.type }, 'session event not taken');
    }
  }

  private connectRequest() {
    const { agent, modality = 'audio' } = this.options.settings;
    const history = this.written.historySoFar();
    return { agent, modality, codec: this.media.codec, tools: this.options.tools.definitions(), history };
  }

  private warnOfLimit(remainingMs: number): void {
    this.written.write({ type: 'time_warning', remaining_ms: remainingMs });
    const seconds = remainingMs / 1000;
    this.link.connection?.sendText(`The call ends in ${seconds} seconds. Come to a close and say goodbye.`, 'system');
  }

  private greet(): void {
    if (!this.link.connection || this.holdsBack || this.agentHasSpoken) return;
    const { greeting } = this.options.settings.agent;
    this.turns.request(greeting ? { say: greeting } : {});
  }

  private get agentHasSpoken(): boolean {
    return this.turns.busy || this.written.historySoFar().some((turn) => turn.role === 'agent');
  }

  private get busy(): boolean {
    const outside = this.playback.busy || this.keys.collecting || this.written.calleeSpeaks || this.holdsBack;
    return outside || this.turns.busy || this.works || this.farewell.announced || !this.link.connection;
  }

  private get works(): boolean {
    return this.work > 0 || this.tools.running > 0;
  }

  private hear(frame: Buffer): void {
    if (this.ended) return;
    this.heardFrom ??= this.clock.now() - FRAME_MS;
    const forAgent = this.pause.audible(this.screening?.hear(frame) ?? frame);
    if (this.ended) return;
    if (this.link.connection) {
      this.audioOrigin ??= this.clock.now() - FRAME_MS;
      this.link.connection.sendAudio(forAgent);
    }
    if (!this.pause.active && this.bargeIn.heard(frame, this.playback.busy)) this.interrupt('speech');
    this.idle.update(this.busy);
  }

  private pressed(digit: string, durationMs: number): void {
    if (this.ended) return;
    this.written.write({ type: 'dtmf_received', digit, duration_ms: durationMs });
    this.idle.calleeActed();
    if (this.farewell.announced) return;
    this.screening?.press();
    if (this.bargeIn.guardIsOver) this.interrupt('dtmf');
    this.keys.press(digit);
  }

  private keyInput(digits: string): void {
    if (this.ended) return;
    this.written.keys(digits);
    if (this.farewell.announced || this.holdsBack) return;
    this.link.connection?.sendDigits(digits);
    this.answer();
  }

  /** Asks for an answer now, or when the provider is back. */
  private answer(): void {
    if (this.link.connection) this.turns.request({});
    else this.resume = true;
  }

  private interrupt(by: 'speech' | 'dtmf' | 'provider'): void {
    if (!this.playback.busy || this.farewell.announced) return;
    this.stopTalking(by);
  }

  private stopTalking(by: 'speech' | 'dtmf' | 'provider' | 'machine'): void {
    const items = this.playback.interrupt();
    const generating = this.responses.dropAll();
    this.own.stop();
    this.turns.clearWaiting();
    const { connection } = this.link;
    const theirs = items.filter((item) => !this.own.said(item.itemId));
    if (connection) tellInterruption(connection, this.link.provider.capabilities, theirs, generating);
    this.written.write({ type: 'interrupted', by, played_ms: items.reduce((sum, item) => sum + item.playedMs, 0) });
  }

  private take(event: ProviderEvent): void {
    switch (event.type) {
      case 'usage':
        return event.items.forEach((item) => this.written.write({ type: 'usage', ...item }));
      case 'response_started':
        return this.responseStarted(event.responseId);
      case 'audio':
        return this.play(event.responseId, event.itemId, event.audio);
      case 'agent_text':
        if (!this.responses.isDropped(event.responseId)) this.written.agentText(event.itemId, event.text);
        return;
      case 'response_done':
        return this.responseDone(event);
      case 'response_refused':
        return this.turns.refused();
      case 'tool_call':
        return this.runTool(event);
      case 'interrupted':
        return this.interrupt('provider');
      case 'speech_started':
        return this.calleeStarted(event.itemId, event.audioMs);
      case 'speech_stopped':
        this.written.calleeStopped(event.itemId, this.timeOf(event.audioMs));
        return this.idle.calleeActed();
      case 'callee_text':
        return this.written.calleeText(event.itemId, event.text);
      case 'error':
        this.options.log.warn({ code: event.code, provider: this.link.provider.name }, 'voice provider error');
        return this.written.write({ type: 'error', code: event.code, message: event.message });
    }
  }

  private responseStarted(responseId: string): void {
    // The provider answers speech by itself; nothing new may begin behind a goodbye, or before it is known who answered.
    if ((this.farewell.announced && !this.turns.awaitsStart) || this.holdsBack) {
      this.responses.drop(responseId);
      if (this.link.provider.capabilities.cancel) this.link.connection?.cancelResponse();
      return;
    }
    this.responses.start(responseId);
    this.turns.started(responseId);
  }

  private play(responseId: string, itemId: string, audio: Buffer): void {
    if (this.responses.isDropped(responseId)) return;
    this.responses.add(responseId, itemId);
    this.playback.append(itemId, audio);
  }

  private responseDone({ responseId, status }: Extract<ProviderEvent, { type: 'response_done' }>): void {
    for (const itemId of this.responses.done(responseId)) this.playback.complete(itemId);
    this.turns.done(responseId);
    if (status === 'failed') this.repeatMessage();
    this.farewell.check();
    this.pause.check();
  }

  private calleeStarted(itemId: string, audioMs: number): void {
    this.written.calleeStarted(itemId, this.timeOf(audioMs));
    if (this.bargeIn.guardIsOver) this.interrupt('speech');
  }

  private timeOf(audioMs: number): number {
    return (this.audioOrigin ?? this.clock.now()) + audioMs;
  }

  private runTool(request: ToolCall): void {
    const { connection } = this.link;
    void this.tools.run(request).then((text) => this.toolDone(request.toolCallId, text, connection));
  }

  private toolDone(toolCallId: string, text: string, connection: VoiceConnection | undefined): void {
    if (this.ended) return;
    if (this.tools.handedOver) return this.finish({ endedBy: 'agent', cause: 'transferred' });
    connection?.sendToolResult(toolCallId, text);
    if (!this.farewell.announced) this.answer();
    this.farewell.check();
  }

  private promptIdle(count: number): void {
    this.written.write({ type: 'idle_prompt', count });
    this.turns.request({ say: this.phrases.idle });
  }

  private giveUpIdle(): void {
    this.turns.request({ say: this.phrases.goodbye });
    this.farewell.afterSpeech({ endedBy: 'agent', cause: 'agent_hangup' });
  }

  /** Nothing is said, and the provider hears nothing: it is not known who answered, a machine greets, or a tool has the line. */
  private get holdsBack(): boolean {
    return this.pause.active || (this.screening?.holdsBack ?? false);
  }

  private screeningListener(): ScreeningListener {
    const from = () => this.heardFrom ?? this.clock.now();
    return {
      write: (fact) => this.written.write(fact),
      calleeSpoke: ({ startMs, endMs }) => this.written.calleeSpoke(from() + startMs, from() + endMs),
      converse: ({ answeredBy }) => {
        if (answeredBy === 'machine') this.link.connection?.sendText(MACHINE_NOTE, 'system');
        this.greet();
      },
      leaveMessage: (text) => this.leaveMessage(text),
      hangUp: () => this.finish({ endedBy: 'agent', cause: 'answering_machine' }),
    };
  }

  private leaveMessage(text: string): void {
    if (this.farewell.announced) return;
    if (this.playback.busy || this.turns.busy) this.stopTalking('machine');
    this.message = text;
    if (this.link.connection) this.turns.request({ say: text });
    else this.repeatMessage();
    this.farewell.afterSpeech({ endedBy: 'agent', cause: 'message_left' }, text.length * LONGEST_MS_PER_CHARACTER);
  }

  /** By ourselves, because the provider did not get to its end. */
  private repeatMessage(): void {
    const text = this.message;
    this.message = undefined;
    if (text !== undefined) void this.say(text);
  }

  private linkListener() {
    return {
      event: (event: ProviderEvent) => this.take(event),
      lost: (reason: string) => this.providerLost(reason),
      stillLost: (attempt: number) => {
        if (attempt === 1 && !this.farewell.announced && !this.holdsBack) void this.say(this.phrases.moment);
      },
      restored: (attempts: number) => this.providerRestored(attempts),
      givenUp: (error: unknown) => void this.apologise(error),
    };
  }

  private providerLost(reason: string): void {
    this.written.write({ type: 'provider_lost', reason });
    this.options.log.warn({ provider: this.link.provider.name }, 'voice provider lost');
    this.playback.completeAll();
    this.written.closeCalleeTurns();
    this.responses.clear();
    this.audioOrigin = undefined;
    const unsaid = this.turns.reset();
    this.resume ||= unsaid;
    if (unsaid) this.repeatMessage();
    this.farewell.check();
  }

  private providerRestored(attempts: number): void {
    this.written.write({ type: 'provider_restored', attempts, provider: this.link.provider.name });
    if (this.farewell.announced) return;
    this.greet();
    if (this.resume && !this.turns.busy) this.turns.request({});
    this.resume = false;
  }

  private async apologise(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    this.written.write({ type: 'error', code: 'agent_provider_error', message });
    this.options.log.error({ provider: this.link.provider.name }, 'voice provider given up');
    if (this.farewell.announced) return;
    const end = { endedBy: 'system', cause: 'agent_provider_error' } as const;
    this.farewell.announce(end);
    await this.say(this.phrases.apology);
    this.farewell.afterSpeech(end);
  }

  private async say(text: string): Promise<void> {
    this.work++;
    try {
      await this.own.say(text, this.media.codec, this.options.settings.agent.language, this.over.signal);
    } catch (err) {
      this.options.log.error({ err }, 'session could not speak');
    } finally {
      this.work--;
    }
    this.farewell.check();
  }
}

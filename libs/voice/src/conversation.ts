import { VoiceActivity, type MediaPort } from '@app/telephony';
import { BargeIn, DEFAULT_BARGE_IN } from './barge-in.js';
import type { Clock } from './clock.js';
import { ConversationLog } from './conversation-log.js';
import { DtmfCollector } from './dtmf-collector.js';
import { DEFAULT_IDLE, IdleClock } from './idle-clock.js';
import { OwnSpeech } from './own-speech.js';
import { DEFAULT_PHRASES, type Phrases } from './phrases.js';
import { Playback } from './playback.js';
import { ProviderLink } from './provider-link.js';
import type { ProviderEvent } from './providers/voice-provider.js';
import type { SessionEnd, SessionEvent } from './session-events.js';
import type { SessionOptions } from './session-options.js';
import type { CallControl } from './tool-box.js';
import { TurnTaking } from './turn-taking.js';

const FRAME_MS = 20;
/** Silence after the last word before the line is cut, so that the goodbye is not clipped. */
const GOODBYE_SETTLE_MS = 150;
/** A response or a queue that stands still (call on hold) must not keep an ending call open. */
const LONGEST_GOODBYE_MS = 15_000;
const DEFAULT_MAX_CALL_SECONDS = 600;
const TIME_WARNING_MS = 30_000;

type ToolCall = Extract<ProviderEvent, { type: 'tool_call' }>;

/** One answered call: brings the line, the provider and the tools together until somebody ends it. */
export class Conversation implements CallControl {
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
  private readonly cancelTimers: (() => void)[] = [];
  /** Items of the responses that are being generated, to end them with their response. */
  private readonly itemsOf = new Map<string, Set<string>>();
  /** Interrupted responses: what still arrives of them is not played. */
  private readonly dropped = new Set<string>();
  private work = 0;
  private closing: SessionEnd | undefined;
  private hangingUp = false;
  private ended = false;
  /** The last event has been written. */
  private sealed = false;
  private resume = false;
  /** When the first frame of this connection's audio began. */
  private audioOrigin: number | undefined;

  constructor(
    private readonly options: SessionOptions,
    private readonly media: MediaPort,
    private readonly clock: Clock,
    private readonly onEnd: (end: SessionEnd) => void,
  ) {
    const { provider, settings } = options;
    this.phrases = { ...DEFAULT_PHRASES, ...settings.phrases };
    this.written = new ConversationLog(clock, provider.capabilities.transcribesCallee, (event) => this.emit(event));
    this.playback = new Playback(media, clock, {
      started: (itemId, startedAt) => this.written.agentStarted(itemId, startedAt),
      ended: (item) => this.written.agentEnded(item),
    });
    this.own = new OwnSpeech(options.speech, this.playback, this.written);
    this.turns = new TurnTaking((request) => this.link.connection?.createResponse(request));
    this.link = new ProviderLink(provider, () => this.connectRequest(), clock, this.linkListener(), this.over.signal);
    this.bargeIn = new BargeIn(new VoiceActivity(media.codec), { ...DEFAULT_BARGE_IN, ...settings.bargeIn });
    this.keys = new DtmfCollector(clock, (digits) => this.keyInput(digits));
    this.idle = new IdleClock(
      clock,
      { ...DEFAULT_IDLE, ...settings.idle },
      {
        prompt: (count) => this.promptIdle(count),
        giveUp: () => this.giveUpIdle(),
      },
    );
  }

  /** Starts listening and talking. */
  begin(): void {
    this.media.onFrame((frame) => this.hear(frame));
    this.media.onDtmf((digit, durationMs) => this.pressed(digit, durationMs));
    this.limitLength();
    void this.link.open().then(() => this.greet());
  }

  /** Ends the conversation at once; only the first end counts. */
  finish(end: SessionEnd): void {
    if (this.ended) return;
    this.ended = true;
    this.cancelTimers.forEach((cancel) => cancel());
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
    this.endAfterSpeech({ endedBy: 'agent', cause: 'agent_hangup' });
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
    const { settings, tools } = this.options;
    const history = this.written.historySoFar();
    return { agent: settings.agent, codec: this.media.codec, tools: tools.definitions(), history };
  }

  private limitLength(): void {
    const longestMs = (this.options.settings.maxCallSeconds ?? DEFAULT_MAX_CALL_SECONDS) * 1000;
    const atLimit = () => this.finish({ endedBy: 'system', cause: 'max_duration' });
    this.cancelTimers.push(this.clock.after(longestMs, atLimit));
    if (longestMs > TIME_WARNING_MS) {
      this.cancelTimers.push(this.clock.after(longestMs - TIME_WARNING_MS, () => this.warnOfLimit()));
    }
  }

  private warnOfLimit(): void {
    this.written.write({ type: 'time_warning', remaining_ms: TIME_WARNING_MS });
    const seconds = TIME_WARNING_MS / 1000;
    this.link.connection?.sendText(`The call ends in ${seconds} seconds. Come to a close and say goodbye.`, 'system');
  }

  private greet(): void {
    if (!this.link.connection || this.agentHasSpoken) return;
    const { greeting } = this.options.settings.agent;
    this.turns.request(greeting ? { say: greeting } : {});
  }

  private get agentHasSpoken(): boolean {
    return this.turns.busy || this.written.historySoFar().some((turn) => turn.role === 'agent');
  }

  private get busy(): boolean {
    const outside = this.playback.busy || this.keys.collecting || this.written.calleeSpeaks;
    return outside || this.turns.busy || this.work > 0 || this.closing !== undefined || !this.link.connection;
  }

  private hear(frame: Buffer): void {
    if (this.ended) return;
    if (this.link.connection) {
      this.audioOrigin ??= this.clock.now() - FRAME_MS;
      this.link.connection.sendAudio(frame);
    }
    if (this.bargeIn.heard(frame, this.playback.busy)) this.interrupt('speech');
    this.idle.update(this.busy);
  }

  private pressed(digit: string, durationMs: number): void {
    if (this.ended) return;
    this.written.write({ type: 'dtmf_received', digit, duration_ms: durationMs });
    this.idle.calleeActed();
    if (this.closing) return;
    if (this.bargeIn.guardIsOver) this.interrupt('dtmf');
    this.keys.press(digit);
  }

  private keyInput(digits: string): void {
    if (this.ended) return;
    this.written.keys(digits);
    if (this.closing) return;
    this.link.connection?.sendDigits(digits);
    this.answer();
  }

  /** Asks for an answer now, or when the provider is back. */
  private answer(): void {
    if (this.link.connection) this.turns.request({});
    else this.resume = true;
  }

  private interrupt(by: 'speech' | 'dtmf' | 'provider'): void {
    if (!this.playback.busy || this.closing) return;
    const generating = [...this.itemsOf.keys()];
    const items = this.playback.interrupt();
    for (const responseId of generating) this.dropped.add(responseId);
    this.own.stop();
    this.turns.clearWaiting();
    this.tellInterruption(items, generating.length > 0);
    this.written.write({ type: 'interrupted', by, played_ms: items.reduce((sum, item) => sum + item.playedMs, 0) });
  }

  private tellInterruption(
    items: { itemId: string; playedMs: number; truncated: boolean }[],
    generating: boolean,
  ): void {
    const { cancel, truncate } = this.options.provider.capabilities;
    if (cancel && generating) this.link.connection?.cancelResponse();
    if (!truncate) return;
    for (const item of items) {
      if (item.truncated && !this.own.said(item.itemId)) this.link.connection?.truncate(item.itemId, item.playedMs);
    }
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
        if (!this.dropped.has(event.responseId)) this.written.agentText(event.itemId, event.text);
        return;
      case 'response_done':
        return this.responseDone(event.responseId);
      case 'response_refused':
        return this.turns.refused();
      case 'tool_call':
        return void this.runTool(event);
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
        this.options.log.warn({ code: event.code, provider: this.options.provider.name }, 'voice provider error');
        return this.written.write({ type: 'error', code: event.code, message: event.message });
    }
  }

  private responseStarted(responseId: string): void {
    // The provider answers speech by itself; nothing new may begin behind a goodbye.
    if (this.closing && !this.turns.awaitsStart) {
      this.dropped.add(responseId);
      if (this.options.provider.capabilities.cancel) this.link.connection?.cancelResponse();
      return;
    }
    this.itemsOf.set(responseId, new Set());
    this.turns.started(responseId);
  }

  private play(responseId: string, itemId: string, audio: Buffer): void {
    if (this.dropped.has(responseId)) return;
    this.itemsOf.get(responseId)?.add(itemId);
    this.playback.append(itemId, audio);
  }

  private responseDone(responseId: string): void {
    for (const itemId of this.itemsOf.get(responseId) ?? []) this.playback.complete(itemId);
    this.itemsOf.delete(responseId);
    this.dropped.delete(responseId);
    this.turns.done(responseId);
    this.hangUpWhenQuiet();
  }

  private calleeStarted(itemId: string, audioMs: number): void {
    this.written.calleeStarted(itemId, this.timeOf(audioMs));
    if (this.bargeIn.guardIsOver) this.interrupt('speech');
  }

  private timeOf(audioMs: number): number {
    return (this.audioOrigin ?? this.clock.now()) + audioMs;
  }

  private async runTool(request: ToolCall): Promise<void> {
    const { tools, call } = this.options;
    const { toolCallId, name } = request;
    const connection = this.link.connection;
    const startedMs = this.written.at(this.clock.now());
    const context = { toolCallId, call, control: this, signal: this.over.signal };
    this.work++;
    const outcome = await tools.run(name, request.arguments, context, this.clock);
    this.work--;
    if (this.ended) return;
    const { ok, result, arguments: args } = outcome;
    const times = { started_ms: startedMs, ended_ms: this.written.at(this.clock.now()) };
    this.written.write({ type: 'tool_call', tool_call_id: toolCallId, name, arguments: args, result, ok, ...times });
    connection?.sendToolResult(toolCallId, outcome.text);
    if (!this.closing) this.answer();
    this.hangUpWhenQuiet();
  }

  private promptIdle(count: number): void {
    this.written.write({ type: 'idle_prompt', count });
    this.turns.request({ say: this.phrases.idle });
  }

  private giveUpIdle(): void {
    this.turns.request({ say: this.phrases.goodbye });
    this.endAfterSpeech({ endedBy: 'agent', cause: 'agent_hangup' });
  }

  private linkListener() {
    return {
      event: (event: ProviderEvent) => this.take(event),
      lost: (reason: string) => this.providerLost(reason),
      stillLost: (attempt: number) => {
        if (attempt === 1 && !this.closing) void this.say(this.phrases.moment);
      },
      restored: (attempts: number) => this.providerRestored(attempts),
      givenUp: (error: unknown) => void this.apologise(error),
    };
  }

  private providerLost(reason: string): void {
    this.written.write({ type: 'provider_lost', reason });
    this.options.log.warn({ provider: this.options.provider.name }, 'voice provider lost');
    this.playback.completeAll();
    this.written.closeCalleeTurns();
    this.itemsOf.clear();
    this.dropped.clear();
    this.audioOrigin = undefined;
    this.resume = this.turns.reset() || this.resume;
    this.hangUpWhenQuiet();
  }

  private providerRestored(attempts: number): void {
    this.written.write({ type: 'provider_restored', attempts });
    if (this.closing) return;
    this.greet();
    if (this.resume && !this.turns.busy) this.turns.request({});
    this.resume = false;
  }

  private async apologise(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    this.written.write({ type: 'error', code: 'agent_provider_error', message });
    this.options.log.error({ provider: this.options.provider.name }, 'voice provider given up');
    if (this.closing) return;
    this.closing = { endedBy: 'system', cause: 'agent_provider_error' };
    await this.say(this.phrases.apology);
    this.endAfterSpeech(this.closing);
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
    this.hangUpWhenQuiet();
  }

  /** From here on nothing interrupts: the call ends when what is being said has been heard. */
  private endAfterSpeech(end: SessionEnd): void {
    this.closing ??= end;
    this.cancelTimers.push(
      this.clock.after(this.media.queuedMs + LONGEST_GOODBYE_MS, () => this.finish(this.closing ?? end)),
    );
    this.hangUpWhenQuiet();
  }

  private hangUpWhenQuiet(): void {
    if (!this.closing || this.hangingUp || this.turns.busy || this.work > 0) return;
    this.hangingUp = true;
    void this.hangUp(this.closing);
  }

  private async hangUp(end: SessionEnd): Promise<void> {
    try {
      await this.media.drained(GOODBYE_SETTLE_MS);
      this.finish(end);
    } catch {
      // The port closed under us: the far end was faster.
      this.finish({ endedBy: 'callee', cause: 'normal_clearing' });
    }
  }
}

import type { G711 } from '@app/telephony';
import type { ClientEvent, ErrorEvent, ServerEvent } from 'openai/resources/live/live';
import type { ResponseOutputItem, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { type Clock, Watchdog } from '../../clock.js';
import { IMPLAUSIBLE_USAGE, isPlausible, type UsageItem } from '../../usage.js';
import { keysPressed, YOUR_TURN } from '../realtime-wording.js';
import type { EventSocket } from '../socket/event-socket.js';
import { argumentsJson, isPermanent, type ServerError, serverErrorOf, shorten } from '../socket/server-protocol.js';
import {
  type ConnectRequest,
  narrowCodec,
  type ProviderEvent,
  type ResponseRequest,
  type VoiceConnection,
} from '../voice-provider.js';
import { functionsOf, type LiveProviderOptions } from './live-session.js';

type ToolCall = Extract<ProviderEvent, { type: 'tool_call' }>;
type LiveSocket = EventSocket<ClientEvent, ServerEvent>;

const APPEND = ['{"type":"session.input_audio.append","audio":"', '"}'] as const;

/** One started session. The model decides when it speaks and when it stops. */
export class LiveConnection implements VoiceConnection {
  private readonly agent: AgentSpeechSegments;
  private readonly user: UserSpeechSegments;
  /** Tool results that the backend model has not continued with yet. */
  private resultsWait = false;
  /** The model has got something to answer, and decides alone whether it does. Otherwise, such as after a handoff, it is told to speak. */
  private hasInput = false;
  /** The calls of responses of the backend model that are generated: together, they are answered together. */
  private readonly calling = new Map<string, ToolCall[]>();
  private billedMs = 0;
  private readonly startedAt: number;
  private closed = false;
  private readonly language: string | undefined;

  constructor(
    private readonly options: LiveProviderOptions,
    request: ConnectRequest,
    private readonly socket: LiveSocket,
    private readonly onEvent: (event: ProviderEvent) => void,
    private readonly cancelExpiry: () => void,
  ) {
    this.startedAt = options.clock.now();
    this.language = request.agent.language;
    const emit = (event: ProviderEvent) => this.emit(event);
    this.agent = new AgentSpeechSegments(options.clock, narrowCodec(request), emit);
    this.user = new UserSpeechSegments(options.clock, emit);
  }

  sendAudio(frame: Buffer): void {
    if (!this.closed) this.socket.sendAudio(APPEND, frame);
  }

  sendText(text: string, role: 'user' | 'system'): void {
    this.hasInput = true;
    this.appendInstructions(role === 'user' ? `The caller wrote: ${text}` : text);
  }

  sendDigits(digits: string): void {
    this.hasInput = true;
    this.appendInstructions(keysPressed(digits));
  }

  /** The instructions of the voice model cannot be replaced, only continued; those of the backend model can. */
  update({ agent, tools }: Pick<ConnectRequest, 'agent' | 'tools'>): boolean {
    if (agent.language !== this.language) return false;
    this.send({
      type: 'session.update',
      session: {
        delegation: { type: 'responses', responses: { instructions: agent.instructions, tools: functionsOf(tools) } },
      },
    });
    this.appendInstructions(`Your instructions have changed. From now on these hold instead:\n${agent.instructions}`);
    return true;
  }

  sendToolResult(toolCallId: string, result: string): void {
    this.resultsWait = true;
    this.send({
      type: 'response.item.create',
      item: { type: 'function_call_output', call_id: toolCallId, output: result },
    });
  }

  /** Words are given to the model as a suggestion; the protocol has no event for exact words. */
  createResponse({ say }: ResponseRequest): void {
    if (this.closed) return;
    if (this.agent.active) return this.emit({ type: 'response_refused' });
    if (say !== undefined) this.send({ type: 'session.commentary.append', content: say, delegation_id: null });
    else if (this.resultsWait) this.send({ type: 'response.create' });
    else if (!this.hasInput) this.appendInstructions(YOUR_TURN);
    if (say === undefined) this.resultsWait = this.hasInput = false;
    // The model may decide that an input or a result needs no words.
    this.agent.expect(say === undefined ? 'completed' : 'failed');
  }

  /** The protocol has no event for it. */
  cancelResponse(): void {}

  /** The protocol has no event for it. */
  truncate(): void {}

  close(): void {
    this.send({ type: 'session.close' });
    this.end('closed by the client');
  }

  /** Handles a server event after the start of the session. */
  take(event: ServerEvent): void {
    switch (event.type) {
      case 'session.output_audio.delta':
        return this.agent.sound(Buffer.from(event.delta, 'base64'));
      case 'session.output_transcript.delta':
        this.hasInput = false;
        return this.agent.words(event.delta);
      case 'session.input_transcript.delta':
        this.hasInput = true;
        return this.user.words(event.delta, event.start_ms, event.end_ms);
      case 'response.event':
        return this.behind(event.event as unknown as ResponseStreamEvent, event.delegation_id ?? 'delegation');
      case 'session.usage.updated':
        return this.bill(event.usage.seconds);
      case 'session.closed':
        this.bill(event.usage.seconds);
        return this.end(`The server ended the session (${event.reason}).`, event.reason === 'content');
      case 'error':
        return this.failed(event);
    }
  }

  end(reason: string, final = false): void {
    if (this.closed) return;
    // The server's last count arrives after the connection has closed.
    this.bill((this.options.clock.now() - this.startedAt) / 1000);
    this.closed = true;
    this.agent.close();
    this.user.close();
    this.cancelExpiry();
    this.socket.close();
    this.onEvent({ type: 'closed', reason, ...(final ? { final } : {}) });
  }

  /** Events of the backend model, which calls the tools. */
  private behind(event: ResponseStreamEvent, delegation: string): void {
    switch (event.type) {
      case 'response.created':
        this.behindDone(delegation);
        return void this.calling.set(delegation, []);
      case 'response.output_item.done':
        return this.called(event.item, delegation);
      case 'response.completed':
        this.billBehind(event.response?.usage);
        return this.behindDone(delegation);
      case 'response.failed':
        this.report(event.response?.error);
        return this.behindDone(delegation);
      case 'response.incomplete': {
        const reason = event.response?.incomplete_details?.reason ?? 'no reason';
        this.report({ code: 'response_incomplete', message: `The backend model ended early (${reason}).` });
        return this.behindDone(delegation);
      }
      case 'error':
        this.report('error' in event ? event.error : event);
        return this.behindDone(delegation);
    }
  }

  private called(item: ResponseOutputItem | undefined, responseId: string): void {
    if (item?.type !== 'function_call') return;
    const { call_id: toolCallId, name, arguments: json } = item;
    if (!toolCallId || !name) return;
    const call = { type: 'tool_call' as const, responseId, toolCallId, name, arguments: argumentsJson(json) };
    const waiting = this.calling.get(responseId);
    if (waiting) return void waiting.push(call);
    this.emit(call);
    this.agent.delegated();
  }

  private behindDone(delegation: string): void {
    const calls = this.calling.get(delegation) ?? [];
    this.calling.delete(delegation);
    for (const call of calls) this.emit(call);
    if (calls.length > 0) this.agent.delegated();
  }

  /** The server counts from the beginning of the session. */
  private bill(seconds: number): void {
    const totalMs = Math.round(seconds * 1000);
    const quantity = (totalMs - this.billedMs) / 1000;
    if (!(quantity > 0)) return;
    const item = {
      kind: 'agent_seconds',
      quantity,
      unit: 'second',
      source: this.sourceOf(this.options.model),
    } as const;
    if (isPlausible(item)) this.billedMs = totalMs;
    this.charge([item]);
  }

  private billBehind(usage: Extract<ResponseStreamEvent, { type: 'response.completed' }>['response']['usage']): void {
    if (!usage) return;
    const cached = usage.input_tokens_details?.cached_tokens ?? 0;
    const item = { unit: 'thousand_tokens', source: this.sourceOf(this.options.backendModel) } as const;
    this.charge([
      { kind: 'input_text_tokens', quantity: (usage.input_tokens - cached) / 1000, ...item },
      { kind: 'cached_text_tokens', quantity: cached / 1000, ...item },
      { kind: 'output_text_tokens', quantity: usage.output_tokens / 1000, ...item },
    ]);
  }

  private charge(items: UsageItem[]): void {
    const used = items.filter(({ quantity }) => quantity > 0);
    const believed = used.filter(isPlausible);
    if (believed.length > 0) this.emit({ type: 'usage', items: believed });
    if (believed.length < used.length) this.emit(IMPLAUSIBLE_USAGE);
  }

  private sourceOf(model: string): string {
    return `${this.options.name}:${model}`;
  }

  private failed({ error, client_event_id: eventId }: ErrorEvent): void {
    const fault = serverErrorOf(error);
    if (isPermanent(fault)) return this.end(messageOf(fault), true);
    this.report(error);
    // Without a command that caused it, the error may have ended the responses of the backend model.
    if ((eventId ?? error?.client_event_id) === undefined)
      for (const delegation of [...this.calling.keys()]) this.behindDone(delegation);
  }

  private report(error: unknown): void {
    this.agent.faulted();
    const fault = serverErrorOf(error);
    this.emit({ type: 'error', code: fault.code ?? fault.type ?? 'error', message: messageOf(fault) });
  }

  private appendInstructions(content: string): void {
    this.send({ type: 'session.instructions.append', content, delegation_id: null });
  }

  private send(event: ClientEvent): void {
    if (!this.closed) this.socket.send(event);
  }

  private emit(event: ProviderEvent): void {
    if (!this.closed) this.onEvent(event);
  }
}

const messageOf = ({ message, code }: ServerError): string => shorten(message ?? code ?? 'The server gave no reason.');

/** Silence that separates two turns of the agent. */
const AGENT_PAUSE_MS = 1_000;
/** Time that a requested response may take to its first audio. */
const BEGIN_MS = 8_000;
/** The magnitude of a G.711 byte, on a logarithmic scale of 128; lower ones are below -36 dBFS. */
const AUDIBLE = 32;
const SIGN = 0x7f;
const INVERTED: Record<G711, number> = { PCMU: 0xff, PCMA: 0x55 };

/**
 * A live model streams audio without boundaries, but a session needs responses: from the first audible audio, or from a request, to a
 * pause.
 */
class AgentSpeechSegments {
  private count = 0;
  private current: { responseId: string; itemId: string } | undefined;
  /** Words that arrived before their audio. */
  private early = '';
  /** The outcome of a requested response without audible audio. */
  private outcomeOfSilence: 'completed' | 'failed' = 'completed';
  private isHeard = false;
  private readonly pause: Watchdog;
  private readonly beginning: Watchdog;

  constructor(
    clock: Clock,
    private readonly codec: G711,
    private readonly emit: (event: ProviderEvent) => void,
  ) {
    this.pause = new Watchdog(clock, AGENT_PAUSE_MS, () => this.end());
    this.beginning = new Watchdog(clock, BEGIN_MS, () => this.end(this.outcomeOfSilence));
  }

  get active(): boolean {
    return this.current !== undefined;
  }

  /** Speech of the agent was requested. `outcomeOfSilence`: its outcome if the agent says nothing and no fault is reported. */
  expect(outcomeOfSilence: 'completed' | 'failed'): void {
    this.outcomeOfSilence = outcomeOfSilence;
    this.beginning.feed();
    this.begin();
  }

  /** The server reported a fault, which may be the reason for silence. */
  faulted(): void {
    this.outcomeOfSilence = 'failed';
  }

  sound(audio: Buffer): void {
    if (this.isAudible(audio)) {
      this.beginning.stop();
      this.pause.feed();
      this.begin();
      this.isHeard = true;
    }
    if (this.current) this.emit({ type: 'audio', ...this.current, audio });
  }

  words(text: string): void {
    if (this.current) this.emit({ type: 'agent_text', ...this.current, text });
    else this.early += text;
  }

  /** The backend calls tools: a requested response without a sound is these calls, and their results are awaited behind it. */
  delegated(): void {
    if (!this.isHeard) this.end();
  }

  close(): void {
    this.pause.stop();
    this.beginning.stop();
  }

  private begin(): void {
    if (this.current) return;
    const responseId = `stretch-${++this.count}`;
    this.current = { responseId, itemId: `said-${this.count}` };
    this.isHeard = false;
    this.emit({ type: 'response_started', responseId });
    if (this.early) this.emit({ type: 'agent_text', ...this.current, text: this.early });
    this.early = '';
  }

  private end(status: 'completed' | 'failed' = 'completed'): void {
    if (!this.current) return;
    const { responseId } = this.current;
    this.current = undefined;
    this.close();
    this.emit({ type: 'response_done', responseId, status });
  }

  private isAudible(audio: Buffer): boolean {
    const inverted = INVERTED[this.codec];
    return audio.some((byte) => ((byte ^ inverted) & SIGN) >= AUDIBLE);
  }
}

/** Silence that ends a turn of the user. */
const USER_PAUSE_MS = 1_200;

/** The user's words arrive in pieces without turns; pieces without a pause between them are one turn. */
class UserSpeechSegments {
  private count = 0;
  private current: { itemId: string; text: string; endMs: number } | undefined;
  private readonly pause: Watchdog;

  constructor(
    clock: Clock,
    private readonly emit: (event: ProviderEvent) => void,
  ) {
    this.pause = new Watchdog(clock, USER_PAUSE_MS, () => this.end());
  }

  words(text: string, startMs: number, endMs: number): void {
    if (!this.current) {
      this.current = { itemId: `heard-${++this.count}`, text: '', endMs };
      this.emit({ type: 'speech_started', itemId: this.current.itemId, audioMs: startMs });
    }
    this.current.text += text;
    this.current.endMs = endMs;
    this.pause.feed();
  }

  close(): void {
    this.pause.stop();
  }

  private end(): void {
    if (!this.current) return;
    const { itemId, text, endMs } = this.current;
    this.current = undefined;
    this.emit({ type: 'speech_stopped', itemId, audioMs: endMs });
    this.emit({ type: 'user_text', itemId, text: text.trim() });
  }
}

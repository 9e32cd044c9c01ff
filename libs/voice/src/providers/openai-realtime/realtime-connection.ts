import { bytesPerMs } from '@app/telephony';
import type {
  RealtimeClientEvent,
  RealtimeErrorEvent,
  RealtimeResponse,
  RealtimeServerEvent,
  ResponseCreateEvent,
  ResponseOutputItemDoneEvent,
} from 'openai/resources/realtime/realtime';
import { ConnectionTimeMeter, IMPLAUSIBLE_USAGE, isPlausible, type UsageItem } from '../../usage.js';
import { keysPressed, sayExactly } from '../realtime-wording.js';
import { argumentsJson, isPermanent, type ServerError, serverErrorOf, shorten } from '../socket/server-protocol.js';
import { Watchdog } from '../../clock.js';
import type {
  AudioPatience,
  ConnectRequest,
  ProviderEvent,
  ResponseRequest,
  ResponseStatus,
  VoiceConnection,
} from '../voice-provider.js';
import {
  AudioBatch,
  type RealtimeAudio,
  realtimeAudio,
  type RealtimeProviderOptions,
  type RealtimeSocket,
  responseUsage,
  sessionConfig,
  type SpeechPadding,
  systemMessage,
  toolOutput,
  transcriptionUsage,
  userMessage,
} from './realtime-session.js';

/** A requested response that does not begin within this time, or stalls for it, is given up. */
const STANDSTILL_MS = 20_000;
/** The longest answer; longer responses are cancelled. */
const MAX_RESPONSE_MS = 5 * 60_000;
/** The same for words, which may come without audio. */
const MAX_RESPONSE_CHARACTERS = 20_000;
/** Items whose audio may still be played. */
const MAX_ITEMS = 64;
const APPEND = ['{"type":"input_audio_buffer.append","audio":"', '"}'] as const;
/** A response that does not go on for this time after an error of the server has failed. */
const AFTER_ERROR_MS = 2_000;
/** Delay before a request is repeated while the server still ends another response. */
const BUSY_MS = 200;

const CODES = {
  busy: 'conversation_already_has_active_response',
  nothingToCancel: 'response_cancel_not_active',
  expired: 'session_expired',
};
/** The type of errors that are not the fault of a request. */
const SERVER_ERROR = 'server_error';

interface ActiveResponse {
  id: string;
  audioMs: number;
  characters: number;
  hasCalledTools: boolean;
  /** Cancelled by the client: late audio and text are dropped. */
  isCancelled: boolean;
  /** The request at the time of its beginning; the response may still be another one. */
  request: PendingRequest | undefined;
}

/** `response` of the requesting event. */
type ResponseParams = { response?: ResponseCreateEvent['response'] };
type PendingRequest = ResponseParams & {
  id: string;
  /** Requested by the session, which is notified of a refusal; else by this connection. */
  isOfSession: boolean;
};

/** The results of the handshake. */
interface AcceptedSession {
  onEvent: (event: ProviderEvent) => void;
  cancelExpiry: () => void;
  padding: SpeechPadding;
}

/** One configured session of the Realtime protocol. */
export class RealtimeConnection implements VoiceConnection {
  private active: ActiveResponse | undefined;
  /** The request that has neither begun nor been refused. */
  private pending: PendingRequest | undefined;
  /** Speech stayed unanswered because another response was generated. */
  private isAnswerOwed = false;
  private isUserSpeaking = false;
  private requestCount = 0;
  private isClosed = false;
  /** Milliseconds of audio per item of this connection, the latest last. */
  private readonly items = new Map<string, number>();
  /** The user item whose words arrive in parts. */
  private interim: { itemId: string; text: string } | undefined;
  private readonly audio: RealtimeAudio;
  private readonly batch = new AudioBatch();
  private readonly watchdog: Watchdog;
  /** Runs after an error that may have ended the response. */
  private readonly afterError: Watchdog;
  private readonly bill: ConnectionTimeMeter | undefined;
  private readonly source: string;

  constructor(
    private readonly options: RealtimeProviderOptions,
    private readonly request: ConnectRequest,
    private readonly socket: RealtimeSocket,
    private readonly session: AcceptedSession,
  ) {
    const { clock, name, model, billing } = options;
    this.source = `${name}:${model}`;
    this.audio = realtimeAudio(request.codec);
    this.watchdog = new Watchdog(clock, STANDSTILL_MS, () => this.end('The response of the server stalled.'));
    this.afterError = new Watchdog(clock, AFTER_ERROR_MS, () => this.abandon());
    if (billing === 'seconds') this.bill = new ConnectionTimeMeter(clock, name);
  }

  sendAudio(frame: Buffer, mayWait: AudioPatience = 0): void {
    if (this.isClosed || this.request.modality === 'text') return;
    const audio = this.batch.add(this.audio.outgoing(frame), mayWait);
    if (audio) this.socket.sendAudio(APPEND, audio);
  }

  sendText(text: string, role: 'user' | 'system'): void {
    this.add(role === 'user' ? userMessage(text) : systemMessage(text));
  }

  sendDigits(digits: string): void {
    this.add(userMessage(keysPressed(digits)));
  }

  /** The fields that the protocol changes within a session: all but model and voice. */
  update({ agent, tools }: Pick<ConnectRequest, 'agent' | 'tools'>): boolean {
    const {
      instructions = '',
      tools: functions,
      audio,
    } = sessionConfig({ ...this.request, agent, tools }, this.options);
    const { transcription } = audio?.input ?? {};
    this.send({
      type: 'session.update',
      session: {
        type: 'realtime',
        instructions,
        tools: functions,
        ...(transcription && { audio: { input: { transcription } } }),
      },
    });
    return true;
  }

  sendToolResult(toolCallId: string, result: string): void {
    this.add(toolOutput(toolCallId, result));
  }

  createResponse({ say }: ResponseRequest): void {
    if (this.isClosed) return;
    if (this.active ?? this.pending) return this.emit({ type: 'response_refused' });
    this.requestResponse(
      say === undefined ? {} : { response: { instructions: sayExactly(say), tool_choice: 'none' } },
      true,
    );
  }

  cancelResponse(): void {
    if (!this.active || this.active.isCancelled) return;
    this.active.isCancelled = true;
    this.send({ type: 'response.cancel', response_id: this.active.id });
  }

  truncate(itemId: string, playedMs: number): void {
    const audioMs = this.items.get(itemId);
    // An item of an earlier connection, unknown to the server.
    if (audioMs === undefined) return;
    const audioEndMs = Math.floor(Math.min(playedMs, audioMs));
    this.send({ type: 'conversation.item.truncate', item_id: itemId, content_index: 0, audio_end_ms: audioEndMs });
  }

  close(): void {
    this.end('closed by the client');
  }

  /** Handles a server event after the session was accepted. */
  take(event: RealtimeServerEvent): void {
    switch (event.type) {
      case 'response.created':
        return this.responseCreated(event.response);
      case 'response.output_audio.delta':
        return this.audioReceived(event.response_id, event.item_id, event.delta);
      case 'response.output_audio_transcript.delta':
      case 'response.output_text.delta':
        return this.textReceived(event.response_id, event.item_id, event.delta);
      case 'response.output_item.done':
        return this.itemDone(event);
      case 'response.done':
        return this.responseDone(event.response);
      case 'input_audio_buffer.speech_started':
        return this.speechStarted(event.item_id, event.audio_start_ms);
      case 'input_audio_buffer.speech_stopped':
        return this.speechStopped(event.item_id, event.audio_end_ms);
      case 'conversation.item.input_audio_transcription.delta':
        return this.wordsHeard(event.item_id, event.delta ?? '');
      case 'conversation.item.input_audio_transcription.completed':
        if (event.usage) this.charge(transcriptionUsage(event.usage, this.transcriptionSource));
        return this.emit({ type: 'user_text', itemId: event.item_id, text: event.transcript.trim() });
      case 'conversation.item.input_audio_transcription.failed':
        this.emit({
          type: 'error',
          code: 'transcription_failed',
          message: shorten(serverErrorOf(event.error).message ?? ''),
        });
        return this.emit({ type: 'user_text', itemId: event.item_id, text: '' });
      case 'error':
        return this.errorReceived(event.error);
    }
  }

  /** The connection is closed or useless. */
  end(reason: string, final = false): void {
    if (this.isClosed) return;
    this.charge(this.bill?.due() ?? []);
    this.isClosed = true;
    this.watchdog.stop();
    this.afterError.stop();
    this.session.cancelExpiry();
    this.socket.close();
    this.session.onEvent({ type: 'closed', reason, ...(final ? { final } : {}) });
  }

  private speechStarted(itemId: string, startMs: number): void {
    this.isUserSpeaking = true;
    const { padding } = this.session;
    // At the very beginning there is less audio before the speech.
    this.emit({ type: 'speech_started', itemId, audioMs: startMs > 0 ? startMs + padding.beforeMs : 0 });
  }

  private speechStopped(itemId: string, endMs: number): void {
    this.isUserSpeaking = false;
    this.isAnswerOwed ||= this.isAnsweringSomethingElse;
    this.emit({ type: 'speech_stopped', itemId, audioMs: Math.max(0, endMs - this.session.padding.afterMs) });
  }

  private wordsHeard(itemId: string, delta: string): void {
    if (this.interim?.itemId !== itemId) this.interim = { itemId, text: '' };
    this.interim.text = (this.interim.text + delta).slice(0, MAX_RESPONSE_CHARACTERS);
    this.emit({ type: 'user_interim', itemId, text: this.interim.text });
  }

  private responseCreated({ id }: RealtimeResponse): void {
    if (id === undefined) return;
    if (this.active) this.finish(this.active.id, 'failed');
    this.audio.restart();
    this.active = { id, audioMs: 0, characters: 0, hasCalledTools: false, isCancelled: false, request: this.pending };
    if (!this.pending?.response) this.isAnswerOwed = false;
    this.pending = undefined;
    this.feedWatchdogs();
    this.emit({ type: 'response_started', responseId: id });
  }

  private audioReceived(responseId: string, itemId: string, delta: string): void {
    const active = this.continueResponse(responseId);
    if (!active) return;
    const audio = this.audio.incoming(Buffer.from(delta, 'base64'));
    const ms = audio.length / bytesPerMs(this.request.codec);
    active.audioMs += ms;
    if (active.audioMs > MAX_RESPONSE_MS) return this.cancelTooLong();
    this.countAudio(itemId, ms);
    this.emit({ type: 'audio', responseId, itemId, audio });
  }

  private textReceived(responseId: string, itemId: string, text: string): void {
    const active = this.continueResponse(responseId);
    if (!active) return;
    active.characters += text.length;
    if (active.characters > MAX_RESPONSE_CHARACTERS) return this.cancelTooLong();
    this.emit({ type: 'agent_text', responseId, itemId, text });
  }

  /** Incomplete function calls of a cancelled response do not run. */
  private itemDone({ response_id: responseId, item }: ResponseOutputItemDoneEvent): void {
    if (item.type !== 'function_call' || item.status === 'incomplete' || !this.continueResponse(responseId)) return;
    const { call_id: toolCallId, name, arguments: json } = item;
    if (!toolCallId || !name) return;
    if (this.active) this.active.hasCalledTools = true;
    this.emit({ type: 'tool_call', responseId, toolCallId, name, arguments: argumentsJson(json) });
  }

  private responseDone({ id, status, status_details: details, usage }: RealtimeResponse): void {
    if (usage && !this.bill) this.charge(responseUsage(usage, this.source, this.request.modality));
    if (id === undefined || id !== this.active?.id) return;
    const active = this.active;
    // Some servers interrupt for the speech of the user without the reason `turn_detected`.
    const isForUser = details?.reason === 'turn_detected' || this.isUserSpeaking;
    const byServer = status === 'cancelled' && isForUser && !active.isCancelled;
    if (byServer) this.emit({ type: 'interrupted' });
    const fault = serverErrorOf(details?.error);
    if (status === 'failed') this.report(fault);
    const outcome = outcomeOf(active, status, byServer);
    const isCutOff = status === 'incomplete' && !active.isCancelled;
    if (isCutOff || (status === 'cancelled' && outcome === 'failed'))
      this.report({
        code: `response_${status}`,
        message: `The response ended early (${details?.reason ?? 'no reason'}).`,
      });
    this.finish(id, outcome);
    if (status === 'failed' && isPermanent(fault)) return this.end(messageOf(fault), true);
    if (this.isAnswerOwed && !this.active && !this.pending && !this.isClosed) this.requestResponse({}, false);
  }

  private errorReceived(error: RealtimeErrorEvent['error']): void {
    if (error.code === CODES.busy) return this.refused(this.requestOf(error.event_id));
    if (error.code === CODES.nothingToCancel) return;
    const fault = serverErrorOf(error);
    if (fault.code === CODES.expired || isPermanent(fault)) return this.end(messageOf(fault), isPermanent(fault));
    this.report(fault);
    if (error.event_id && this.pending?.id === error.event_id) this.failRequest(this.pending);
    else if (fault.type === SERVER_ERROR && (this.active ?? this.pending)) this.afterError.feed();
  }

  /** The server does not go on with the response after its error. */
  private abandon(): void {
    const { active, pending } = this;
    if (active) {
      const wasCancelled = active.isCancelled;
      this.cancelResponse();
      this.finish(active.id, wasCancelled ? 'cancelled' : 'failed');
    } else if (pending) this.failRequest(pending);
  }

  /** The server works on the response. */
  private feedWatchdogs(): void {
    this.watchdog.feed();
    this.afterError.stop();
  }

  /** The request that an error refers to. Without an id: the waiting request. */
  private requestOf(eventId: string | null | undefined): PendingRequest | undefined {
    if (!eventId) return this.pending;
    return [this.pending, this.active?.request].find((pending) => pending?.id === eventId);
  }

  private refused(pending: PendingRequest | undefined): void {
    if (pending && !this.active) return this.requestAgain();
    if (pending === this.pending) this.pending = undefined;
    if (pending?.isOfSession) this.emit({ type: 'response_refused' });
    // The server wanted to answer the latest speech, and does not try again by itself.
    else this.isAnswerOwed = true;
  }

  /** Speech over an answer needs another answer; speech over a greeting, a prompt or a goodbye is usually a hello. */
  private get isAnsweringSomethingElse(): boolean {
    return this.active !== undefined && !this.active.isCancelled && !this.active.request?.response;
  }

  /** A response that has ended here may still be active for the server, because it was cancelled a moment ago. */
  private requestAgain(): void {
    this.options.clock.after(BUSY_MS, () => {
      if (!this.pending) return;
      const { response, isOfSession } = this.pending;
      this.requestResponse(response ? { response } : {}, isOfSession);
    });
  }

  /** The session waits for the end of its request. */
  private failRequest({ id }: PendingRequest): void {
    const responseId = `never-${id}`;
    this.pending = undefined;
    this.emit({ type: 'response_started', responseId });
    this.emit({ type: 'response_done', responseId, status: 'failed' });
    this.stopWatchdogWhenIdle();
  }

  private finish(responseId: string, status: ResponseStatus): void {
    this.active = undefined;
    this.stopWatchdogWhenIdle();
    this.charge(this.bill?.due() ?? []);
    this.emit({ type: 'response_done', responseId, status });
  }

  private stopWatchdogWhenIdle(): void {
    if (this.active ?? this.pending) return;
    this.watchdog.stop();
    this.afterError.stop();
  }

  private cancelTooLong(): void {
    this.emit({
      type: 'error',
      code: 'response_too_long',
      message: 'The response was longer than 5 minutes and was cancelled.',
    });
    this.cancelResponse();
  }

  /** The server works on the response. Undefined: it is not the active one, or cancelled. */
  private continueResponse(responseId: string): ActiveResponse | undefined {
    if (this.active?.id !== responseId) return undefined;
    this.feedWatchdogs();
    return this.active.isCancelled ? undefined : this.active;
  }

  private countAudio(itemId: string, ms: number): void {
    this.items.set(itemId, (this.items.get(itemId) ?? 0) + ms);
    const [oldest] = this.items.keys();
    if (this.items.size > MAX_ITEMS && oldest !== undefined) this.items.delete(oldest);
  }

  private requestResponse(params: ResponseParams, isOfSession: boolean): void {
    if (!this.pending) this.watchdog.feed();
    const id = `ask-${++this.requestCount}`;
    this.pending = { id, isOfSession, ...params };
    if (!params.response) this.isAnswerOwed = false;
    this.send({ type: 'response.create', event_id: id, ...params });
  }

  private add(item: ReturnType<typeof userMessage>): void {
    this.send({ type: 'conversation.item.create', item });
  }

  private report(error: ServerError): void {
    this.emit({ type: 'error', code: error.code ?? error.type ?? 'error', message: messageOf(error) });
  }

  private charge(items: UsageItem[]): void {
    const believed = items.filter(isPlausible);
    if (believed.length > 0) this.emit({ type: 'usage', items: believed });
    if (believed.length < items.length) this.emit(IMPLAUSIBLE_USAGE);
  }

  private get transcriptionSource(): string {
    return `${this.options.name}:${this.options.transcriptionModel ?? ''}`;
  }

  private send(event: RealtimeClientEvent): void {
    if (!this.isClosed) this.socket.send(event);
  }

  private emit(event: ProviderEvent): void {
    if (!this.isClosed) this.session.onEvent(event);
  }
}

const messageOf = ({ message, code }: ServerError): string => shorten(message ?? code ?? 'The server gave no reason.');

/**
 * An `incomplete` response was shortened, and what there is of it counts. One without any content has failed, as has one that the server
 * cancelled although nobody asked for that.
 */
function outcomeOf(active: ActiveResponse, status: RealtimeResponse['status'], byServer: boolean): ResponseStatus {
  if (status === 'failed') return 'failed';
  if (status === 'cancelled') return active.isCancelled || byServer ? 'cancelled' : 'failed';
  const isEmpty = active.audioMs === 0 && active.characters === 0 && !active.hasCalledTools;
  return status === 'incomplete' && isEmpty && !active.isCancelled ? 'failed' : 'completed';
}

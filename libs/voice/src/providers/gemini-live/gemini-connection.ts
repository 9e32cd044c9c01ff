import { bytesPerMs } from '@app/telephony';
import type { LiveClientMessage } from '@google/genai';
import { Watchdog } from '../../clock.js';
import { heardPart } from '../../transcript/transcript.js';
import { keysPressed, sayExactly, systemNote, YOUR_TURN } from '../realtime-wording.js';
import { shorten } from '../socket/server-protocol.js';
import type {
  ConnectRequest,
  ProviderEvent,
  ResponseRequest,
  ResponseStatus,
  VoiceConnection,
} from '../voice-provider.js';
import { CallerSpeech } from './caller-speech.js';
import {
  durationMs,
  type GeminiContent,
  type GeminiEvent,
  type GeminiProviderOptions,
  type GeminiSocket,
  isFinalReason,
  usageEvents,
} from './gemini-session.js';
import type { Resumption } from './resumption.js';
import { ModelAudio, rateOf } from './model-audio.js';
import { ToolExchange } from './tool-exchange.js';

/** A requested response that does not begin or stalls for this time is given up. */
const STANDSTILL_MS = 20_000;
/** The longest answer; the rest of longer ones is dropped. */
const MAX_RESPONSE_MS = 5 * 60_000;
const MAX_RESPONSE_CHARACTERS = 20_000;
/** The service ends a turn after the time that its audio plays; this much later its notice is not waited for any more. */
const LATE_END_MS = 1_000;
/** Text without a request is sent after this time, because a request usually follows at once. */
const UNREQUESTED_MS = 150;
/** Transcribed words may follow their turn. */
const LATE_WORDS_MS = 1_000;
/** Reasons for the end of a turn that are not failures. */
const NORMAL_ENDS = new Set(['TURN_COMPLETE_REASON_UNSPECIFIED', 'NEED_MORE_INPUT']);

/** One turn of the model. For the session it is a response, which ends when it is generated; for the service it ends when it is played. */
interface ModelTurn {
  responseId: string;
  itemId: string;
  startedAt: number;
  audioMs: number;
  text: string;
  state: 'generating' | 'generated';
  /** Interrupted here: the rest is not played, and the service does not know yet. */
  isDropped: boolean;
}

/** The response that the session has requested. `unsent`: the service still ends another turn. `sent`: the turn has not begun. */
type Requested = { step: 'none' | 'sent' } | { step: 'unsent'; say?: string };
const NOTHING: Requested = { step: 'none' };
const SENT: Requested = { step: 'sent' };

/** The results of the handshake. */
interface AcceptedSession {
  onEvent: (event: ProviderEvent) => void;
  resumption: Resumption;
}

/** One session of the Live protocol of Gemini. */
export class GeminiConnection implements VoiceConnection {
  private readonly caller: CallerSpeech;
  private readonly tools: ToolExchange;
  private readonly audio: ModelAudio;
  private readonly watchdog: Watchdog;
  private readonly source: string;
  private turn: ModelTurn | undefined;
  /** The latest turn that has ended, and when. */
  private last: { turn: ModelTurn; endedAt: number } | undefined;
  private count = 0;
  private requested: Requested = NOTHING;
  /** Speaks in the voice of this process, as a response of the provider. */
  private filler: AbortController | undefined;
  /** The end of a turn that was interrupted or not waited for is still to come. */
  private isOldEndDue = false;
  /** Texts for the model that were not sent yet. */
  private inputs: string[] = [];
  /** Notes that need no answer: they are sent with the next text. */
  private notes: string[] = [];
  /** Words that arrived before their audio. */
  private early = '';
  private cancelSettling = (): void => undefined;
  private cancelFlush = (): void => undefined;
  private isClosed = false;

  constructor(
    private readonly options: GeminiProviderOptions,
    private readonly request: ConnectRequest,
    private readonly socket: GeminiSocket,
    private readonly session: AcceptedSession,
  ) {
    const { clock, name, model, turnDetection } = options;
    this.source = `${name}:${model.replace(/^models\//, '')}`;
    this.tools = new ToolExchange(request.tools);
    this.audio = new ModelAudio(request.codec);
    this.watchdog = new Watchdog(clock, STANDSTILL_MS, () => this.end('The response of the server stalled.'));
    this.caller = new CallerSpeech({
      codec: request.codec,
      silenceMs: turnDetection?.type === 'server_vad' ? turnDetection.silenceMs : undefined,
      socket,
    });
  }

  sendAudio(frame: Buffer): void {
    if (this.isClosed || this.request.modality === 'text') return;
    const event = this.caller.push(frame);
    if (event) this.emitOfCaller(event);
  }

  sendText(text: string, role: 'user' | 'system'): void {
    this.addInput(role === 'user' ? text : systemNote(text));
  }

  sendDigits(digits: string): void {
    this.addInput(keysPressed(digits));
  }

  sendToolResult(toolCallId: string, result: string): void {
    const note = this.tools.resulted(toolCallId, result);
    if (note !== undefined) this.addInput(note);
  }

  createResponse({ say }: ResponseRequest): void {
    if (this.isClosed) return;
    if (this.isGenerating || this.isPending || this.filler) return this.emit({ type: 'response_refused' });
    // The model has all results: it speaks the words in place of an answer of its own.
    if (say !== undefined && this.tools.isComplete) {
      this.watchdog.feed();
      return this.sendResults(sayExactly(say));
    }
    // Any text would cancel the call that the model waits for.
    if (say !== undefined && this.tools.areAwaited) return void this.sayLocally(say);
    this.watchdog.feed();
    if (say === undefined && this.tools.hasResults) return this.sendResults();
    this.tools.cancelled();
    this.requested = { step: 'unsent', say };
    if (!this.turn || this.turn.isDropped) this.sendUnsent();
  }

  /** The service hears of it with the caller's speech, or the next text: the protocol has no event for it. */
  cancelResponse(): void {
    this.filler?.abort();
    const { turn } = this;
    if (!turn || turn.isDropped || turn.state !== 'generating') return;
    this.drop(turn);
    // The session is still busy with the interruption.
    queueMicrotask(() => this.finish(turn, 'cancelled'));
  }

  truncate(itemId: string, playedMs: number): void {
    const turn = [this.turn, this.last?.turn].find((one) => one?.itemId === itemId);
    if (!turn) return;
    const heard = heardPart(turn.text, playedMs, turn.audioMs);
    const words = heard ? `heard only: ${JSON.stringify(heard)}` : 'did not hear it';
    this.notes.push(systemNote(`The caller interrupted your answer and ${words}.`));
    this.session.resumption.outdated();
    if (turn === this.turn) this.drop(turn);
  }

  close(): void {
    this.end('closed by the client');
  }

  /** Handles a server message after the session was accepted. */
  take(event: GeminiEvent): void {
    const { serverContent, toolCall, toolCallCancellation, usageMetadata, goAway, sessionResumptionUpdate, error } =
      event;
    if (usageMetadata) for (const bill of usageEvents(usageMetadata, this.source)) this.emit(bill);
    if (serverContent) this.takeContent(serverContent);
    if (toolCall) this.toolsCalled(toolCall);
    if (toolCallCancellation) this.tools.cancelled(toolCallCancellation.ids);
    if (sessionResumptionUpdate) this.session.resumption.updated(sessionResumptionUpdate);
    if (goAway) this.emit({ type: 'expiring', inMs: durationMs(goAway.timeLeft) ?? 0 });
    if (error)
      this.end(
        shorten(error.message ?? 'The server gave no reason.'),
        isFinalReason(`${error.status} ${error.message}`),
      );
  }

  /** The connection is closed or useless. */
  end(reason: string, final = isFinalReason(reason)): void {
    if (this.isClosed) return;
    this.emitOfCaller(...this.caller.complete());
    this.isClosed = true;
    this.watchdog.stop();
    this.cancelSettling();
    this.cancelFlush();
    this.filler?.abort();
    this.socket.close();
    this.session.onEvent({ type: 'closed', reason, ...(final ? { final } : {}) });
  }

  private takeContent(content: GeminiContent): void {
    if (this.isPending || this.isGenerating) this.watchdog.feed();
    if (content.inputTranscription?.text) this.emitOfCaller(this.caller.words(content.inputTranscription.text));
    if (content.interrupted) this.interrupted();
    for (const { text, thought, inlineData } of content.modelTurn?.parts ?? []) {
      if (inlineData?.data) this.audioReceived(inlineData.data, inlineData.mimeType);
      if (text && !thought) this.textReceived(text);
    }
    if (content.outputTranscription?.text) this.transcriptReceived(content.outputTranscription.text);
    if (content.generationComplete) this.generated();
    if (content.turnComplete) this.turnCompleted(content.turnCompleteReason);
  }

  private audioReceived(base64: string, mimeType: string | undefined): void {
    const turn = this.ensureTurn();
    if (turn.isDropped || turn.state !== 'generating') return;
    const rate = rateOf(mimeType);
    const audio = this.audio.converted(base64, rate);
    if (!audio) return this.end(`The server sends audio of a rate that cannot be played: ${rate}.`, true);
    turn.audioMs += audio.length / bytesPerMs(this.request.codec);
    if (turn.audioMs > MAX_RESPONSE_MS) return this.dropTooLong(turn);
    if (this.request.modality === 'audio')
      this.emit({ type: 'audio', responseId: turn.responseId, itemId: turn.itemId, audio });
  }

  /** Transcription is not ordered with the audio: words may precede their turn, or follow its end. */
  private transcriptReceived(text: string): void {
    if (this.turn) return this.textReceived(text);
    const isLate = this.last && !this.isPending && this.options.clock.now() - this.last.endedAt < LATE_WORDS_MS;
    if (!isLate) this.early = (this.early + text).slice(-MAX_RESPONSE_CHARACTERS);
    else if (this.last && !this.last.turn.isDropped) this.addWords(this.last.turn, text);
  }

  private textReceived(text: string): void {
    const turn = this.ensureTurn();
    if (!turn.isDropped) this.addWords(turn, text);
  }

  private addWords(turn: ModelTurn, text: string): void {
    turn.text += text;
    this.session.resumption.said(turn.text);
    if (turn.text.length > MAX_RESPONSE_CHARACTERS) return this.dropTooLong(turn);
    this.emit({ type: 'agent_text', responseId: turn.responseId, itemId: turn.itemId, text });
  }

  private generated(): void {
    const { turn } = this;
    this.emitOfCaller(...this.caller.answered());
    if (!turn || turn.state === 'generated') return;
    turn.state = 'generated';
    if (!turn.isDropped) this.finish(turn, 'completed');
    const unplayedMs = Math.max(0, turn.startedAt + turn.audioMs - this.options.clock.now());
    this.cancelSettling = this.options.clock.after(unplayedMs + LATE_END_MS, () => {
      this.isOldEndDue = true;
      this.closeTurn();
    });
  }

  private turnCompleted(reason: string | undefined): void {
    const status = reason === undefined || NORMAL_ENDS.has(reason) ? 'completed' : 'failed';
    const isOld = this.isOldEndDue && !this.turn;
    this.isOldEndDue = false;
    if (!isOld && status === 'failed')
      this.emit({ type: 'error', code: reason!.toLowerCase(), message: 'The model ended its turn early.' });
    this.emitOfCaller(...this.caller.complete());
    // The model may have nothing to say.
    const turn = this.turn ?? (!isOld && this.requested.step === 'sent' ? this.ensureTurn() : undefined);
    if (!turn) return;
    const isOpen = turn.state === 'generating' && !turn.isDropped;
    // The session may request a response in the event.
    turn.state = 'generated';
    if (isOpen) this.finish(turn, status);
    this.closeTurn();
  }

  /** The caller, or a text of this client, stopped the model. */
  private interrupted(): void {
    const { turn } = this;
    this.emitOfCaller(...this.caller.complete());
    if (!turn) return;
    const isOpen = turn.state === 'generating' && !turn.isDropped;
    if (isOpen) this.emit({ type: 'interrupted' });
    // The session may request a response in the event.
    turn.state = 'generated';
    if (isOpen) this.finish(turn, 'cancelled');
    this.isOldEndDue = true;
    this.closeTurn();
  }

  private toolsCalled({ functionCalls }: NonNullable<GeminiEvent['toolCall']>): void {
    if (this.turn?.isDropped) return;
    this.emitOfCaller(...this.caller.answered());
    if (this.turn?.state === 'generated') this.closeTurn();
    const turn = this.ensureTurn();
    for (const call of this.tools.called(functionCalls, turn.responseId)) this.emit(call);
    this.finish(turn, 'completed');
    this.closeTurn();
  }

  /** The current turn of the model, which begins now if there is none. */
  private ensureTurn(): ModelTurn {
    if (this.turn) return this.turn;
    const turn: ModelTurn = {
      ...this.nextIds(),
      startedAt: this.options.clock.now(),
      audioMs: 0,
      text: '',
      state: 'generating',
      isDropped: false,
    };
    this.turn = turn;
    this.audio.restart();
    this.isOldEndDue = false;
    this.session.resumption.outdated();
    this.caller.hold();
    this.watchdog.feed();
    this.emit({ type: 'response_started', responseId: turn.responseId });
    // Another response began first; the session repeats its request after that.
    if (this.requested.step === 'unsent') this.emit({ type: 'response_refused' });
    this.requested = NOTHING;
    const { early } = this;
    this.early = '';
    if (early) this.addWords(turn, early);
    return turn;
  }

  private nextIds(): Pick<ModelTurn, 'responseId' | 'itemId'> {
    const number = ++this.count;
    return { responseId: `turn-${number}`, itemId: `said-${number}` };
  }

  private finish({ responseId }: ModelTurn, status: ResponseStatus): void {
    if (!this.isPending) this.watchdog.stop();
    this.emit({ type: 'response_done', responseId, status });
  }

  /** The service has ended the turn. */
  private closeTurn(): void {
    const { turn } = this;
    this.cancelSettling();
    this.turn = undefined;
    if (turn) this.last = { turn, endedAt: this.options.clock.now() };
    this.caller.release();
    if (this.requested.step === 'unsent') this.sendUnsent();
    else if (this.inputs.length > 0) this.flushSoon();
  }

  private drop(turn: ModelTurn): void {
    turn.isDropped = true;
    this.caller.release();
    this.sendUnsent();
  }

  private dropTooLong(turn: ModelTurn): void {
    if (turn.isDropped) return;
    const message = 'The response was longer than 5 minutes and was cancelled.';
    this.emit({ type: 'error', code: 'response_too_long', message });
    this.drop(turn);
    if (turn.state === 'generating') this.finish(turn, 'cancelled');
  }

  private get isPending(): boolean {
    return this.requested.step !== 'none';
  }

  private get isGenerating(): boolean {
    return this.turn?.state === 'generating' && !this.turn.isDropped;
  }

  private addInput(text: string): void {
    if (this.isClosed) return;
    this.inputs.push(text);
    this.flushSoon();
  }

  /** Sends texts that no request follows, between two turns. */
  private flushSoon(): void {
    this.cancelFlush();
    this.cancelFlush = this.options.clock.after(UNREQUESTED_MS, () => {
      if (this.inputs.length === 0) return;
      const isQuiet =
        !this.turn && !this.isPending && !this.filler && !this.tools.areAwaited && !this.caller.isSpeaking;
      if (!isQuiet) return this.flushSoon();
      this.watchdog.feed();
      this.requested = { step: 'unsent' };
      this.sendUnsent();
    });
  }

  private sendUnsent(): void {
    if (this.requested.step !== 'unsent') return;
    const { say } = this.requested;
    const texts = [...this.notes.splice(0), ...this.inputs.splice(0), ...(say === undefined ? [] : [sayExactly(say)])];
    this.requested = SENT;
    this.session.resumption.outdated();
    this.send({ realtimeInput: { text: texts.length > 0 ? texts.join('\n') : YOUR_TURN } });
  }

  private sendResults(instruction?: string): void {
    this.requested = SENT;
    this.session.resumption.outdated();
    this.send({ toolResponse: { functionResponses: this.tools.takeResults(instruction) } });
  }

  /** The model waits for a tool and says nothing. */
  private async sayLocally(text: string): Promise<void> {
    const { codec, agent, modality } = this.request;
    const ids = this.nextIds();
    const { responseId } = ids;
    const { signal } = (this.filler = new AbortController());
    this.emit({ type: 'response_started', responseId });
    let status: ResponseStatus = 'completed';
    try {
      const sentences = this.options.speech.say(text, { codec, language: agent.language }, signal);
      for await (const { text: sentence, audio } of sentences) {
        this.emit({ type: 'agent_text', ...ids, text: `${sentence} ` });
        if (modality === 'audio') this.emit({ type: 'audio', ...ids, audio });
      }
    } catch (error) {
      status = 'failed';
      this.emit({ type: 'error', code: 'speech_failed', message: shorten(String(error)) });
    }
    this.filler = undefined;
    this.emit({ type: 'response_done', responseId, status: signal.aborted ? 'cancelled' : status });
  }

  private emitOfCaller(...events: (ProviderEvent | undefined)[]): void {
    for (const event of events) {
      if (event?.type === 'speech_started') this.session.resumption.outdated();
      if (event) this.emit(event);
    }
  }

  private send(message: LiveClientMessage): void {
    if (!this.isClosed) this.socket.send(message);
  }

  private emit(event: ProviderEvent): void {
    if (!this.isClosed) this.session.onEvent(event);
  }
}

import type { ConversationItem, RealtimeConversationItemUserMessage } from 'openai/resources/realtime/realtime';
import { noteIn, resultIn, type Speech, wordsToSay } from '@app/voice';
import {
  type ClientEvent,
  configOf,
  eventIdOf,
  firstFields,
  type ItemFields,
  merge,
  readClientEvent,
  type ResponseFields,
  type SessionConfig,
  type SessionFields,
  type TurnRules,
} from './client-events.js';
import { ConversationItems, Refused, TokenCount, type Wire } from './conversation-items.js';
import { ConnectionFaults, type Fault, type TimedFault } from './faults.js';
import { type HeardEvent, InputAudio } from './input-audio.js';
import { newId, ResponseRun, snapshot, type ResponseSettings } from './response-run.js';
import type { Script } from './script.js';
import { ScriptedAgent } from './scripted-agent.js';

/** The longest session of OpenAI's server. */
const SESSION_MS = 60 * 60_000;
/** For turns that the client ends. */
const NO_TURNS = { silenceMs: 700, prefixMs: 0, createResponse: false, interruptResponse: false };

interface ConversationOptions {
  model: string;
  script: Script;
  faults: readonly Fault[];
  /** The number of this connection with the script, from 1. */
  connection: number;
  speech: Speech;
}

/** One client's conversation with a scripted agent, in the events of the Realtime protocol (GA). */
export class RealtimeConversation {
  private readonly id = newId('conv');
  private readonly sessionId = newId('sess');
  private readonly expiresAt = Math.round((Date.now() + SESSION_MS) / 1_000);
  private readonly items = new ConversationItems();
  private readonly tokens = new TokenCount();
  private readonly agent: ScriptedAgent;
  private readonly faults: ConnectionFaults;
  private expiry: NodeJS.Timeout | undefined;
  private idleTimers: NodeJS.Timeout[] = [];
  private fields: SessionFields;
  private config: SessionConfig;
  private input: InputAudio;
  /** The item of the current speech. */
  private speaking: string | undefined;
  private active: ResponseRun | undefined;
  /** Speech cut off the active response, and is answered after its end. */
  private answersNext = false;
  private closed = false;

  constructor(
    private readonly wire: Wire,
    private readonly options: ConversationOptions,
  ) {
    this.fields = firstFields(options.model);
    this.config = configOf(this.fields);
    this.input = new InputAudio(this.config.inputFormat, this.turns.silenceMs);
    this.agent = new ScriptedAgent(options.script, () => this.config);
    this.faults = new ConnectionFaults(options.faults, options.connection, (fault) => this.fail(fault));
  }

  /** Greets the client and starts the clocks of the session. */
  begin(): void {
    this.expiry = setTimeout(() => this.expire(), SESSION_MS);
    this.faults.begin();
    this.wire.send({ type: 'session.created', session: this.sessionView() });
  }

  /** A message of the client. */
  receive(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return this.refuse(new Refused('invalid_json', 'The message is not valid JSON.'), null);
    }
    try {
      this.take(readClientEvent(value));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.refuse(error, eventIdOf(value));
    }
  }

  /** The connection is gone. */
  close(): void {
    this.closed = true;
    clearTimeout(this.expiry);
    this.stopIdling();
    this.faults.close();
    this.active?.stop({ type: 'cancelled', reason: 'client_cancelled' });
  }

  private take(event: ClientEvent): void {
    switch (event.type) {
      case 'session.update':
        return this.update(event.session);
      case 'input_audio_buffer.append':
        return this.input.append(event.audio).forEach((heard) => this.hear(heard));
      case 'input_audio_buffer.commit':
        return this.commit(this.input.commit());
      case 'input_audio_buffer.clear':
        this.input.clear();
        return this.wire.send({ type: 'input_audio_buffer.cleared' });
      case 'conversation.item.create':
        return this.addItem(event.item, event.previous_item_id);
      case 'conversation.item.retrieve': {
        const { item } = this.items.get(event.item_id, 'item_retrieve');
        return this.wire.send({ type: 'conversation.item.retrieved', item: snapshot(item) });
      }
      case 'conversation.item.delete':
        this.items.delete(event.item_id);
        return this.wire.send({ type: 'conversation.item.deleted', item_id: event.item_id });
      case 'conversation.item.truncate':
        return this.truncate(event);
      case 'response.create':
        return this.createResponse(event.response ?? {});
      case 'response.cancel':
        return this.cancel(event.response_id);
    }
  }

  private update(fields: SessionFields): void {
    this.fields = merge(this.fields, fields);
    this.config = configOf(this.fields);
    this.input = this.input.changed(this.config.inputFormat, this.turns.silenceMs);
    this.wire.send({ type: 'session.updated', session: this.sessionView() });
  }

  private get turns(): TurnRules {
    return this.config.turns ?? NO_TURNS;
  }

  private hear(event: HeardEvent): void {
    if (!this.config.turns) return;
    this.stopIdling();
    if (event.type === 'speech-start') this.speechStarted(event.atMs);
    else this.speechStopped(event.atMs, event.spokenMs, event.words);
  }

  private speechStarted(atMs: number): void {
    this.speaking ??= newId('item');
    // As documented: the position includes the padding before the speech.
    const audio_start_ms = Math.max(0, atMs - this.turns.prefixMs);
    this.wire.send({ type: 'input_audio_buffer.speech_started', item_id: this.speaking, audio_start_ms });
    if (this.turns.interruptResponse) this.active?.stop({ type: 'cancelled', reason: 'turn_detected' });
  }

  private speechStopped(atMs: number, spokenMs: number, words: string | undefined): void {
    const itemId = (this.speaking ??= newId('item'));
    const audio_end_ms = atMs + this.turns.silenceMs;
    this.wire.send({ type: 'input_audio_buffer.speech_stopped', item_id: itemId, audio_end_ms });
    if (words === undefined) this.agent.hearSpeech(spokenMs / 1_000);
    else this.agent.hearText(words);
    this.input.clear();
    this.commit(spokenMs, words);
    if (this.turns.createResponse) this.answerSpeech();
  }

  /** As in the protocol: speech during an active response stays unanswered. */
  private answerSpeech(): void {
    if (!this.active) this.createResponse({});
    else if (this.active.isStopped) this.answersNext = true;
    else this.refuse(activeAlready(this.active), null);
  }

  private commit(ms: number, words?: string): void {
    const item_id = this.speaking ?? newId('item');
    this.wire.send({ type: 'input_audio_buffer.committed', item_id, previous_item_id: this.items.lastId });
    if (!this.speaking) this.agent.hearSpeech(ms / 1_000);
    this.speaking = undefined;
    this.tokens.heardAudio(ms);
    const content: RealtimeConversationItemUserMessage.Content[] = [
      // Null rather than absent: the words are unknown, or follow.
      { type: 'input_audio', transcript: null as unknown as undefined },
    ];
    this.keep({ id: item_id, object: 'realtime.item', type: 'message', status: 'completed', role: 'user', content });
    if (this.config.wantsTranscription) this.transcribe(item_id, ms, words);
  }

  /** The sandbox recognises the words of tester callers only, and says so. */
  private transcribe(itemId: string, ms: number, words: string | undefined): void {
    if (words !== undefined)
      return this.wire.send({
        type: 'conversation.item.input_audio_transcription.completed',
        item_id: itemId,
        content_index: 0,
        transcript: words,
        usage: { type: 'duration', seconds: ms / 1_000 },
      });
    const message = 'The sandbox does not recognise words.';
    this.wire.send({
      type: 'conversation.item.input_audio_transcription.failed',
      item_id: itemId,
      content_index: 0,
      error: { type: 'transcription_error', code: 'transcription_unavailable', message },
    });
  }

  private addItem(fields: ItemFields, after: string | null | undefined): void {
    const item = { ...fields, id: fields.id ?? newId('item'), object: 'realtime.item', status: 'completed' };
    if (fields.type === 'function_call_output') this.takeResult(fields.call_id, fields.output);
    this.keep(item as ConversationItem & { id: string }, after);
    if (fields.type === 'message') this.takeMessage(fields);
  }

  private takeMessage({ role, content }: Extract<ItemFields, { type: 'message' }>): void {
    const text = content
      .map((part) => ('text' in part ? part.text : ''))
      .join(' ')
      .trim();
    this.tokens.heardText(text);
    // The agent supports no other notes of the system.
    if (role === 'system' && this.agent.takeOver(text)) return;
    const note = role === 'system' ? noteIn(text) : undefined;
    if (note !== undefined) this.agent.takeNote(note);
    const result = role === 'system' ? resultIn(text) : undefined;
    if (result) this.agent.takeToolResult('', result.tool, result.output);
    if (role === 'user') this.agent.hearText(text);
    if (role === 'assistant') this.agent.continueConversation();
    if (role === 'user') this.stopIdling();
  }

  private takeResult(callId: string, output: string): void {
    const call = this.items.callNamed(callId);
    if (call?.type !== 'function_call') {
      throw new Refused('invalid_tool_call_id', `Tool call ID '${callId}' not found in conversation.`, 'item.call_id');
    }
    this.tokens.heardText(output);
    this.agent.takeToolResult(callId, call.name, output);
  }

  private keep(item: ConversationItem & { id: string }, after?: string | null): void {
    const before = this.items.add({ item }, after);
    this.wire.send({ type: 'conversation.item.added', previous_item_id: before, item: snapshot(item) });
    this.wire.send({ type: 'conversation.item.done', previous_item_id: before, item: snapshot(item) });
  }

  private truncate(event: Extract<ClientEvent, { type: 'conversation.item.truncate' }>): void {
    const { item_id, content_index, audio_end_ms } = event;
    this.items.truncate(item_id, content_index, audio_end_ms);
    this.agent.noteInterruption();
    this.wire.send({ type: 'conversation.item.truncated', item_id, content_index, audio_end_ms });
  }

  private createResponse(fields: ResponseFields): void {
    if (this.active) throw activeAlready(this.active);
    this.answersNext = false;
    this.stopIdling();
    for (const item of fields.input ?? []) if (item.type === 'message') this.takeMessage(item);
    const { instructions } = fields;
    const words = instructions === undefined ? undefined : (wordsToSay(instructions) ?? instructions);
    const { wire, tokens, faults } = this;
    const { speech } = this.options;
    const run = new ResponseRun(this.responseSettings(fields), { wire, speech, tokens, faults });
    this.active = run;
    void this.respond(run, words, fields.tool_choice !== 'none');
  }

  private async respond(run: ResponseRun, words: string | undefined, mayCall: boolean): Promise<void> {
    const { say, calls } = this.agent.reply(words);
    await run.run({ say, calls: mayCall ? calls : [] }, (callId, request) => this.agent.noteCall(callId, request));
    this.active = undefined;
    this.faults.responseDone();
    if (this.closed) return;
    if (this.answersNext) this.createResponse({});
    else this.idle(run.unplayedMs);
  }

  private responseSettings(fields: ResponseFields): ResponseSettings {
    const { modality, outputFormat, language } = this.config;
    return {
      modality: fields.output_modalities?.[0] ?? modality,
      format: fields.audio?.output?.format ?? outputFormat,
      language: this.options.script.agent.language ?? language,
      metadata: fields.metadata ?? null,
      conversationId: this.id,
      items: fields.conversation === 'none' ? undefined : this.items,
    };
  }

  private cancel(responseId: string | undefined): void {
    if (!this.active || (responseId !== undefined && responseId !== this.active.id)) {
      throw new Refused('response_cancel_not_active', 'Cancellation failed: no active response found.');
    }
    this.active.stop({ type: 'cancelled', reason: 'client_cancelled' });
  }

  /** `unplayedMs`: audio that the user still hears, which does not count as silence. */
  private idle(unplayedMs: number): void {
    this.stopIdling();
    const onIdle = (seconds: number): void => {
      if (this.active || this.speaking) return;
      this.agent.noteIdle(seconds);
      this.createResponse({});
    };
    this.idleTimers = this.agent.idleSeconds.map((seconds) =>
      setTimeout(() => onIdle(seconds), unplayedMs + seconds * 1_000),
    );
  }

  private stopIdling(): void {
    this.idleTimers.forEach((timer) => clearTimeout(timer));
  }

  private fail(fault: TimedFault): void {
    switch (fault.do) {
      case 'disconnect':
        return this.wire.cut();
      case 'stall':
        return this.wire.stall();
      case 'expire':
        return this.expire();
      case 'garbage':
        return this.wire.sendRaw('{"type":"response.');
      case 'error':
        return this.sendError({ type: 'server_error', code: 'server_error', message: 'Something went wrong here.' });
      case 'rate_limit':
        return this.limitRate();
    }
  }

  private limitRate(): void {
    const error = {
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      message: 'Rate limit reached. Try again later.',
    };
    if (this.active) this.active.stop({ type: 'failed', error });
    else this.sendError(error);
  }

  private expire(): void {
    const message = 'Your session hit the maximum duration of 60 minutes.';
    this.sendError({ type: 'invalid_request_error', code: 'session_expired', message });
    this.wire.close(1001, 'session expired');
  }

  private refuse({ code, message, param }: Refused, eventId: string | null): void {
    this.sendError({ type: 'invalid_request_error', code, message, param, event_id: eventId });
  }

  private sendError(error: {
    type: string;
    code: string;
    message: string;
    param?: string | null;
    event_id?: string | null;
  }): void {
    this.wire.send({ type: 'error', error: { param: null, event_id: null, ...error } });
  }

  private sessionView() {
    const own = { id: this.sessionId, object: 'realtime.session', expires_at: this.expiresAt };
    return { ...own, ...(this.fields as { type: 'realtime' }) };
  }
}

function activeAlready({ id }: ResponseRun): Refused {
  const message = `Conversation already has an active response in progress: ${id}. Wait until the response is finished before creating a new one.`;
  return new Refused('conversation_already_has_active_response', message);
}

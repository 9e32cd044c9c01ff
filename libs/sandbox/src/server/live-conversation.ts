import type { ServerEvent } from 'openai/resources/live/live';
import { keysIn, noteIn, resultIn, wordsToSay, YOUR_TURN } from '@app/voice';
import type { Conversation, EmulatorServices } from '../vendors/emulator.js';
import { Hearing, type HearingEvent, type HearingFormat } from '../vendors/speech/hearing.js';
import { eventIdOf } from './client-events.js';
import { type ClientConnection, Refused, TokenCount } from './conversation-items.js';
import { ConnectionFaults, type Fault, type TimedFault } from './faults.js';
import {
  type LiveBackend,
  type LiveClientEvent,
  type LiveFormat,
  type LiveSessionFields,
  readLiveEvent,
} from './live-messages.js';
import { LiveSpeech } from './live-speech.js';
import { newId } from './response-run.js';
import { ScriptedAgent, type ToolRequest } from './scripted-agent.js';

/** The longest session of the service. */
const SESSION_MS = 60 * 60_000;
/** The service decides by the conversation when the user has ended; we decide by silence. */
const SILENCE_MS = 500;
/** A script with an opening speaks after so much audio, unless it was told what to say. */
const OPENING_MS = 400;
const NORMAL = 1000;
const POLICY = 1008;
const CALLER_WROTE = /^The caller wrote: (.*)$/s;
const DEFAULT_FORMAT: LiveFormat = { type: 'audio/pcm', rate: 24_000 };

type WithoutId<Event> = Event extends unknown ? Omit<Event, 'event_id'> : never;
type LiveEvent = WithoutId<ServerEvent>;
/** An event of the backend model, as far as clients read it. */
type BackendEvent = Record<string, unknown> & { type: string };

/** A session that has started. */
interface Started {
  fields: LiveSessionFields;
  backend: LiveBackend | undefined;
  format: LiveFormat;
  agent: ScriptedAgent;
  hearing: Hearing;
  faults: ConnectionFaults;
  language: string | undefined;
  opens: boolean;
  startedAt: number;
  expiry: NodeJS.Timeout;
}

/**
 * One client's conversation with a scripted agent in OpenAI's Live protocol, by the types of the package `openai`: the model listens
 * while it speaks, decides alone when to answer, stops when the user speaks, and leaves tools to a backend model. The words of the user
 * are those of tester callers, or of `legs.hears` of the script.
 */
export class LiveConversation implements Conversation {
  private readonly id = newId('live');
  private readonly tokens = new TokenCount();
  private readonly calls = new Map<string, ToolRequest>();
  private started: Started | undefined;
  private speaking: LiveSpeech | undefined;
  /** Answers behind the current speech; the words of the client, or undefined for the agent's own. */
  private waiting: (string | undefined)[] = [];
  private isMuted = false;
  private closed = false;

  constructor(
    private readonly connection: ClientConnection,
    private readonly services: Pick<EmulatorServices, 'scripts' | 'speech'>,
    private readonly ownFaults: readonly Fault[],
  ) {}

  /** The client speaks first. */
  begin(): void {}

  /** A message of the client. */
  receive(json: string): void {
    if (this.closed) return;
    let value: unknown;
    try {
      value = JSON.parse(json);
      this.take(readLiveEvent(value));
    } catch (error) {
      if (error instanceof SyntaxError) this.refuse('invalid_json', 'The message is not valid JSON.');
      else if (error instanceof Refused) this.refuse(error.code, error.message, error.param, eventIdOf(value));
      else throw error;
    }
  }

  /** The connection is gone. */
  close(): void {
    this.closed = true;
    clearTimeout(this.started?.expiry);
    this.started?.faults.close();
    this.speaking?.stop();
  }

  private take(event: LiveClientEvent): void {
    if (event.type === 'session.start') return this.start(event.session);
    if (!this.started) throw new Refused('session_not_started', 'The first event must be session.start.', 'type');
    switch (event.type) {
      case 'session.update':
        return this.update(this.started, event.session.delegation?.responses);
      case 'session.input_audio.append':
        return this.listen(this.started, Buffer.from(event.audio, 'base64'));
      case 'session.input_audio.mute':
      case 'session.input_audio.unmute':
        this.isMuted = event.type === 'session.input_audio.mute';
        return this.send({
          type: this.isMuted ? 'session.input_audio.muted' : 'session.input_audio.unmuted',
          ...this.now,
        });
      case 'session.instructions.append':
        this.send({ type: 'session.instructions.appended', ...this.now });
        return this.read(this.started, event.content);
      case 'session.thinking.append':
        return this.send({ type: 'session.thinking.appended', ...this.now });
      case 'session.commentary.append':
        this.send({ type: 'session.commentary.appended', ...this.now });
        return this.answer(wordsToSay(event.content) ?? event.content);
      case 'response.item.create':
        return this.addItem(this.started, event.item);
      case 'response.create':
        return this.answer();
      case 'session.close':
        return this.end('close_requested');
    }
  }

  private start(fields: LiveSessionFields): void {
    if (this.started) throw new Refused('session_already_started', 'The session has started already.', 'type');
    const opened = this.services.scripts.open(fields.model);
    if (!opened) throw new Refused('model_not_found', `The model '${fields.model}' does not exist.`, 'session.model');
    const { script, connection } = opened;
    const faults = [...script.faults, ...this.ownFaults];
    const refused = faults.find((fault) => fault.do === 'refuse' && connection <= (fault.connections ?? Infinity));
    if (refused?.do === 'refuse') return this.turnAway(refused.status);
    const format = fields.audio?.format ?? DEFAULT_FORMAT;
    const setup = () => ({
      instructions: this.started?.backend?.instructions ?? fields.instructions ?? '',
      tools: (this.started?.backend?.tools ?? []).map(({ name }) => name),
    });
    const agent = new ScriptedAgent(script, setup);
    this.started = {
      fields,
      backend: fields.delegation?.responses,
      format,
      agent,
      hearing: new Hearing(hearingFormat(format), script.legs?.hears ?? [], SILENCE_MS),
      faults: new ConnectionFaults(faults, connection, (fault) => this.fail(fault)),
      language: script.agent.language,
      opens: script.rules.some(({ on }) => on.opening) && !fields.input?.length,
      startedAt: performance.now(),
      expiry: setTimeout(() => this.end('expired'), SESSION_MS),
    };
    for (const { role, content } of fields.input ?? []) {
      if (role === 'assistant') agent.continueConversation();
      else if (role === 'user') agent.hearText(content[0].text);
      else agent.takeOver(content[0].text);
    }
    this.started.faults.begin();
    this.send({ type: 'session.started', session: this.view(this.started) });
  }

  private update(started: Started, changes: Partial<LiveBackend> = {}): void {
    if (!started.backend)
      throw new Refused('invalid_value', 'The session has no Responses backend.', 'session.delegation');
    started.backend = { ...started.backend, ...changes };
    this.send({ type: 'session.updated', session: this.view(started) });
  }

  private listen(started: Started, audio: Buffer): void {
    started.hearing.push(this.isMuted ? Buffer.alloc(audio.length, silenceOf(started.format)) : audio, (event) => {
      if (event) this.hear(started, event);
    });
    if (!started.opens || started.hearing.audioMs < OPENING_MS) return;
    started.opens = false;
    this.answer();
  }

  private hear({ agent }: Started, event: HearingEvent): void {
    if (event.type === 'started') return this.interrupt();
    if (event.type === 'interim') return;
    this.tokens.heardAudio(event.spokenMs);
    for (const [at, { text, startMs, endMs }] of event.words.entries()) {
      const range = { start_ms: Math.round(startMs), end_ms: Math.round(endMs) };
      this.send({ type: 'session.input_transcript.delta', delta: at > 0 ? ` ${text}` : text, ...range });
    }
    agent.hearText(event.words.map(({ text }) => text).join(' '));
    this.answer();
  }

  /** The model falls silent when the user speaks. */
  private interrupt(): void {
    this.waiting = [];
    if (this.started) this.started.opens = false;
    if (!this.speaking) return;
    this.speaking.stop();
    this.started?.agent.noteInterruption();
  }

  /** Instructions during the session: what the caller did elsewhere is answered, the rest is kept in mind. */
  private read({ agent }: Started, content: string): void {
    this.tokens.heardText(content);
    const note = noteIn(content);
    const result = resultIn(content);
    const written = CALLER_WROTE.exec(content)?.[1];
    if (result) agent.takeToolResult('', result.tool, result.output);
    if (note !== undefined) agent.takeNote(note);
    if (written !== undefined || keysIn(content) !== undefined) agent.hearText(written ?? content);
    else if (note === undefined && content !== YOUR_TURN) return;
    this.answer();
  }

  private addItem({ agent }: Started, item: Extract<LiveClientEvent, { type: 'response.item.create' }>['item']): void {
    if (item.type === 'message') return agent.hearText(item.content);
    const call = this.calls.get(item.call_id);
    if (!call)
      throw new Refused('invalid_tool_call_id', `No tool call found with call_id '${item.call_id}'.`, 'item.call_id');
    this.calls.delete(item.call_id);
    this.tokens.heardText(item.output);
    agent.takeToolResult(item.call_id, call.name, item.output);
  }

  private answer(words?: string): void {
    if (this.started) this.started.opens = false;
    if (this.speaking) this.waiting.push(words);
    else if (this.started) void this.speak(this.started, words);
  }

  private async speak(started: Started, words: string | undefined): Promise<void> {
    const { agent, faults, format, language } = started;
    const { say, calls } = agent.reply(words);
    faults.responseStarts();
    const speech = new LiveSpeech(
      { format, language, offsetMs: () => this.now.end_ms },
      {
        send: (event) => this.send(event),
        speech: this.services.speech,
        tokens: this.tokens,
        faults,
      },
    );
    this.speaking = speech;
    try {
      await speech.run(say);
    } catch (error) {
      this.refuse('server_error', `The speech failed: ${String(error)}`);
    }
    this.speaking = undefined;
    faults.responseDone();
    if (this.closed) return;
    if (!speech.isStopped && calls.length > 0) this.delegate(started, calls);
    this.send({ type: 'session.usage.updated', usage: this.usage });
    if (this.waiting.length > 0) this.answer(this.waiting.shift());
  }

  /** The backend model calls the tools. */
  private delegate({ agent, backend }: Started, calls: ToolRequest[]): void {
    const delegation = newId('delegation');
    const response = { id: newId('resp'), object: 'response', model: backend?.model ?? null };
    const send = (event: BackendEvent): void => this.send({ type: 'response.event', delegation_id: delegation, event });
    this.send({
      type: 'session.delegation.created',
      delegation: { id: delegation, type: 'delegation', target: 'responses', response_id: response.id },
      offset_ms: this.now.end_ms,
    });
    send({ type: 'response.created', response: { ...response, status: 'in_progress' } });
    for (const [output_index, request] of calls.entries()) {
      const call_id = newId('call');
      const json = JSON.stringify(request.arguments);
      this.calls.set(call_id, request);
      agent.noteCall(call_id, request);
      this.tokens.saidText(request.name + json);
      const item = { type: 'function_call', id: newId('fc'), call_id, name: request.name, arguments: json };
      send({ type: 'response.output_item.done', output_index, item: { ...item, status: 'completed' } });
    }
    const { input_tokens, output_tokens, input_token_details } = this.tokens.bill();
    const input_tokens_details = { cached_tokens: input_token_details?.cached_tokens ?? 0 };
    const usage = { input_tokens, output_tokens, input_tokens_details };
    send({ type: 'response.completed', response: { ...response, status: 'completed', usage } });
  }

  private fail(fault: TimedFault): void {
    switch (fault.do) {
      case 'disconnect':
        return this.connection.cut();
      case 'stall':
        return this.connection.stall();
      case 'garbage':
        return this.connection.sendRaw('{"type":"session.');
      case 'error':
        return this.refuse('server_error', 'Something went wrong here.');
      case 'rate_limit':
        return this.refuse('rate_limit_exceeded', 'Rate limit reached. Try again later.');
      case 'expire':
        return this.end('expired');
    }
  }

  private end(reason: 'close_requested' | 'expired'): void {
    const { started } = this;
    if (!started || this.closed) return;
    this.speaking?.stop();
    this.send({ type: 'session.closed', reason, session: this.view(started), usage: this.usage });
    this.close();
    this.connection.close(NORMAL, reason);
  }

  private turnAway(status: number): void {
    const code = status === 401 ? 'invalid_api_key' : status === 429 ? 'rate_limit_exceeded' : 'server_error';
    this.refuse(code, 'The session was refused.');
    this.closed = true;
    this.connection.close(POLICY, code);
  }

  private refuse(code: string, message: string, param?: string | null, eventId?: string | null): void {
    const type = code === 'server_error' ? 'server_error' : 'invalid_request_error';
    const cause = { ...(param && { param }), ...(eventId && { client_event_id: eventId }) };
    this.send({ type: 'error', error: { type, code, message, ...cause } });
  }

  private get now(): { start_ms: number; end_ms: number } {
    const at = Math.round(this.usage.seconds * 1_000);
    return { start_ms: at, end_ms: at };
  }

  private get usage(): { seconds: number } {
    return { seconds: this.started ? (performance.now() - this.started.startedAt) / 1_000 : 0 };
  }

  private view({ fields, backend }: Started) {
    const delegation = backend && { type: 'responses' as const, responses: backend as { model: string } };
    const expires_at = Math.round((Date.now() + SESSION_MS - this.usage.seconds * 1_000) / 1_000);
    const { model, instructions = null, audio } = fields;
    return { id: this.id, status: 'active' as const, model, instructions, expires_at, audio, delegation };
  }

  private send(event: LiveEvent): void {
    if (!this.closed) this.connection.sendRaw(JSON.stringify({ event_id: newId('event'), ...event }));
  }
}

const hearingFormat = ({ type, rate }: LiveFormat): HearingFormat => ({
  codec: type === 'audio/pcm' ? 'PCM' : type === 'audio/pcma' ? 'PCMA' : 'PCMU',
  rate,
});

/** The byte of silence. */
const silenceOf = ({ type }: LiveFormat): number => (type === 'audio/pcm' ? 0 : type === 'audio/pcma' ? 0xd5 : 0xff);

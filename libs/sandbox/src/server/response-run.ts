import { randomUUID } from 'node:crypto';
import type {
  ConversationItem,
  RealtimeConversationItemAssistantMessage,
  RealtimeResponse,
  RealtimeResponseStatus,
} from 'openai/resources/realtime/realtime';
import { sentencesOf, type Speech } from '@app/voice';
import type { AudioFormat } from './client-events.js';
import type { ConversationItems, HeldItem, TokenCount, Wire } from './conversation-items.js';
import type { ConnectionFaults } from './faults.js';
import { bytesPerMs, encoded, Pace } from './input-audio.js';
import { delay } from '@app/telephony';
import type { Reply, ToolRequest } from './scripted-agent.js';

const DELTA_MS = 500;
const LATE_DELTAS = 3;

export interface ResponseSettings {
  modality: 'audio' | 'text';
  format: AudioFormat;
  language: string | undefined;
  metadata: Record<string, string> | null;
  conversationId: string;
  /** Absent: the response does not become part of the conversation. */
  items: ConversationItems | undefined;
}

interface ResponseParts {
  wire: Wire;
  speech: Speech;
  tokens: TokenCount;
  faults: ConnectionFaults;
}

type Stop = Pick<RealtimeResponseStatus, 'reason' | 'error'> & { type: 'cancelled' | 'failed' };

/** One response, from `response.created` to `response.done`. */
export class ResponseRun {
  readonly id = newId('resp');
  private readonly stopping = new AbortController();
  private stopped: Stop | undefined;
  private readonly output: ConversationItem[] = [];
  private late: (() => void) | undefined;
  private readonly startedAt = performance.now();
  private audioMs = 0;
  /** The item before the item that is being generated. */
  private previous: string | null = null;

  constructor(
    private readonly settings: ResponseSettings,
    private readonly parts: ResponseParts,
  ) {}

  /** Ends with `response.done`; never rejects: a failed voice makes the response `failed`. */
  async run(reply: Reply, onCall: (callId: string, request: ToolRequest) => void): Promise<void> {
    const { wire, faults } = this.parts;
    wire.send({ type: 'response.created', response: this.view('in_progress') });
    wire.send({ type: 'rate_limits.updated', rate_limits: RATE_LIMITS });
    faults.responseStarts();
    try {
      if (reply.say && !this.stopped) await this.speak(reply.say);
      for (const request of this.stopped ? [] : reply.calls) this.call(request, onCall);
    } catch (error) {
      this.stop({ type: 'failed', error: { type: 'server_error', code: 'speech_failed', message: String(error) } });
    }
    this.done();
  }

  /** The sent audio that the client cannot have played yet. */
  get unplayedMs(): number {
    return Math.max(0, this.audioMs - (performance.now() - this.startedAt));
  }

  get isStopped(): boolean {
    return this.stopped !== undefined;
  }

  /** Ends the generation; only the first reason counts. */
  stop(stop: Stop): void {
    this.stopped ??= stop;
    this.stopping.abort();
  }

  private async speak(text: string): Promise<void> {
    const item = { id: newId('item'), type: 'message' as const, role: 'assistant' as const, content: [] };
    const message = new MessageInResponse(item, this.output.length, this);
    if (this.settings.modality === 'text') this.write(message, text);
    else await this.talk(message, text);
    message.close(this.stopped === undefined);
    this.audioMs = message.audioMs;
    this.output.push(message.item);
  }

  private write(message: MessageInResponse, text: string): void {
    message.open('text');
    for (const sentence of sentencesOf(text)) message.text(sentence);
  }

  private async talk(message: MessageInResponse, text: string): Promise<void> {
    const { wire, speech, tokens, faults } = this.parts;
    const { signal } = this.stopping;
    const { format, language } = this.settings;
    message.open('audio');
    await delay(faults.audioDelayMs, signal);
    const pace = new Pace(wire, signal);
    const deltaBytes = DELTA_MS * bytesPerMs(format);
    for await (const { text: sentence, samples } of speech.samples(text, language, signal)) {
      message.text(sentence);
      const audio = await encoded(samples, format);
      for (let at = 0; at < audio.length; at += deltaBytes) {
        await pace.until(message.audioMs);
        const delta = audio.subarray(at, at + deltaBytes);
        if (signal.aborted) return this.sendLate(message, delta);
        message.audio(delta, delta.length / bytesPerMs(format));
        tokens.saidAudio(delta.length / bytesPerMs(format));
        faults.audioSent(message.audioMs);
      }
    }
  }

  /** Imitates a network: deltas that were in transit when the client cancelled. */
  private sendLate(message: MessageInResponse, delta: Buffer): void {
    if (!this.parts.faults.sendsLateDeltas) return;
    this.late = () => {
      for (let i = 0; i < LATE_DELTAS; i++) message.audio(delta, 0);
    };
  }

  private call(request: ToolRequest, onCall: (callId: string, request: ToolRequest) => void): void {
    const json = JSON.stringify(request.arguments);
    const callId = newId('call');
    const ids = { response_id: this.id, item_id: newId('item'), output_index: this.output.length };
    const item = (status: 'in_progress' | 'completed', text: string) => ({
      id: ids.item_id,
      object: 'realtime.item' as const,
      type: 'function_call' as const,
      status,
      name: request.name,
      call_id: callId,
      arguments: text,
    });
    const { wire, tokens } = this.parts;
    const held = { item: item('in_progress', '') };
    onCall(callId, request);
    this.begin(held, ids.output_index);
    wire.send({ type: 'response.function_call_arguments.delta', ...ids, call_id: callId, delta: json });
    wire.send({
      type: 'response.function_call_arguments.done',
      ...ids,
      call_id: callId,
      name: request.name,
      arguments: json,
    });
    Object.assign(held.item, item('completed', json));
    this.end(held, ids.output_index);
    tokens.saidText(request.name + json);
    this.output.push(held.item);
  }

  /** Announces the empty item. */
  begin(held: HeldItem, outputIndex: number): void {
    const { wire } = this.parts;
    wire.send({
      type: 'response.output_item.added',
      response_id: this.id,
      output_index: outputIndex,
      item: snapshot(held.item),
    });
    if (!this.settings.items) return;
    const before = this.settings.items.add(held);
    wire.send({ type: 'conversation.item.added', previous_item_id: before, item: snapshot(held.item) });
    this.previous = before;
  }

  end(held: HeldItem, outputIndex: number): void {
    const { wire } = this.parts;
    const item = snapshot(held.item);
    if (this.settings.items) wire.send({ type: 'conversation.item.done', previous_item_id: this.previous, item });
    wire.send({ type: 'response.output_item.done', response_id: this.id, output_index: outputIndex, item });
  }

  get wire(): Wire {
    return this.parts.wire;
  }

  saidText(text: string): void {
    this.parts.tokens.saidText(text);
  }

  private done(): void {
    const response: RealtimeResponse = {
      ...this.view(this.stopped?.type ?? 'completed'),
      output: this.output,
      usage: this.parts.tokens.bill(),
    };
    if (this.stopped) response.status_details = this.stopped;
    this.parts.wire.send({ type: 'response.done', response });
    this.late?.();
  }

  private view(status: RealtimeResponse['status']): RealtimeResponse {
    const { modality, format, metadata, conversationId } = this.settings;
    return {
      object: 'realtime.response',
      id: this.id,
      status,
      output: [],
      output_modalities: [modality],
      audio: { output: { format, voice: 'sandbox' } },
      conversation_id: conversationId,
      max_output_tokens: 'inf',
      metadata,
    };
  }
}

/** The spoken or written item of a response. */
class MessageInResponse {
  readonly held: HeldItem;
  audioMs = 0;
  private said = '';
  private kind: 'audio' | 'text' = 'text';

  constructor(
    readonly item: RealtimeConversationItemAssistantMessage & { id: string },
    private readonly outputIndex: number,
    private readonly response: ResponseRun,
  ) {
    this.item = { ...item, object: 'realtime.item', status: 'in_progress' };
    this.held = { item: this.item, audioMs: 0 };
  }

  private get place() {
    const { id } = this.response;
    return { response_id: id, item_id: this.item.id, output_index: this.outputIndex, content_index: 0 };
  }

  open(kind: 'audio' | 'text'): void {
    this.kind = kind;
    this.response.begin(this.held, this.outputIndex);
    this.item.content =
      kind === 'text' ? [{ type: 'output_text', text: '' }] : [{ type: 'output_audio', transcript: '' }];
    const part = kind === 'text' ? { type: kind, text: '' } : { type: kind, transcript: '' };
    this.response.wire.send({ type: 'response.content_part.added', ...this.place, part });
  }

  /** One more sentence. */
  text(sentence: string): void {
    const delta = this.said ? ` ${sentence}` : sentence;
    this.said += delta;
    this.response.saidText(delta);
    const type = this.kind === 'text' ? 'response.output_text.delta' : 'response.output_audio_transcript.delta';
    this.response.wire.send({ type, ...this.place, delta });
  }

  audio(delta: Buffer, ms: number): void {
    this.audioMs += ms;
    this.held.audioMs = this.audioMs;
    this.response.wire.send({ type: 'response.output_audio.delta', ...this.place, delta: delta.toString('base64') });
  }

  close(complete: boolean): void {
    const { wire } = this.response;
    if (this.kind === 'text') {
      wire.send({ type: 'response.output_text.done', ...this.place, text: this.said });
    } else {
      wire.send({ type: 'response.output_audio.done', ...this.place });
      wire.send({ type: 'response.output_audio_transcript.done', ...this.place, transcript: this.said });
    }
    const part =
      this.kind === 'text' ? { type: this.kind, text: this.said } : { type: this.kind, transcript: this.said };
    wire.send({ type: 'response.content_part.done', ...this.place, part });
    this.keep();
    this.item.status = complete ? 'completed' : 'incomplete';
    this.response.end(this.held, this.outputIndex);
  }

  /** An item that was truncated during its generation stays without words. */
  private keep(): void {
    const [part] = this.item.content;
    if (part?.type === 'output_text') part.text = this.said;
    else if (part && 'transcript' in part) part.transcript = this.said;
  }
}

const RATE_LIMITS = [
  { name: 'requests' as const, limit: 10_000, remaining: 9_999, reset_seconds: 0.006 },
  { name: 'tokens' as const, limit: 2_000_000, remaining: 1_999_000, reset_seconds: 0.03 },
];

/** A copy: later changes of the item must not change the sent event. */
export const snapshot = <Item extends ConversationItem>(item: Item): Item => structuredClone(item);

export const newId = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '')}`;

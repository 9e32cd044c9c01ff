import { VoiceActivity } from '@app/telephony';
import type { Clock } from '../src/clock.js';
import type {
  ConnectRequest,
  ProviderCapabilities,
  ProviderEvent,
  ResponseRequest,
  VoiceConnection,
  VoiceProvider,
} from '../src/providers/voice-provider.js';

const WORD_MS = 100;
const WORD = Buffer.alloc(WORD_MS * 8, 0x10);
/** Generates audio at five times real time. */
const PACE_MS = 20;
const LATENCY_MS = 60;

/**
 * A provider in virtual time: it answers speech without a request in numbered sentences, skips those in its history, calls the tool
 * `look_up` once if it has that tool, and records the audio that it gets.
 */
export class TalkingProvider implements VoiceProvider {
  readonly name = 'talking';
  readonly capabilities: ProviderCapabilities = { cancel: true, truncate: true, transcribesUser: true };
  readonly connections: TalkingConnection[] = [];

  constructor(private readonly clock: Clock) {}

  async prepare(): Promise<void> {
    await Promise.resolve();
  }

  async connect(request: ConnectRequest, onEvent: (event: ProviderEvent) => void): Promise<VoiceConnection> {
    await Promise.resolve();
    const connection = new TalkingConnection(this.connections.length, request, onEvent, this.clock);
    this.connections.push(connection);
    return connection;
  }

  get last(): TalkingConnection {
    const connection = this.connections.at(-1);
    if (!connection) throw new Error('There is no connection yet.');
    return connection;
  }
}

class TalkingConnection implements VoiceConnection {
  /** The received texts, keys and results. */
  readonly received: string[];
  private readonly voice = new VoiceActivity('PCMU', { startMs: 200, stopMs: 600 });
  private sentence: number;
  private userItems = 0;
  private responses = 0;
  private active: string | undefined;
  private owes = false;
  private closed = false;

  constructor(
    private readonly number: number,
    private readonly request: ConnectRequest,
    private readonly onEvent: (event: ProviderEvent) => void,
    private readonly clock: Clock,
  ) {
    this.received = request.history.map(({ text }) => text);
    const said = this.received.flatMap((text) => [...text.matchAll(/Sentence (\d+)/g)].map(([, n]) => Number(n)));
    this.sentence = Math.max(0, ...said);
  }

  /** Cuts the connection. Returns whether the provider had more to say. */
  cut(): boolean {
    const wasAnswering = this.active !== undefined;
    this.emit({ type: 'closed', reason: 'socket hang up' });
    this.closed = true;
    return wasAnswering;
  }

  sendAudio(frame: Buffer): void {
    const event = this.closed ? undefined : this.voice.push(frame);
    if (!event) return;
    const itemId = `user-${this.number}-${this.userItems}`;
    if (event.type === 'speech-start') return this.emit({ type: 'speech_started', itemId, audioMs: event.atMs });
    this.emit({ type: 'speech_stopped', itemId, audioMs: event.atMs });
    this.emit({ type: 'user_text', itemId, text: `Heard ${event.spokenMs} ms.` });
    this.userItems++;
    if (this.active) this.owes = true;
    else this.createResponse({});
  }

  sendText(text: string): void {
    this.received.push(text);
  }

  sendDigits(digits: string): void {
    this.received.push(digits);
  }

  sendToolResult(_toolCallId: string, result: string): void {
    this.received.push(result);
  }

  createResponse({ say }: ResponseRequest): void {
    if (this.closed) return;
    if (this.active) return this.emit({ type: 'response_refused' });
    const responseId = `response-${this.number}-${this.responses++}`;
    this.active = responseId;
    const asksTool = say === undefined && this.mayCallTool;
    this.later(LATENCY_MS, () => {
      this.emit({ type: 'response_started', responseId });
      if (asksTool) this.callTool(responseId);
      else this.speak(responseId, (say ?? this.nextSentence()).split(' '));
    });
  }

  cancelResponse(): void {
    const responseId = this.active;
    if (responseId === undefined) return;
    this.active = undefined;
    this.emit({ type: 'response_done', responseId, status: 'cancelled' });
  }

  truncate(): void {
    // A generated sentence is not repeated, even if it was not heard.
  }

  close(): void {
    this.cut();
  }

  /** Once, after the user has spoken; speech in the history counts. */
  private get mayCallTool(): boolean {
    const hasTool = this.request.tools.some(({ name }) => name === 'look_up');
    return hasTool && this.userItems > 0 && !this.received.some((text) => text.includes('parcel'));
  }

  private nextSentence(): string {
    return `Sentence ${++this.sentence} goes on with words that must be heard only once today.`;
  }

  private callTool(responseId: string): void {
    const args = JSON.stringify({ what: 'the parcel' });
    this.received.push(args);
    this.emit({ type: 'tool_call', responseId, toolCallId: `call-${responseId}`, name: 'look_up', arguments: args });
    this.done(responseId);
  }

  private speak(responseId: string, words: string[]): void {
    const [word, ...others] = words;
    if (this.active !== responseId) return;
    if (word === undefined) return this.done(responseId);
    const itemId = `item-${responseId}`;
    this.emit({ type: 'agent_text', responseId, itemId, text: `${word} ` });
    this.emit({ type: 'audio', responseId, itemId, audio: WORD });
    this.later(PACE_MS, () => this.speak(responseId, others));
  }

  private done(responseId: string): void {
    this.active = undefined;
    this.emit({ type: 'response_done', responseId, status: 'completed' });
    if (this.owes) this.createResponse({});
    this.owes = false;
  }

  private later(ms: number, run: () => void): void {
    this.clock.after(ms, () => this.closed || run());
  }

  private emit(event: ProviderEvent): void {
    if (!this.closed) this.onEvent(event);
  }
}

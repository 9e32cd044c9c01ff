import { readScript, ScriptedAgent, Utterances } from '@app/sandbox';
import type { Clock } from '../src/clock.js';
import { ConnectionTimeMeter } from '../src/usage.js';
import {
  type ConnectRequest,
  type ProviderCapabilities,
  type ProviderEvent,
  type ResponseRequest,
  type VoiceConnection,
  type VoiceProvider,
  narrowCodec,
} from '../src/providers/voice-provider.js';
import { keysPressed, noteIn } from '../src/providers/realtime-wording.js';
import type { Speech } from '../src/speech/speech.js';

const DELTA_BYTES = 4_000;

/** The sandbox agent without its server, for tests with a virtual clock. */
export class ScriptedProvider implements VoiceProvider {
  readonly name = 'scripted';
  readonly capabilities: ProviderCapabilities = { cancel: true, truncate: true, transcribesUser: false };

  constructor(
    private readonly speech: Speech,
    private readonly clock: Clock,
  ) {}

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  connect(request: ConnectRequest, onEvent: (event: ProviderEvent) => void): Promise<VoiceConnection> {
    return Promise.resolve(new ScriptedConnection(request, this.speech, this.clock, onEvent));
  }
}

class ScriptedConnection implements VoiceConnection {
  private readonly agent: ScriptedAgent;
  private readonly bill: ConnectionTimeMeter;
  private readonly utterances: Utterances;
  private active: AbortController | undefined;
  private responses = 0;
  private spoken = 0;
  private closed = false;
  private readonly tools = new Map<string, string>();

  constructor(
    private readonly request: ConnectRequest,
    private readonly speech: Speech,
    clock: Clock,
    private readonly onEvent: (event: ProviderEvent) => void,
  ) {
    const { name, greeting, language, instructions } = request.agent;
    this.bill = new ConnectionTimeMeter(clock, 'sandbox');
    this.utterances = new Utterances(narrowCodec(request));
    const script = readScript({ agent: { name, greeting, language } });
    this.agent = new ScriptedAgent(script, () => ({ instructions, tools: request.tools.map((tool) => tool.name) }));
  }

  sendAudio(frame: Buffer): void {
    if (this.closed) return;
    const event = this.utterances.push(frame);
    if (!event) return;
    if (event.type === 'speech-start') this.spoken++;
    const itemId = `user-${this.spoken}`;
    if (event.type === 'speech-start') return this.emit({ type: 'speech_started', itemId, audioMs: event.atMs });
    this.emit({ type: 'speech_stopped', itemId, audioMs: event.atMs });
    this.agent.hearSpeech(event.spokenMs / 1_000);
    if (!this.active) this.createResponse({});
  }

  sendText(text: string, role: 'user' | 'system'): void {
    const note = role === 'system' ? noteIn(text) : undefined;
    if (role === 'user') this.agent.hearText(text);
    else if (note !== undefined) this.agent.takeNote(note);
  }

  sendDigits(digits: string): void {
    this.agent.hearText(keysPressed(digits));
  }

  sendToolResult(toolCallId: string, result: string): void {
    this.agent.takeToolResult(toolCallId, this.tools.get(toolCallId) ?? '', result);
  }

  createResponse({ say }: ResponseRequest): void {
    if (this.active) return this.emit({ type: 'response_refused' });
    this.active = new AbortController();
    void this.respond(`response-${++this.responses}`, say, this.active.signal);
  }

  cancelResponse(): void {
    this.active?.abort();
  }

  truncate(): void {
    this.agent.noteInterruption();
  }

  close(): void {
    this.emit({ type: 'usage', items: this.bill.due() });
    this.emit({ type: 'closed', reason: 'closed by the client' });
    this.closed = true;
    this.active?.abort();
  }

  private async respond(responseId: string, words: string | undefined, signal: AbortSignal): Promise<void> {
    const itemId = `item-${responseId}`;
    const { codec, agent } = this.request;
    const { say, calls } = this.agent.reply(words);
    this.emit({ type: 'response_started', responseId });
    for await (const { text, audio } of this.speech.say(say, { codec, language: agent.language }, signal)) {
      this.emit({ type: 'agent_text', responseId, itemId, text: `${text} ` });
      for (let at = 0; at < audio.length; at += DELTA_BYTES) {
        this.emit({ type: 'audio', responseId, itemId, audio: audio.subarray(at, at + DELTA_BYTES) });
      }
    }
    for (const { name, arguments: args } of signal.aborted ? [] : calls) {
      const toolCallId = `tool-${responseId}`;
      this.tools.set(toolCallId, name);
      this.emit({ type: 'tool_call', responseId, toolCallId, name, arguments: JSON.stringify(args) });
    }
    this.active = undefined;
    this.emit({ type: 'response_done', responseId, status: signal.aborted ? 'cancelled' : 'completed' });
  }

  private emit(event: ProviderEvent): void {
    if (!this.closed) this.onEvent(event);
  }
}

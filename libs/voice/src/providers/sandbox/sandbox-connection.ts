import type { Clock } from '../../clock.js';
import type { Speech } from '../../speech/speech.js';
import type {
  ConnectRequest,
  ProviderEvent,
  ResponseRequest,
  ResponseStatus,
  VoiceConnection,
} from '../voice-provider.js';
import { KNOWLEDGE_TOOL } from '../../knowledge-tool.js';
import { replyTo, type Found, type Input, type Reply, type ScriptState } from '../../sandbox-server/default-agent.js';
import { Utterances } from '../../sandbox-server/utterances.js';

/** Audio arrives in pieces of half a second, as from a provider on the network. */
const DELTA_BYTES = 4000;

const REASONS = { end_call: 'The conversation is finished.', call_transfer: 'The callee asked for it.' };

interface ActiveResponse {
  id: string;
  stop: AbortController;
}

/** One conversation with the scripted agent. It answers speech by itself, and everything else when asked. */
export class SandboxConnection implements VoiceConnection {
  private readonly utterances: Utterances;
  private readonly state: ScriptState;
  private readonly connectedAt: number;
  private input: Input | undefined;
  private active: ActiveResponse | undefined;
  private billedMs = 0;
  private count = 0;
  private closed = false;
  /** What was looked up last. */
  private query = '';

  constructor(
    private readonly request: ConnectRequest,
    private readonly speech: Speech,
    private readonly clock: Clock,
    private readonly onEvent: (event: ProviderEvent) => void,
  ) {
    const { history, codec, tools } = request;
    this.utterances = new Utterances(codec);
    const heard = history.filter((turn) => turn.role === 'callee').length;
    const has = (name: string): boolean => tools.some((tool) => tool.name === name);
    this.state = { heard, interrupted: false, canTransfer: has('call_transfer'), canSearch: has(KNOWLEDGE_TOOL) };
    this.input = { kind: history.length > 0 ? 'resumed' : 'opening' };
    this.connectedAt = clock.now();
  }

  sendAudio(frame: Buffer): void {
    if (this.closed) return;
    const event = this.utterances.push(frame);
    const itemId = `callee-${this.state.heard + 1}`;
    if (event?.type === 'speech-start') this.emit({ type: 'speech_started', itemId, audioMs: event.atMs });
    if (event?.type !== 'speech-stop') return;
    this.state.heard++;
    this.emit({ type: 'speech_stopped', itemId, audioMs: event.atMs });
    // A key says more than a word that cannot be understood: one that waits for its answer is not forgotten.
    if (this.input?.kind !== 'digits') this.input = { kind: 'speech', seconds: event.spokenMs / 1000 };
    if (!this.active) this.createResponse({});
  }

  sendText(text: string, role: 'callee' | 'system'): void {
    // A note to the agent is for a model; this one has nothing to weigh it with.
    if (role === 'callee') this.input = { kind: 'text', text };
  }

  sendDigits(digits: string): void {
    this.input = { kind: 'digits', digits };
  }

  sendToolResult(_toolCallId: string, result: string): void {
    const passages = foundIn(result);
    this.input = passages
      ? { kind: 'found', query: this.query, passages }
      : { kind: 'tool_result', failed: result.startsWith('{"error"') };
  }

  createResponse(request: ResponseRequest): void {
    if (this.closed) return;
    if (this.active) return this.emit({ type: 'response_refused' });
    const reply = request.say === undefined ? this.nextReply() : { say: request.say };
    const response = { id: `response-${++this.count}`, stop: new AbortController() };
    this.active = response;
    void this.respond(response, reply);
  }

  cancelResponse(): void {
    this.active?.stop.abort();
  }

  truncate(): void {
    this.state.interrupted = true;
  }

  close(): void {
    this.end('closed by us');
  }

  private nextReply(): Reply {
    const reply = replyTo(this.input ?? { kind: 'resumed' }, this.request.agent, this.state);
    this.input = undefined;
    this.state.interrupted = false;
    return reply;
  }

  private async respond(response: ActiveResponse, reply: Reply): Promise<void> {
    const responseId = response.id;
    this.emit({ type: 'response_started', responseId });
    let status: ResponseStatus = 'completed';
    try {
      await this.speak(response, reply.say);
      if (response.stop.signal.aborted) status = 'cancelled';
      else if (reply.then) this.callTool(responseId, reply.then, { reason: REASONS[reply.then] });
      else if (reply.lookUp !== undefined) this.lookUp(responseId, reply.lookUp);
    } catch (error) {
      status = 'failed';
      this.emit({
        type: 'error',
        code: 'speech_failed',
        message: error instanceof Error ? error.message : String(error),
      });
    }
    this.active = undefined;
    this.bill();
    this.emit({ type: 'response_done', responseId, status });
    if (this.input?.kind === 'speech') this.createResponse({});
  }

  private async speak(response: ActiveResponse, text: string): Promise<void> {
    const ids = { responseId: response.id, itemId: `item-${response.id}` };
    const { codec, agent } = this.request;
    for await (const sentence of this.speech.say(text, { codec, language: agent.language }, response.stop.signal)) {
      this.emit({ type: 'agent_text', ...ids, text: `${sentence.text} ` });
      for (let at = 0; at < sentence.audio.length; at += DELTA_BYTES) {
        this.emit({ type: 'audio', ...ids, audio: sentence.audio.subarray(at, at + DELTA_BYTES) });
      }
    }
  }

  private lookUp(responseId: string, query: string): void {
    this.query = query;
    this.callTool(responseId, KNOWLEDGE_TOOL, { query });
  }

  private callTool(responseId: string, name: string, args: Record<string, unknown>): void {
    const toolCallId = `tool-${responseId}`;
    this.emit({ type: 'tool_call', responseId, toolCallId, name, arguments: JSON.stringify(args) });
  }

  /** The time connected since the last bill, in whole milliseconds, so that all parts add up to the total. */
  private bill(): void {
    const activeMs = Math.round(this.clock.now() - this.connectedAt);
    const quantity = (activeMs - this.billedMs) / 1000;
    this.billedMs = activeMs;
    if (quantity <= 0) return;
    this.emit({ type: 'usage', items: [{ kind: 'agent_seconds', quantity, unit: 'second', source: 'sandbox' }] });
  }

  private end(reason: string): void {
    if (this.closed) return;
    this.bill();
    this.closed = true;
    this.active?.stop.abort();
    this.onEvent({ type: 'closed', reason });
  }

  private emit(event: ProviderEvent): void {
    if (!this.closed) this.onEvent(event);
  }
}

/** Undefined: the tool was no search. */
function foundIn(result: string): Found[] | undefined {
  const { results } = (JSON.parse(result) ?? {}) as { results?: Found[] };
  return Array.isArray(results) ? results : undefined;
}

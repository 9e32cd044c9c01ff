import type {
  AudioPatience,
  ConnectRequest,
  ProviderCapabilities,
  ProviderEvent,
  ResponseRequest,
  VoiceConnection,
  VoiceProvider,
} from '../src/providers/voice-provider.js';

/** A provider that emits only what a test makes it emit. */
export class PuppetProvider implements VoiceProvider {
  readonly connections: PuppetConnection[] = [];
  /** Errors of the next attempts to connect, in order. */
  failures: Error[] = [];
  attempts = 0;
  /** Connections open when it resolves. */
  opening: Promise<void> = Promise.resolve();

  constructor(
    readonly capabilities: ProviderCapabilities = { cancel: true, truncate: true, transcribesUser: true },
    /** Runs while a connection opens. */
    public onConnect: (connection: PuppetConnection) => void = () => undefined,
    readonly name = 'puppet',
  ) {}

  async prepare(): Promise<void> {
    await Promise.resolve();
  }

  async connect(request: ConnectRequest, onEvent: (event: ProviderEvent) => void): Promise<VoiceConnection> {
    this.attempts++;
    const failure = this.failures.shift();
    if (failure) throw failure;
    await this.opening;
    const connection = new PuppetConnection(request, onEvent);
    this.connections.push(connection);
    this.onConnect(connection);
    return connection;
  }

  get last(): PuppetConnection {
    const connection = this.connections.at(-1);
    if (!connection) throw new Error('There is no connection yet.');
    return connection;
  }
}

class PuppetConnection implements VoiceConnection {
  readonly calls: string[] = [];
  readonly asked: ResponseRequest[] = [];
  /** The latest frame of the user. */
  heard: Buffer = Buffer.alloc(0);
  mayWait: AudioPatience = 0;
  private responses = 0;

  constructor(
    readonly request: ConnectRequest,
    readonly emit: (event: ProviderEvent) => void,
  ) {}

  /** A whole response of loud audio. */
  respond(text: string, ms: number): void {
    const responseId = this.begin(text, ms);
    this.emit({ type: 'response_done', responseId, status: 'completed' });
  }

  /** An unfinished response. */
  begin(text: string, ms: number): string {
    const responseId = `response-${++this.responses}-of-${this.request.history.length}`;
    const itemId = `item-${responseId}`;
    this.emit({ type: 'response_started', responseId });
    this.emit({ type: 'agent_text', responseId, itemId, text });
    this.more(responseId, ms);
    return responseId;
  }

  more(responseId: string, ms: number): void {
    this.emit({ type: 'audio', responseId, itemId: `item-${responseId}`, audio: Buffer.alloc(ms * 8, 0x10) });
  }

  sendAudio(frame: Buffer, mayWait: AudioPatience = 0): void {
    this.heard = frame;
    this.mayWait = mayWait;
  }

  sendText(text: string, role: string): void {
    this.calls.push(`${role}: ${text}`);
  }

  sendDigits(digits: string): void {
    this.calls.push(`digits ${digits}`);
  }

  createResponse(request: ResponseRequest): void {
    this.asked.push(request);
  }

  cancelResponse(): void {
    this.calls.push('cancel');
  }

  truncate(itemId: string, playedMs: number): void {
    this.calls.push(`truncate ${itemId} at ${playedMs}`);
  }

  sendToolResult(toolCallId: string, result: string): void {
    this.calls.push(`result of ${toolCallId}: ${result}`);
  }

  close(): void {
    this.emit({ type: 'closed', reason: 'closed by the client' });
  }
}

import type {
  ConnectRequest,
  ProviderEvent,
  ResponseRequest,
  VoiceConnection,
  VoiceProvider,
  VoiceTool,
} from '@app/voice';

/** Counts the operations that a conversation waits for: responses of the provider, running tools. */
export class PendingWork {
  private count = 0;
  private changed: (() => void)[] = [];

  get isNone(): boolean {
    return this.count === 0;
  }

  begin(): void {
    this.count++;
  }

  end(): void {
    this.count--;
    for (const resolve of this.changed.splice(0)) resolve();
  }

  /** Resolves when an operation ends, after `ms` at the latest. Without abort signals: their errors cost 5 % of a conversation. */
  change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, ms);
      this.changed.push(() => {
        clearTimeout(late);
        resolve();
      });
    });
  }

  async during<T>(work: Promise<T>): Promise<T> {
    this.begin();
    try {
      return await work;
    } finally {
      this.end();
    }
  }
}

/** The same provider; its responses count as pending work. */
export function watchedProvider(provider: VoiceProvider, work: PendingWork): VoiceProvider {
  return {
    name: provider.name,
    capabilities: provider.capabilities,
    prepare: (agent, signal) => provider.prepare(agent, signal),
    connect: (request, onEvent, signal) => work.during(connectWatched(provider, work, request, onEvent, signal)),
  };
}

async function connectWatched(
  provider: VoiceProvider,
  work: PendingWork,
  request: ConnectRequest,
  onEvent: (event: ProviderEvent) => void,
  signal: AbortSignal,
): Promise<VoiceConnection> {
  const responses = new Responses(work);
  const take = (event: ProviderEvent): void => {
    responses.before(event);
    onEvent(event);
    responses.after(event);
  };
  const connection = await provider.connect(request, take, signal);
  return {
    sendAudio: (frame, mayWait) => connection.sendAudio(frame, mayWait),
    sendText: (text, role) => connection.sendText(text, role),
    sendDigits: (digits) => connection.sendDigits(digits),
    createResponse: (wanted: ResponseRequest) => {
      responses.asked();
      connection.createResponse(wanted);
    },
    cancelResponse: () => connection.cancelResponse(),
    truncate: (itemId, playedMs) => connection.truncate(itemId, playedMs),
    sendToolResult: (toolCallId, result) => connection.sendToolResult(toolCallId, result),
    close: () => connection.close(),
  };
}

/** The requested and the active responses of one connection. */
class Responses {
  private waiting = 0;
  private readonly active = new Set<string>();

  constructor(private readonly work: PendingWork) {}

  asked(): void {
    this.waiting++;
    this.work.begin();
  }

  before(event: ProviderEvent): void {
    if (event.type !== 'response_started') return;
    this.active.add(event.responseId);
    this.work.begin();
    this.answered();
  }

  /** Called after the session has handled the event, and may have requested more. */
  after(event: ProviderEvent): void {
    if (event.type === 'response_refused') this.answered();
    if (event.type === 'response_done' && this.active.delete(event.responseId)) this.work.end();
    if (event.type !== 'closed') return;
    for (const _ of this.active) this.work.end();
    this.active.clear();
    while (this.waiting > 0) this.answered();
  }

  private answered(): void {
    if (this.waiting === 0) return;
    this.waiting--;
    this.work.end();
  }
}

/** The same tool; it counts as pending work while it runs. */
export const watchedTool = (tool: VoiceTool, work: PendingWork): VoiceTool => ({
  ...tool,
  run: (args, context) => work.during(tool.run(args, context)),
});

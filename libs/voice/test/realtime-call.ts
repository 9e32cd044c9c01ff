import { RealtimeProvider } from '../src/providers/openai-realtime/realtime-provider.js';
import type { RealtimeProviderOptions } from '../src/providers/openai-realtime/realtime-session.js';
import type { ConnectRequest, ProviderEvent, VoiceConnection } from '../src/providers/voice-provider.js';
import { type AnyEvent, ScriptedServer } from '../../../test/support/realtime-server.js';
import { TestClock } from './test-clock.js';

export const request: ConnectRequest = {
  agent: { name: 'Ada', instructions: 'Take orders for tea.', greeting: 'Hello.', language: 'de-DE' },
  modality: 'audio',
  codec: 'PCMU',
  tools: [{ name: 'order', description: 'Orders tea.', parameters: { type: 'object' } }],
  history: [],
};

interface RealtimeCall {
  connection: VoiceConnection;
  events: ProviderEvent[];
  /** Resolves after this many events. */
  got: (count: number) => Promise<ProviderEvent[]>;
  /** Resolves when the adapter has handled everything that the server has sent. */
  settled: () => Promise<void>;
}

/** The adapter and a server that a test controls. */
export class RealtimeBench {
  readonly clock = new TestClock();

  private constructor(readonly server: ScriptedServer) {}

  static async start(): Promise<RealtimeBench> {
    return new RealtimeBench(await ScriptedServer.start());
  }

  provider(options: Partial<RealtimeProviderOptions> = {}): RealtimeProvider {
    const { server, clock } = this;
    const name = 'openai-realtime';
    return new RealtimeProvider({
      name,
      url: server.url,
      key: 'secret',
      model: 'a-model',
      billing: 'tokens',
      clock,
      ...options,
    });
  }

  async connected(
    options?: Partial<RealtimeProviderOptions>,
    changes?: Partial<ConnectRequest>,
  ): Promise<RealtimeCall> {
    const events: ProviderEvent[] = [];
    let waiting: { count: number; resolve: () => void }[] = [];
    const onEvent = (event: ProviderEvent) => {
      events.push(event);
      for (const { count, resolve } of waiting) if (events.length >= count) resolve();
      waiting = waiting.filter(({ count }) => events.length < count);
    };
    const { signal } = new AbortController();
    const connection = await this.provider(options).connect({ ...request, ...changes }, onEvent, signal);
    const got = async (count: number) => {
      if (events.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }));
      return events;
    };
    let marks = 0;
    const settled = async () => {
      const code = `mark-${++marks}`;
      this.server.last.send({ type: 'error', error: { type: 'mark', code, message: '' } });
      const index = () => events.findIndex((event) => event.type === 'error' && event.code === code);
      for (let count = events.length + 1; index() < 0; count++) await got(count);
      events.splice(index(), 1);
    };
    return { connection, events, got, settled };
  }
}

export const delta = (responseId: string, bytes: number, itemId = 'i1'): AnyEvent => ({
  type: 'response.output_audio.delta',
  response_id: responseId,
  item_id: itemId,
  output_index: 0,
  content_index: 0,
  delta: Buffer.alloc(bytes, 1).toString('base64'),
});
export const text = (responseId: string, words: string): AnyEvent => ({
  type: 'response.output_audio_transcript.delta',
  response_id: responseId,
  item_id: 'i1',
  delta: words,
});
export const created = (id: string): AnyEvent => ({
  type: 'response.created',
  response: { id, status: 'in_progress' },
});
export const done = (id: string, more: Record<string, unknown> = {}): AnyEvent => ({
  type: 'response.done',
  response: { id, status: 'completed', ...more },
});
export const busy = (eventId: string | null): AnyEvent => ({
  type: 'error',
  error: {
    type: 'invalid_request_error',
    code: 'conversation_already_has_active_response',
    message: 'Busy.',
    event_id: eventId,
  },
});
export const typesOf = (events: { type: string }[]) => events.map(({ type }) => type);

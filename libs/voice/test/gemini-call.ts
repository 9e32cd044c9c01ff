import type { LiveClientMessage } from '@google/genai';
import { once } from 'node:events';
import { GeminiProvider } from '../src/providers/gemini-live/gemini-provider.js';
import type { GeminiProviderOptions } from '../src/providers/gemini-live/gemini-session.js';
import type { ConnectRequest, ProviderEvent } from '../src/providers/voice-provider.js';
import { request } from './realtime-call.js';
import { ScriptedServer } from '../../../test/support/realtime-server.js';
import { speech } from './test-call.js';
import { TestClock } from './test-clock.js';

/** Gemini's adapter and a server that a test controls. */
export class GeminiBench {
  readonly clock = new TestClock();

  private constructor(readonly server: ScriptedServer) {}

  static async start(): Promise<GeminiBench> {
    const server = await ScriptedServer.start();
    server.hello = undefined;
    server.onSession = () => ({ setupComplete: {} });
    return new GeminiBench(server);
  }

  provider(options: Partial<GeminiProviderOptions> = {}): GeminiProvider {
    const { clock, server } = this;
    const url = new URL('/', server.url).href;
    return new GeminiProvider({ name: 'gemini-live', url, key: 'secret', model: 'a-model', clock, speech, ...options });
  }

  async connected(options: Partial<GeminiProviderOptions> = {}, changes: Partial<ConnectRequest> = {}) {
    return this.conversing(this.provider(options), changes);
  }

  async conversing(provider: GeminiProvider, changes: Partial<ConnectRequest> = {}) {
    const events: ProviderEvent[] = [];
    let wake = (): void => undefined;
    const onEvent = (event: ProviderEvent) => {
      events.push(event);
      wake();
    };
    const connection = await provider.connect({ ...request, ...changes }, onEvent, new AbortController().signal);
    const until = async (done: () => boolean): Promise<void> => {
      while (!done()) await new Promise<void>((resolve) => (wake = resolve));
    };
    let marks = 0;
    /** Resolves when the adapter has handled everything that the server has sent, and the server has all of its messages. */
    const settled = async (): Promise<void> => {
      const inMs = 1e9 + ++marks;
      this.server.last.send({ goAway: { timeLeft: `${inMs / 1_000}s` } });
      const index = () => events.findIndex((event) => event.type === 'expiring' && event.inMs > 1e9 - 1);
      await until(() => index() >= 0);
      events.splice(index(), 1);
      const { socket } = this.server.last;
      socket.ping();
      await once(socket, 'pong');
    };
    return { connection, events, settled, until };
  }

  /** The messages of the client after its setup, except audio. */
  get sent(): LiveClientMessage[] {
    const all = this.server.last.received as unknown as LiveClientMessage[];
    return all.filter(({ setup, realtimeInput }) => !setup && !realtimeInput?.audio);
  }

  /** 16-bit samples at 16 kHz that the client has sent. */
  get heard(): Int16Array {
    const all = this.server.last.received as unknown as LiveClientMessage[];
    const pcm = Buffer.concat(all.map(({ realtimeInput }) => Buffer.from(realtimeInput?.audio?.data ?? '', 'base64')));
    return Int16Array.from({ length: pcm.length / 2 }, (_, i) => pcm.readInt16LE(2 * i));
  }
}

/** Audio of the model. */
export const sound = (ms: number, value = 8_000): Record<string, unknown> => {
  const data = Buffer.from(new Int16Array(24 * ms).fill(value).buffer).toString('base64');
  return { serverContent: { modelTurn: { parts: [{ inlineData: { mimeType: 'audio/pcm;rate=24000', data } }] } } };
};
export const words = (text: string) => ({ serverContent: { outputTranscription: { text } } });
export const heardWords = (text: string) => ({ serverContent: { inputTranscription: { text } } });
export const generated = { serverContent: { generationComplete: true } };
export const complete = { serverContent: { turnComplete: true } };
export const interrupted = { serverContent: { interrupted: true } };

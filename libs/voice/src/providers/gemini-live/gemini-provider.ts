import type { LiveClientMessage } from '@google/genai';
import { A_MODEL, lacks, type ProviderKind, type ProviderSettings } from '../provider-settings.js';
import { openProviderSession } from '../socket/open-session.js';
import {
  type ConnectRequest,
  type ProviderCapabilities,
  type ProviderEvent,
  ProviderUnavailable,
  type VoiceConnection,
  type VoiceProvider,
} from '../voice-provider.js';
import { GeminiConnection } from './gemini-connection.js';
import {
  type GeminiEvent,
  type GeminiProviderOptions,
  methodUrl,
  readGeminiEvent,
  refusalOf,
  setupOf,
  turnsOf,
} from './gemini-session.js';
import { Resumption } from './resumption.js';

/** The Live API of Gemini (BidiGenerateContent) over a WebSocket. One object serves one conversation, whose session it resumes. */
export class GeminiProvider implements VoiceProvider {
  readonly name: string;
  readonly capabilities: ProviderCapabilities = {
    cancel: true,
    truncate: true,
    transcribesUser: true,
    wideband: true,
  };
  private readonly resumption = new Resumption();

  constructor(private readonly options: GeminiProviderOptions) {
    this.name = options.name;
  }

  /** Does nothing: the model generates its first words only over a connection. */
  prepare(): Promise<void> {
    return Promise.resolve();
  }

  async connect(
    request: ConnectRequest,
    onEvent: (event: ProviderEvent) => void,
    signal: AbortSignal,
  ): Promise<VoiceConnection> {
    const handle = this.resumption.take(request.history);
    if (handle === undefined) return this.open(request, onEvent, signal, undefined);
    try {
      return await this.open(request, onEvent, signal, handle);
    } catch {
      // The handle may have expired; the history works as well.
      signal.throwIfAborted();
      return this.open(request, onEvent, signal, undefined);
    }
  }

  private async open(
    request: ConnectRequest,
    onEvent: (event: ProviderEvent) => void,
    signal: AbortSignal,
    handle: string | undefined,
  ): Promise<VoiceConnection> {
    const { options, resumption } = this;
    const { name, key, clock } = options;
    const handshake = {
      hello: { setup: setupOf(request, options, handle) },
      read: readGeminiEvent,
      verdict: ({ setupComplete, error }: GeminiEvent) =>
        error ? refusalOf(name, `${error.message} (${error.status})`) : setupComplete && ('accepted' as const),
      refusal: (reason: string) => refusalOf(name, reason),
    };
    const { socket, attach } = await openProviderSession<LiveClientMessage, GeminiEvent>(
      { name, url: methodUrl(options.url), key, clock, binary: true },
      handshake,
      signal,
    );
    const turns = handle === undefined ? turnsOf(request.history) : [];
    if (turns.length > 0) socket.send({ clientContent: { turns, turnComplete: true } });
    const connection = new GeminiConnection(options, request, socket, { onEvent, resumption });
    attach(connection);
    return connection;
  }
}

/** The address of the sandbox server for `GEMINI_BASE_URL=sandbox`. */
const atSandbox = ({ sandbox }: ProviderSettings) => {
  if (!sandbox) throw new ProviderUnavailable('The sandbox server does not run here.');
  return { url: new URL('/', sandbox.url).href, key: sandbox.key };
};

/** The model name of agents without one that speak to the sandbox server. */
const SANDBOX_MODEL = 'sandbox';

export const geminiLive: ProviderKind = {
  problem({ name, options }, { gemini }) {
    const who = `The voice provider ${name}`;
    if (!gemini) return lacks('GEMINI_API_KEY', `${who} needs GEMINI_API_KEY, or GEMINI_BASE_URL for another server.`);
    if (options.model ?? gemini.model ?? gemini.isSandbox) return undefined;
    return lacks(A_MODEL, `${who} needs a model: the agent's, or GEMINI_MODEL.`);
  },

  open({ name, options }, { settings, clock, speech }) {
    const { url, key, model, voice, isSandbox } = settings.gemini!;
    return new GeminiProvider({
      name,
      clock,
      speech,
      ...(isSandbox ? atSandbox(settings) : { url, key }),
      model: options.model ?? model ?? SANDBOX_MODEL,
      voice: options.voice ?? voice,
      turnDetection: options.turnDetection,
    });
  },
};

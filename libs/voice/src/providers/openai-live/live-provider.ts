import type { ClientEvent, ServerEvent } from 'openai/resources/live/live';
import { A_MODEL, lacks, type ProviderKind } from '../provider-settings.js';
import { openProviderSession, announceExpiry, MAX_SESSION_MS, remainingMs } from '../socket/open-session.js';
import { sessionError } from '../socket/server-protocol.js';
import {
  ProviderUnavailable,
  type ConnectRequest,
  type ProviderCapabilities,
  type ProviderEvent,
  type VoiceConnection,
  type VoiceProvider,
} from '../voice-provider.js';
import { LiveConnection } from './live-connection.js';
import { liveConfig, readLiveEvent, type LiveProviderOptions } from './live-session.js';

/**
 * OpenAI's Live protocol, in which the model listens and speaks at the same time: it can be neither cancelled nor truncated.
 * Written by the types of the `openai` package; not tested against the service.
 */
export class LiveProvider implements VoiceProvider {
  readonly name: string;
  readonly capabilities: ProviderCapabilities = {
    cancel: false,
    truncate: false,
    transcribesUser: true,
    speaksGivenWords: false,
    billsConnection: true,
  };

  constructor(private readonly options: LiveProviderOptions) {
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
    const { name, url, key, clock } = this.options;
    if (request.modality === 'text')
      throw new ProviderUnavailable(`The voice provider ${name} has no text mode: it cannot be simulated.`);
    let endsInMs = MAX_SESSION_MS;
    const verdict = (event: ServerEvent) => {
      if (event.type === 'error') return sessionError(name, event.error);
      if (event.type !== 'session.started') return undefined;
      endsInMs = remainingMs(event.session) ?? endsInMs;
      return 'accepted';
    };
    const hello: ClientEvent = { type: 'session.start', session: liveConfig(request, this.options) };
    const handshake = { hello, read: readLiveEvent, verdict };
    const { socket, attach } = await openProviderSession<ClientEvent, ServerEvent>(
      { name, url, key, clock },
      handshake,
      signal,
    );
    const connection = new LiveConnection(
      this.options,
      request,
      socket,
      onEvent,
      announceExpiry(clock, endsInMs, onEvent),
    );
    attach(connection);
    return connection;
  }
}

export const openAiLive: ProviderKind = {
  problem({ name, options }, { live }) {
    const who = `The voice provider ${name}`;
    if (!live) return lacks('OPENAI_API_KEY', `${who} needs OPENAI_API_KEY.`);
    if (!(options.model ?? live.model)) return lacks(A_MODEL, `${who} needs a model: the agent's, or LIVE_MODEL.`);
    if (live.backendModel) return undefined;
    return lacks('LIVE_BACKEND_MODEL', `${who} needs a model that calls the tools: LIVE_BACKEND_MODEL.`);
  },
  open({ name, options }, { settings, clock }) {
    const { url, key, backendModel, model, voice } = settings.live!;
    const chosen = { model: options.model ?? model!, voice: options.voice ?? voice };
    return new LiveProvider({ name, url, key, clock, backendModel: backendModel!, ...chosen });
  },
};

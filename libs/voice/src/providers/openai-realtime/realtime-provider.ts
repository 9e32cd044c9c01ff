import type { RealtimeClientEvent, RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { A_MODEL, lacks, type ProviderKind } from '../provider-settings.js';
import { openProviderSession, announceExpiry, MAX_SESSION_MS, remainingMs } from '../socket/open-session.js';
import { sessionError } from '../socket/server-protocol.js';
import {
  type ConnectRequest,
  type OtherSpeechEvent,
  type ProviderCapabilities,
  type ProviderEvent,
  type VoiceConnection,
  type VoiceProvider,
  type WordsOfOther,
  ProviderUnavailable,
} from '../voice-provider.js';
import { RealtimeConnection } from './realtime-connection.js';
import {
  FORMATS,
  historyItems,
  readServerEvent,
  sessionConfig,
  speechPadding,
  type RealtimeProviderOptions,
} from './realtime-session.js';

/** OpenAI's Realtime protocol (GA) over a WebSocket, for OpenAI, Azure and compatible servers. G.711 passes through unchanged. */
export class RealtimeProvider implements VoiceProvider {
  readonly name: string;
  readonly capabilities: ProviderCapabilities;

  constructor(private readonly options: RealtimeProviderOptions) {
    this.name = options.name;
    const transcribesUser = options.transcriptionModel !== undefined;
    const { wideband, billing } = options;
    this.capabilities = {
      cancel: true,
      truncate: true,
      transcribesUser,
      ...(wideband && { wideband }),
      ...(billing === 'seconds' && { billsConnection: true }),
    };
  }

  /** Does nothing: the model generates its first words only over a connection. */
  prepare(): Promise<void> {
    return Promise.resolve();
  }

  /** Resolves when the server has accepted the session; the history is sent first. */
  async connect(
    request: ConnectRequest,
    onEvent: (event: ProviderEvent) => void,
    signal: AbortSignal,
  ): Promise<VoiceConnection> {
    const { options } = this;
    let endsInMs = MAX_SESSION_MS;
    let padding = speechPadding({});
    const verdict = (event: RealtimeServerEvent) => {
      if (event.type === 'error') return sessionError(options.name, event.error);
      if (event.type !== 'session.created' && event.type !== 'session.updated') return undefined;
      endsInMs = remainingMs(event.session) ?? endsInMs;
      padding = speechPadding(event.session);
      return event.type === 'session.updated' ? checkFormat(event.session, options.name, request) : undefined;
    };
    const hello: RealtimeClientEvent = { type: 'session.update', session: sessionConfig(request, options) };
    const handshake = { hello, read: readServerEvent, verdict };
    const { socket, attach } = await openProviderSession<RealtimeClientEvent, RealtimeServerEvent>(
      options,
      handshake,
      signal,
    );
    for (const item of historyItems(request.history)) socket.send({ type: 'conversation.item.create', item });
    const cancelExpiry = announceExpiry(options.clock, endsInMs, onEvent);
    const connection = new RealtimeConnection(options, request, socket, { onEvent, cancelExpiry, padding });
    attach(connection);
    return connection;
  }

  /** By a transcription session of the same server, with the model that transcribes the user. */
  async recogniseOther(
    language: string | undefined,
    onEvent: (event: OtherSpeechEvent) => void,
    signal: AbortSignal,
  ): Promise<WordsOfOther | undefined> {
    const { name, url, key, transcriptionModel: model, clock } = this.options;
    if (model === undefined) return undefined;
    const [{ openAiTranscriber }, { recogniseBy }] = await Promise.all([
      import('../pipeline/transcribers/openai-transcriber.js'),
      import('../pipeline/other-speech.js'),
    ]);
    const transcriber = openAiTranscriber({ name: `${name}:${model}`, url: serverOf(url), key, model, clock });
    return recogniseBy(transcriber, { language }, onEvent, signal);
  }
}

/** The address of the transcription sessions beside the realtime ones: without the last part of the path. */
function serverOf(url: string): string {
  const base = new URL(url);
  base.pathname = base.pathname.replace(/\/realtime\/?$/, '');
  return base.href;
}

/** Audio in another encoding would be noise. */
function checkFormat(session: object, name: string, { codec, modality }: ConnectRequest): 'accepted' | Error {
  const { audio } = session as { audio?: { output?: { format?: { type?: string } } } };
  const type = audio?.output?.format?.type;
  const wanted = FORMATS[codec].type;
  if (modality === 'text' || type === undefined || type === wanted) return 'accepted';
  return new ProviderUnavailable(`The server of ${name} sends ${type} instead of ${wanted}.`);
}

export const openAiRealtime: ProviderKind = {
  problem({ name, options }, { realtime }) {
    const who = `The voice provider ${name}`;
    if (!realtime) return lacks('OPENAI_API_KEY', `${who} needs OPENAI_API_KEY, or REALTIME_URL for another server.`);
    if (options.model ?? realtime.model) return undefined;
    return lacks(A_MODEL, `${who} needs a model: the agent's, or REALTIME_MODEL.`);
  },
  open({ name, options }, { settings, clock }) {
    const { url, key, ...defaults } = settings.realtime!;
    const { script: _, ...chosen } = { ...defaults, ...definedOf(options) };
    return new RealtimeProvider({
      name,
      url,
      key,
      clock,
      billing: 'tokens',
      wideband: true,
      ...chosen,
      model: chosen.model!,
    });
  },
};

/** An absent option must not hide a default. */
const definedOf = <T extends object>(options: T): Partial<T> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;

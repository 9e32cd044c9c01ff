import type { Clock } from '../../clock.js';
import type { ProviderOptions } from '../provider-settings.js';
import {
  type ConnectRequest,
  type ProviderCapabilities,
  type ProviderEvent,
  type VoiceConnection,
  type VoiceProvider,
  ProviderUnavailable,
} from '../voice-provider.js';
import type { RealtimeClientEvent, RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import type { EventSocket } from '../socket/event-socket.js';
import { openProviderSession, announceExpiry, LONGEST_SESSION_MS, remainingMs } from '../socket/open-session.js';
import { sessionError } from '../socket/server-errors.js';
import { historyItems, readServerEvent, sessionConfig, speechPadding } from './realtime-session.js';
import { RealtimeConnection } from './realtime-connection.js';

export interface RealtimeProviderOptions extends Omit<ProviderOptions, 'script'> {
  /** As agents name it; it stands in logs and on bills. */
  name: string;
  /** `wss://…/v1/realtime`; `ws://` within a private network. The model is added to its query. */
  url: string;
  /** Absent: the server asks for none. */
  key?: string;
  model: string;
  /** What the server charges for: the tokens it reports, or the time connected. */
  billing: 'tokens' | 'seconds';
  clock: Clock;
}

/**
 * OpenAI's Realtime protocol (GA) over a WebSocket: their servers, Azure's, and whatever else speaks it. G.711 goes through
 * as it is on the line.
 */
export class RealtimeProvider implements VoiceProvider {
  readonly name: string;
  readonly capabilities: ProviderCapabilities;

  constructor(private readonly options: RealtimeProviderOptions) {
    this.name = options.name;
    const transcribesUser = options.transcriptionModel !== undefined;
    this.capabilities = { cancel: true, truncate: true, transcribesUser };
  }

  /** Nothing: without a connection there is nothing to make. */
  prepare(): Promise<void> {
    return Promise.resolve();
  }

  connect(
    request: ConnectRequest,
    onEvent: (event: ProviderEvent) => void,
    signal: AbortSignal,
  ): Promise<VoiceConnection> {
    return openSession(this.options, request, onEvent, signal);
  }
}

export type RealtimeSocket = EventSocket<RealtimeClientEvent, RealtimeServerEvent>;

/** Connects, configures the session and gives it the history; resolves when the server has accepted the session. */
export async function openSession(
  options: RealtimeProviderOptions,
  request: ConnectRequest,
  onEvent: (event: ProviderEvent) => void,
  signal: AbortSignal,
): Promise<VoiceConnection> {
  let endsInMs = LONGEST_SESSION_MS;
  let bounds = speechPadding({});
  const verdict = (event: RealtimeServerEvent) => {
    if (event.type === 'error') return sessionError(options.name, event.error);
    if (event.type !== 'session.created' && event.type !== 'session.updated') return undefined;
    endsInMs = remainingMs(event.session) ?? endsInMs;
    bounds = speechPadding(event.session);
    return event.type === 'session.updated' ? checked(event.session, options.name, request) : undefined;
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
  const connection = new RealtimeConnection(options, request, socket, { onEvent, cancelExpiry, bounds });
  attach(connection);
  return connection;
}

/** A server that goes on in another encoding would be heard as noise. */
function checked(session: object, name: string, { codec, modality }: ConnectRequest): 'accepted' | Error {
  const { audio } = session as { audio?: { output?: { format?: { type?: string } } } };
  const type = audio?.output?.format?.type;
  const wanted = codec === 'PCMU' ? 'audio/pcmu' : 'audio/pcma';
  if (modality === 'text' || type === undefined || type === wanted) return 'accepted';
  return new ProviderUnavailable(`The server of ${name} speaks ${type}, not ${wanted}.`);
}

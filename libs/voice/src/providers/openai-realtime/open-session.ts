import type { RealtimeClientEvent, RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import type { EventSocket } from '../socket/event-socket.js';
import { openConversation } from '../socket/open-conversation.js';
import { sessionRefusal } from '../socket/refusal.js';
import { announceEnd, LONGEST_SESSION_MS, remainingMs } from '../socket/session-end.js';
import {
  ProviderUnavailable,
  type ConnectRequest,
  type ProviderEvent,
  type VoiceConnection,
} from '../voice-provider.js';
import { historyItems } from './conversation-items.js';
import { RealtimeConnection } from './realtime-connection.js';
import type { RealtimeProviderOptions } from './realtime-provider.js';
import { readServerEvent } from './server-events.js';
import { sessionConfig } from './session-config.js';
import { speechBounds } from './speech-bounds.js';

export type RealtimeSocket = EventSocket<RealtimeClientEvent, RealtimeServerEvent>;

/** Connects, configures the session and gives it the history; resolves when the server has accepted the session. */
export async function openSession(
  options: RealtimeProviderOptions,
  request: ConnectRequest,
  onEvent: (event: ProviderEvent) => void,
  signal: AbortSignal,
): Promise<VoiceConnection> {
  let endsInMs = LONGEST_SESSION_MS;
  let bounds = speechBounds({});
  const verdict = (event: RealtimeServerEvent) => {
    if (event.type === 'error') return sessionRefusal(options.name, event.error);
    if (event.type !== 'session.created' && event.type !== 'session.updated') return undefined;
    endsInMs = remainingMs(event.session) ?? endsInMs;
    bounds = speechBounds(event.session);
    return event.type === 'session.updated' ? checked(event.session, options.name, request) : undefined;
  };
  const hello: RealtimeClientEvent = { type: 'session.update', session: sessionConfig(request, options) };
  const handshake = { hello, read: readServerEvent, verdict };
  const { socket, attach } = await openConversation<RealtimeClientEvent, RealtimeServerEvent>(
    options,
    handshake,
    signal,
  );
  for (const item of historyItems(request.history)) socket.send({ type: 'conversation.item.create', item });
  const cancelExpiry = announceEnd(options.clock, endsInMs, onEvent);
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

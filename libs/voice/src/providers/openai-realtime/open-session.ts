import type { RealtimeClientEvent, RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import type { Clock } from '../../clock.js';
import { endpointOf, UnsafeEndpoint } from '../socket/endpoint.js';
import { EventSocket } from '../socket/event-socket.js';
import { sessionRefusal } from '../socket/refusal.js';
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

export type RealtimeSocket = EventSocket<RealtimeClientEvent, RealtimeServerEvent>;

/** From the open socket to the accepted session. */
const STARTING_MS = 5_000;
/** OpenAI ends every session after 60 min. */
const LONGEST_SESSION_MS = 60 * 60_000;
/** So long before the end it is told: enough for a turn to come to its end. */
const NOTICE_MS = 2 * 60_000;

/** Connects, configures the session and gives it the history; resolves when the server has accepted all of that. */
export async function openSession(
  options: RealtimeProviderOptions,
  request: ConnectRequest,
  onEvent: (event: ProviderEvent) => void,
  signal: AbortSignal,
): Promise<VoiceConnection> {
  const opening = new Opening(options, request, onEvent);
  return opening.run(signal);
}

/** The time until there is a session: events of the server go here, and then to the connection. */
class Opening {
  private accept = (): void => undefined;
  private reject = (_error: unknown): void => undefined;
  private readonly accepted: Promise<void>;
  private connection: RealtimeConnection | undefined;
  private expiresInMs = LONGEST_SESSION_MS;
  /** What came before our caller had the connection in its hands. */
  private held: (() => void)[] | undefined;

  constructor(
    private readonly options: RealtimeProviderOptions,
    private readonly request: ConnectRequest,
    private readonly onEvent: (event: ProviderEvent) => void,
  ) {
    this.accepted = new Promise<void>((resolve, reject) => {
      this.accept = resolve;
      this.reject = reject;
    });
    this.accepted.catch(() => undefined);
  }

  async run(signal: AbortSignal): Promise<VoiceConnection> {
    const { options, request } = this;
    const socket = await this.openSocket(signal);
    try {
      socket.send({ type: 'session.update', session: sessionConfig(request, options) });
      await this.inTime(signal);
    } catch (error) {
      socket.close();
      throw error;
    }
    for (const item of historyItems(request.history)) socket.send({ type: 'conversation.item.create', item });
    const cancelExpiry = this.announceEnd(options.clock);
    this.connection = new RealtimeConnection(options, request, socket, this.onEvent, cancelExpiry);
    setImmediate(() => this.release());
    return this.connection;
  }

  private async openSocket(signal: AbortSignal): Promise<RealtimeSocket> {
    const { options } = this;
    const { name, clock } = options;
    const listener = {
      event: (event: RealtimeServerEvent) => this.take(event),
      lost: (reason: string) => this.lost(reason),
    };
    try {
      return await EventSocket.open(
        { name, clock, endpoint: endpointOf(options), read: readServerEvent, listener },
        signal,
      );
    } catch (error) {
      throw error instanceof UnsafeEndpoint ? new ProviderUnavailable(error.message) : error;
    }
  }

  private take(event: RealtimeServerEvent): void {
    if (this.held) return void this.held.push(() => this.connection?.take(event));
    if (this.connection) return this.connection.take(event);
    if (event.type === 'error') this.reject(sessionRefusal(this.options.name, event.error));
    if (event.type !== 'session.created' && event.type !== 'session.updated') return;
    this.expiresInMs = remainingMs(event.session) ?? this.expiresInMs;
    if (event.type === 'session.updated') this.check(event.session);
  }

  /** A server that goes on in another encoding would be heard as noise. */
  private check(session: object): void {
    const { audio } = session as { audio?: { output?: { format?: { type?: string } } } };
    const type = audio?.output?.format?.type;
    const wanted = this.request.codec === 'PCMU' ? 'audio/pcmu' : 'audio/pcma';
    if (this.request.modality === 'text' || type === undefined || type === wanted) return this.settle();
    this.reject(new ProviderUnavailable(`The server of ${this.options.name} speaks ${type}, not ${wanted}.`));
  }

  /** Whatever else came with the same packet waits for our caller. */
  private settle(): void {
    this.held = [];
    this.accept();
  }

  private lost(reason: string): void {
    if (this.held) this.held.push(() => this.connection?.end(reason));
    else if (this.connection) this.connection.end(reason);
    else this.reject(new Error(reason));
  }

  private async inTime(signal: AbortSignal): Promise<void> {
    const { name, clock } = this.options;
    const late = new Error(`The server of ${name} does not accept a session within ${STARTING_MS / 1000} s.`);
    const cancel = clock.after(STARTING_MS, () => this.reject(late));
    const abort = () => this.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      await this.accepted;
    } finally {
      cancel();
      signal.removeEventListener('abort', abort);
    }
  }

  private announceEnd(clock: Clock): () => void {
    const inMs = Math.min(NOTICE_MS, this.expiresInMs / 2);
    return clock.after(this.expiresInMs - inMs, () => this.onEvent({ type: 'expiring', inMs: Math.round(inMs) }));
  }

  private release(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const deliver of held) deliver();
  }
}

/** Servers say when a session ends (seconds since 1970), though the types do not. Undefined: not said, or the clocks differ. */
function remainingMs(session: object): number | undefined {
  const { expires_at: expiresAt } = session as { expires_at?: unknown };
  if (typeof expiresAt !== 'number') return undefined;
  const remaining = expiresAt * 1000 - Date.now();
  return remaining > 0 && remaining <= LONGEST_SESSION_MS ? remaining : undefined;
}

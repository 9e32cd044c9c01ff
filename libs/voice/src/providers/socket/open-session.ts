import type { Clock } from '../../clock.js';
import { ProviderUnavailable, type ProviderEvent } from '../voice-provider.js';
import { type Endpoint, endpointOf, InsecureEndpoint, withoutKey } from './server-protocol.js';
import { EventSocket } from './event-socket.js';

/** Time from the open socket to the accepted session. */
const STARTING_MS = 5_000;

interface Server {
  /** The provider's name, for error messages. */
  name: string;
  url: string;
  key?: string;
  /** The headers with the key, of servers that take it otherwise than the Realtime servers. */
  authorization?: Record<string, string>;
  /** The wait after a 429 that names none; absent: a retry may help at once. */
  busyMs?: number;
  /** Absent: the session has the model instead of the URL. */
  model?: string;
  /** The server sends its JSON as binary messages. */
  binary?: boolean;
  clock: Clock;
}

interface Handshake<ClientEvent, ServerEvent> {
  /** The first event, which configures the session; absent: the URL configures it. */
  hello?: ClientEvent;
  read: (message: string) => ServerEvent | undefined;
  /** Whether an event accepts or rejects the session; undefined: neither. Absent: the server accepts it with the connection. */
  verdict?: (event: ServerEvent) => 'accepted' | Error | undefined;
  /** The error for a connection that the server closed instead; absent: a retry may help. */
  refusal?: (reason: string) => Error;
}

/** Receives the conversation after the handshake. */
interface Receiver<ServerEvent> {
  take(event: ServerEvent): void;
  end(reason: string): void;
}

/** Connects and waits until the session is accepted. Rejects like `connect` of a provider. */
export async function openProviderSession<ClientEvent, ServerEvent>(
  server: Server,
  handshake: Handshake<ClientEvent, ServerEvent>,
  signal: AbortSignal,
): Promise<Opened<ClientEvent, ServerEvent>> {
  const opening = new Opening(server, handshake);
  return opening.run(signal);
}

/** An accepted session without a receiver. */
interface Opened<ClientEvent, ServerEvent> {
  socket: EventSocket<ClientEvent, ServerEvent>;
  /** Events that arrived meanwhile are delivered in the next event-loop turn. */
  attach: (receiver: Receiver<ServerEvent>) => void;
}

class Opening<ClientEvent, ServerEvent> {
  private accept = (): void => undefined;
  private reject = (_error: unknown): void => undefined;
  private readonly accepted: Promise<void>;
  private receiver: Receiver<ServerEvent> | undefined;
  /** Events after the acceptance, until a receiver is attached. */
  private held: ((receiver: Receiver<ServerEvent>) => void)[] | undefined;

  constructor(
    private readonly server: Server,
    private readonly handshake: Handshake<ClientEvent, ServerEvent>,
  ) {
    this.accepted = new Promise<void>((resolve, reject) => {
      this.accept = resolve;
      this.reject = reject;
    });
    this.accepted.catch(() => undefined);
  }

  async run(signal: AbortSignal): Promise<Opened<ClientEvent, ServerEvent>> {
    try {
      return await this.opened(signal);
    } catch (error) {
      const { key } = this.server;
      // The message becomes an event of the call. That of an abort is read-only, and ours.
      if (error instanceof Error && key && error.message.includes(key)) error.message = withoutKey(key, error.message);
      throw error;
    }
  }

  private async opened(signal: AbortSignal): Promise<Opened<ClientEvent, ServerEvent>> {
    const socket = await this.openSocket(signal);
    try {
      if (this.handshake.hello) socket.send(this.handshake.hello);
      if (this.handshake.verdict) await this.inTime(signal);
      else this.held = [];
    } catch (error) {
      socket.close();
      throw error;
    }
    const attach = (receiver: Receiver<ServerEvent>) => void setImmediate(() => this.release(receiver));
    return { socket, attach };
  }

  private async openSocket(signal: AbortSignal): Promise<EventSocket<ClientEvent, ServerEvent>> {
    const { name, clock, binary, busyMs } = this.server;
    const listener = {
      event: (event: ServerEvent) => this.take(event),
      lost: (reason: string) => this.lost(reason),
    };
    const endpoint = safeEndpoint(this.server);
    return EventSocket.open({ name, clock, binary, busyMs, endpoint, read: this.handshake.read, listener }, signal);
  }

  private take(event: ServerEvent): void {
    if (this.receiver) return this.receiver.take(event);
    if (this.held) return void this.held.push((receiver) => receiver.take(event));
    const verdict = this.handshake.verdict?.(event);
    if (verdict instanceof Error) this.reject(verdict);
    if (verdict !== 'accepted') return;
    this.held = [];
    this.accept();
  }

  private lost(reason: string): void {
    if (this.receiver) this.receiver.end(reason);
    else if (this.held) this.held.push((receiver) => receiver.end(reason));
    else this.reject(this.handshake.refusal?.(reason) ?? new Error(reason));
  }

  private async inTime(signal: AbortSignal): Promise<void> {
    const { name, clock } = this.server;
    const late = new Error(`The server of ${name} did not accept the session within ${STARTING_MS / 1000} s.`);
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

  private release(receiver: Receiver<ServerEvent>): void {
    const held = this.held ?? [];
    this.receiver = receiver;
    for (const deliver of held) deliver(receiver);
  }
}

function safeEndpoint(server: Server): Endpoint {
  try {
    return endpointOf(server);
  } catch (error) {
    throw error instanceof InsecureEndpoint ? new ProviderUnavailable(error.message) : error;
  }
}

/** OpenAI ends every session after 60 min. */
export const MAX_SESSION_MS = 60 * 60_000;
/** Time between the notice and the end: enough to finish a turn. */
const NOTICE_MS = 2 * 60_000;

/** Time until the server's expiry (seconds since 1970), which not every session type has. Undefined: unknown, or the clocks differ. */
export function remainingMs(session: object): number | undefined {
  const { expires_at: expiresAt } = session as { expires_at?: unknown };
  if (typeof expiresAt !== 'number') return undefined;
  const remaining = expiresAt * 1000 - Date.now();
  return remaining > 0 && remaining <= MAX_SESSION_MS ? remaining : undefined;
}

/** Emits `expiring` before the end of a session. Returns a function that cancels it. */
export function announceExpiry(clock: Clock, endsInMs: number, onEvent: (event: ProviderEvent) => void): () => void {
  const inMs = Math.round(Math.min(NOTICE_MS, endsInMs / 2));
  return clock.after(endsInMs - inMs, () => onEvent({ type: 'expiring', inMs }));
}

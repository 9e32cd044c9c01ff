import { pause, type Clock } from './clock.js';
import {
  ProviderBusy,
  ProviderUnavailable,
  type ConnectRequest,
  type ProviderEvent,
  type VoiceConnection,
  type VoiceProvider,
} from './providers/voice-provider.js';
import type { SessionOptions } from './session-options.js';
import type { ConversationLog } from './conversation-log.js';

/** Pauses before the attempts to connect again after a connection was lost. */
const RETRY_DELAYS_MS = [100, 500, 1000, 2000];

/** Nobody stays on a silent line for longer; a provider that asks for more time is as good as lost. */
const LONGEST_WAIT_MS = 2000;

interface LinkListener {
  event(event: ProviderEvent): void;
  /** `connection` is the current one from now on. */
  connected(connection: VoiceConnection): void;
  lost(reason: string): void;
  /** Attempt number `attempt` failed too. */
  stillLost(attempt: number): void;
  /** `attempts`: how often it was tried, all providers together. */
  restored(attempts: number): void;
  givenUp(error: unknown): void;
}

interface Dialled {
  /** Absent while it is being made. */
  connection?: VoiceConnection;
  /** Events that came before it was used: some come in the same turn of the event loop as the connection itself. */
  early: ProviderEvent[] | undefined;
}

/**
 * Keeps one conversation alive over several connections: with its provider, and when that is lost for good, with the next
 * of the list. A provider that was given up is not tried again in this conversation.
 */
export class ProviderLink {
  private current: Dialled | undefined;
  /** Attempts left until a connection proves itself by delivering speech, or text. */
  private retries = [...RETRY_DELAYS_MS];
  private serving: VoiceProvider;
  private readonly next: VoiceProvider[];

  constructor(
    providers: Pick<SessionOptions, 'provider' | 'fallbacks'>,
    private readonly request: () => ConnectRequest,
    private readonly clock: Clock,
    private readonly listener: LinkListener,
    private readonly signal: AbortSignal,
  ) {
    this.serving = providers.provider;
    this.next = [...(providers.fallbacks ?? [])];
  }

  /** The one that is connected, or is being tried. */
  get provider(): VoiceProvider {
    return this.serving;
  }

  /** Undefined while there is no connection. */
  get connection(): VoiceConnection | undefined {
    return this.current?.connection;
  }

  /** Resolves when connected or given up. */
  async open(): Promise<void> {
    try {
      await this.connect();
    } catch (error) {
      if (this.signal.aborted) return;
      this.listener.lost(messageOf(error));
      await this.recover(error);
    }
  }

  close(): void {
    const closing = this.current;
    this.current = undefined;
    closing?.connection?.close();
  }

  /**
   * Puts a new connection in the place of the current one, which goes on meanwhile. False: it is of no use, because that was
   * lost, or `fits` says that the conversation has gone on. Rejects when there is none to be had.
   */
  async rotate(fits: () => boolean): Promise<boolean> {
    const replaced = this.current;
    const dialled = await this.dial();
    if (this.signal.aborted || !replaced || replaced !== this.current || !fits()) {
      dialled.connection?.close();
      return false;
    }
    this.use(dialled);
    replaced.connection?.close();
    return true;
  }

  private async connect(): Promise<void> {
    const dialled = await this.dial();
    if (this.signal.aborted) dialled.connection?.close();
    else this.use(dialled);
  }

  private async dial(): Promise<Dialled> {
    const dialled: Dialled = { early: [] };
    const onEvent = (event: ProviderEvent) => this.take(dialled, event);
    dialled.connection = await this.serving.connect(this.request(), onEvent, this.signal);
    return dialled;
  }

  private use(dialled: Dialled): void {
    this.current = dialled;
    if (dialled.connection) this.listener.connected(dialled.connection);
    const early = dialled.early ?? [];
    dialled.early = undefined;
    for (const event of early) this.take(dialled, event);
  }

  private take(from: Dialled, event: ProviderEvent): void {
    // The bill of a connection may arrive while it closes; everything else of an old one is void.
    if (event.type === 'usage') return this.listener.event(event);
    if (from.early) from.early.push(event);
    if (from !== this.current) return;
    if (event.type === 'audio' || event.type === 'agent_text') this.retries = [...RETRY_DELAYS_MS];
    if (event.type !== 'closed') return this.listener.event(event);
    this.current = undefined;
    this.listener.lost(event.reason);
    void this.recover(event.final ? new ProviderUnavailable(event.reason) : new Error(event.reason));
  }

  private async recover(cause: unknown): Promise<void> {
    let error = cause;
    let attempts = 0;
    while (!this.signal.aborted) {
      const delay = this.delayAfter(error);
      if (delay === undefined) break;
      try {
        await pause(this.clock, delay, this.signal);
        attempts++;
        await this.connect();
        return this.listener.restored(attempts);
      } catch (failure) {
        error = failure;
        if (!this.signal.aborted) this.listener.stillLost(attempts);
      }
    }
    if (!this.signal.aborted) this.listener.givenUp(error);
  }

  /** Until the next attempt; undefined: nobody is left who could be tried. */
  private delayAfter(error: unknown): number | undefined {
    const delay = error instanceof ProviderUnavailable ? undefined : this.retries.shift();
    const asked = error instanceof ProviderBusy ? error.retryAfterMs : 0;
    if (delay !== undefined && asked <= LONGEST_WAIT_MS) return Math.max(delay, asked);
    const other = this.next.shift();
    if (!other) return undefined;
    this.serving = other;
    this.retries = [...RETRY_DELAYS_MS];
    return 0;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const RETRY_MS = 5_000;

/** Takes a new connection before the provider ends the old one, between two turns. */
export class Rotation {
  private isDue = false;
  private isTrying = false;
  private notBefore = -Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly link: ProviderLink,
    private readonly conversationLog: ConversationLog,
    private readonly isBetweenTurns: () => boolean,
  ) {}

  /** The connection has little time left. When no good moment comes, it is lost like any other. */
  expiring(): void {
    this.isDue = true;
  }

  /** Another connection is in use than the one that had little time left. */
  settled(): void {
    this.isDue = false;
  }

  /** To be called whenever it may have become quiet. */
  check(): void {
    if (!this.isDue || this.isTrying || this.clock.now() < this.notBefore || !this.isBetweenTurns()) return;
    this.isTrying = true;
    void this.attempt();
  }

  private async attempt(): Promise<void> {
    const told = this.conversationLog.length;
    try {
      const rotated = await this.link.rotate(() => this.isBetweenTurns() && this.conversationLog.length === told);
      if (rotated) {
        this.settled();
        this.conversationLog.write({ type: 'provider_rotated' });
      }
    } catch (error) {
      this.notBefore = this.clock.now() + RETRY_MS;
      const message = error instanceof Error ? error.message : String(error);
      this.conversationLog.write({ type: 'error', code: 'rotation_failed', message });
    } finally {
      this.isTrying = false;
    }
  }
}

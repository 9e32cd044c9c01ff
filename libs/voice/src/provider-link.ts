import { pause, type Clock } from './clock.js';
import {
  ProviderUnavailable,
  type ConnectRequest,
  type ProviderEvent,
  type VoiceConnection,
  type VoiceProvider,
} from './providers/voice-provider.js';

/** Pauses before the attempts to connect again after a connection was lost. */
const RETRY_DELAYS_MS = [100, 500, 1000, 2000];

interface LinkListener {
  event(event: ProviderEvent): void;
  lost(reason: string): void;
  /** Attempt number `attempt` failed too. */
  stillLost(attempt: number): void;
  restored(attempts: number): void;
  givenUp(error: unknown): void;
}

/** Keeps one conversation with a provider alive over several connections. */
export class ProviderLink {
  private current: VoiceConnection | undefined;
  private generation = 0;
  /** Attempts left until a connection proves itself by delivering audio. */
  private retries = [...RETRY_DELAYS_MS];

  constructor(
    private readonly provider: VoiceProvider,
    private readonly request: () => ConnectRequest,
    private readonly clock: Clock,
    private readonly listener: LinkListener,
    private readonly signal: AbortSignal,
  ) {}

  /** Undefined while there is no connection. */
  get connection(): VoiceConnection | undefined {
    return this.current;
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
    const connection = this.current;
    this.generation++;
    this.current = undefined;
    connection?.close();
  }

  private async connect(): Promise<void> {
    const generation = ++this.generation;
    const onEvent = (event: ProviderEvent) => this.take(generation, event);
    const connection = await this.provider.connect(this.request(), onEvent, this.signal);
    if (this.signal.aborted || generation !== this.generation) {
      this.generation++;
      return connection.close();
    }
    this.current = connection;
  }

  private take(generation: number, event: ProviderEvent): void {
    // The bill of a connection may arrive while it closes; everything else of an old one is void.
    if (event.type === 'usage') return this.listener.event(event);
    if (generation !== this.generation) return;
    if (event.type === 'audio') this.retries = [...RETRY_DELAYS_MS];
    if (event.type !== 'closed') return this.listener.event(event);
    this.generation++;
    this.current = undefined;
    this.listener.lost(event.reason);
    void this.recover(new Error(event.reason));
  }

  private async recover(cause: unknown): Promise<void> {
    let error = cause;
    let attempts = 0;
    while (!this.signal.aborted && !(error instanceof ProviderUnavailable)) {
      const delay = this.retries.shift();
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
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

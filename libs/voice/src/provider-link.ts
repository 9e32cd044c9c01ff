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

/** Pauses before the attempts to connect again after a connection was lost. */
const RETRY_DELAYS_MS = [100, 500, 1000, 2000];

/** Nobody stays on a silent line for longer; a provider that asks for more time is as good as lost. */
const LONGEST_WAIT_MS = 2000;

interface LinkListener {
  event(event: ProviderEvent): void;
  lost(reason: string): void;
  /** Attempt number `attempt` failed too. */
  stillLost(attempt: number): void;
  /** `attempts`: how often it was tried, all providers together. */
  restored(attempts: number): void;
  givenUp(error: unknown): void;
}

/**
 * Keeps one conversation alive over several connections: with its provider, and when that is lost for good, with the next
 * of the list. A provider that was given up is not tried again in this conversation.
 */
export class ProviderLink {
  private current: VoiceConnection | undefined;
  private generation = 0;
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
    const connection = await this.serving.connect(this.request(), onEvent, this.signal);
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
    if (event.type === 'audio' || event.type === 'agent_text') this.retries = [...RETRY_DELAYS_MS];
    if (event.type !== 'closed') return this.listener.event(event);
    this.generation++;
    this.current = undefined;
    this.listener.lost(event.reason);
    void this.recover(new Error(event.reason));
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

import type { LineCodec, MediaPort } from '@app/telephony';
import { pause, type Clock } from '../clock.js';
import type { EarlyConnection } from './early-connection.js';
import {
  ProviderBusy,
  ProviderUnavailable,
  type ConnectRequest,
  type HistoryTurn,
  type ProviderEvent,
  type VoiceConnection,
  type VoiceProvider,
} from '../providers/voice-provider.js';
import { neuralHearing, type SessionOptions } from '../session-options.js';

/** Delays before the attempts to reconnect. */
const RETRY_DELAYS_MS = [100, 500, 1000, 2000];

/** Users hang up on a line that is silent for longer; a provider that asks for more time counts as lost. */
const MAX_WAIT_MS = 2000;

interface LinkListener {
  /** A connection is about to be opened. Returns the request for it, with the history so far. */
  connecting(): ConnectRequest;
  event(event: ProviderEvent): void;
  /** `connection` has become the current one; `codec`: of its audio. */
  connected(connection: VoiceConnection, codec: LineCodec): void;
  lost(reason: string): void;
  /** An attempt to reconnect failed. */
  attemptFailed(): void;
  /** `attempts`: the number of attempts with all providers. */
  restored(attempts: number): void;
  givenUp(error: unknown): void;
}

interface Candidate {
  /** Absent while it is opened. */
  connection?: VoiceConnection;
  codec: LineCodec;
  /** Events that arrived before it became current, and while the session hands over to it. */
  early: ProviderEvent[] | undefined;
}

/**
 * Keeps one conversation alive over several connections: to its provider and, after that failed permanently, to the next one
 * in the list. A failed provider is not used again in this conversation.
 */
export class ProviderLink {
  private current: Candidate | undefined;
  /** Remaining attempts; speech or text from the provider resets them. */
  private retries = [...RETRY_DELAYS_MS];
  private serving: VoiceProvider;
  private next: VoiceProvider[];
  /** The connection of the first attempt, from the time of the ringing. */
  private ahead: EarlyConnection | undefined;

  constructor(
    providers: Pick<SessionOptions, 'provider' | 'fallbacks'> & { early?: EarlyConnection },
    private readonly clock: Clock,
    private readonly listener: LinkListener,
    private readonly signal: AbortSignal,
  ) {
    this.serving = providers.provider;
    this.next = [...(providers.fallbacks ?? [])];
    this.ahead = providers.early;
  }

  /** The provider that is connected or tried. */
  get provider(): VoiceProvider {
    return this.serving;
  }

  /** Of the audio of the connection; undefined while there is none. */
  get codec(): LineCodec | undefined {
    return this.current?.codec;
  }

  /** Undefined while there is no connection. */
  get connection(): VoiceConnection | undefined {
    return this.current?.connection;
  }

  /** Another provider can take over. */
  get hasFallback(): boolean {
    return this.next.length > 0;
  }

  /** Gives up a connection that lives but does not answer. `final`: its provider as well. */
  fail(reason: string, final: boolean): void {
    const failed = this.current;
    if (failed) this.lost(failed, reason, final);
    failed?.connection?.close();
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
   * Replaces the current connection by a new one; the current one serves until then. Returns false and discards the new one when the
   * current one was lost meanwhile, or the conversation has continued (`fits`). Rejects when no connection opens.
   */
  async rotate(fits: () => boolean): Promise<boolean> {
    const replaced = this.current;
    const candidate = await this.dial();
    if (this.signal.aborted || !replaced || replaced !== this.current || !fits()) {
      candidate.connection?.close();
      return false;
    }
    this.use(candidate);
    replaced.connection?.close();
    return true;
  }

  /** Other providers take over with the history; the current connection serves until then. Recovers as after a loss when they cannot. */
  async replace(provider: VoiceProvider, fallbacks: readonly VoiceProvider[]): Promise<void> {
    this.serving = provider;
    this.next = [...fallbacks];
    this.retries = [...RETRY_DELAYS_MS];
    await this.renew();
  }

  /** The same with the provider of now: for a request that the connection cannot take over. */
  async renew(): Promise<void> {
    if (!this.current) return;
    try {
      await this.rotate(() => true);
    } catch (error) {
      if (!this.signal.aborted) this.fail(messageOf(error), error instanceof ProviderUnavailable);
    }
  }

  private async connect(): Promise<void> {
    const candidate = await this.dial();
    if (this.signal.aborted) candidate.connection?.close();
    else this.use(candidate);
  }

  private async dial(): Promise<Candidate> {
    const { serving } = this;
    if (serving.load) await serving.load();
    const request = this.listener.connecting();
    const candidate: Candidate = { early: [], codec: request.codec };
    const onEvent = (event: ProviderEvent) => this.take(candidate, event);
    const { ahead } = this;
    this.ahead = undefined;
    candidate.connection =
      (await ahead?.claim(request.codec, onEvent)) ?? (await serving.connect(request, onEvent, this.signal));
    return candidate;
  }

  private use(candidate: Candidate): void {
    this.current = candidate;
    if (candidate.connection) this.listener.connected(candidate.connection, candidate.codec);
    const early = candidate.early ?? [];
    candidate.early = undefined;
    for (const event of early) this.take(candidate, event);
  }

  private take(from: Candidate, event: ProviderEvent): void {
    // Usage may arrive while a connection closes; all other events of an old connection are ignored.
    if (event.type === 'usage') return this.listener.event(event);
    if (from.early) return void from.early.push(event);
    if (from !== this.current) return;
    if (event.type === 'audio' || event.type === 'agent_text') this.retries = [...RETRY_DELAYS_MS];
    if (event.type !== 'closed') return this.listener.event(event);
    this.lost(from, event.reason, event.final ?? false);
  }

  private lost(from: Candidate, reason: string, final: boolean): void {
    if (from !== this.current) return;
    this.current = undefined;
    this.listener.lost(reason);
    void this.recover(final ? new ProviderUnavailable(reason) : new Error(reason));
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
        if (!this.signal.aborted) this.listener.attemptFailed();
      }
    }
    if (!this.signal.aborted) this.listener.givenUp(error);
  }

  /** The delay before the next attempt; undefined when no provider is left. */
  private delayAfter(error: unknown): number | undefined {
    const delay = error instanceof ProviderUnavailable ? undefined : this.retries.shift();
    const asked = error instanceof ProviderBusy ? error.retryAfterMs : 0;
    if (delay !== undefined && asked <= MAX_WAIT_MS) return Math.max(delay, asked);
    const other = this.next.shift();
    if (!other) return undefined;
    this.serving = other;
    this.retries = [...RETRY_DELAYS_MS];
    return 0;
  }
}

/** `history`: the conversation so far. */
export function connectRequest(
  options: SessionOptions,
  media: Pick<MediaPort, 'codec' | 'wideband'>,
  provider: VoiceProvider,
  history: HistoryTurn[],
): ConnectRequest {
  const { settings, tools, call } = options;
  const { agent, modality = 'audio' } = settings;
  const codec = media.wideband && provider.capabilities.wideband ? 'L16' : media.codec;
  const neural = neuralHearing(options);
  return {
    agent,
    modality,
    codec,
    tools: tools.definitions(),
    history,
    ...(neural && { detectSpeech: (timings) => neural.voiceActivity(codec, timings) }),
    ...(options.guard && { screen: (sentence) => options.guard!.screen(sentence) }),
    metadata: call.metadata,
  };
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

import type { ProviderParts } from './provider-kind.js';
import type { ProviderChoice } from './provider-settings.js';
import { providerFor } from './registry.js';
import type {
  AgentProfile,
  ConnectRequest,
  ProviderCapabilities,
  ProviderEvent,
  VoiceConnection,
  VoiceProvider,
} from './voice-provider.js';

/** Before its first connection a provider has no response to cancel, and no item to truncate. */
const NOT_CONNECTED: ProviderCapabilities = { cancel: false, truncate: false, transcribesUser: false };

/**
 * Loads and opens the chosen provider when a conversation first needs it. The session can listen at once: what the user says or
 * presses while the code is loaded reaches the first connection.
 */
export class LazyProvider implements VoiceProvider {
  private opening: Promise<VoiceProvider> | undefined;
  private opened: VoiceProvider | undefined;

  constructor(
    private readonly wanted: ProviderChoice,
    private readonly parts: ProviderParts,
  ) {}

  get name(): string {
    return this.wanted.name;
  }

  get capabilities(): ProviderCapabilities {
    return this.opened?.capabilities ?? NOT_CONNECTED;
  }

  async prepare(agent: AgentProfile, signal: AbortSignal): Promise<void> {
    await (await this.open()).prepare(agent, signal);
  }

  /** Rejects with ProviderUnavailable when the provider is unknown or not configured, too. */
  async connect(
    request: ConnectRequest,
    onEvent: (event: ProviderEvent) => void,
    signal: AbortSignal,
  ): Promise<VoiceConnection> {
    return (await this.open()).connect(request, onEvent, signal);
  }

  private async open(): Promise<VoiceProvider> {
    this.opening ??= providerFor(this.wanted, this.parts);
    return (this.opened = await this.opening);
  }
}

import type { Clock } from '../../clock.js';
import type { ProviderOptions } from '../provider-options.js';
import {
  ProviderUnavailable,
  type ConnectRequest,
  type ProviderCapabilities,
  type ProviderEvent,
  type VoiceConnection,
  type VoiceProvider,
} from '../voice-provider.js';

export interface RealtimeProviderOptions extends Omit<ProviderOptions, 'script'> {
  /** As agents name it; it stands in logs and on bills. */
  name: string;
  /** `wss://…/v1/realtime`; `ws://` on this machine. The model is added to its query. */
  url: string;
  /** Absent: the server asks for none. */
  key?: string;
  model: string;
  /** What the server charges for: the tokens it reports, or the time connected. */
  billing: 'tokens' | 'seconds';
  clock: Clock;
}

/** OpenAI's Realtime protocol (GA) over a WebSocket: their servers, Azure's, and whatever else speaks it. */
export class RealtimeProvider implements VoiceProvider {
  readonly name: string;
  readonly capabilities: ProviderCapabilities;

  constructor(private readonly options: RealtimeProviderOptions) {
    this.name = options.name;
    const transcribesCallee = options.transcriptionModel !== undefined;
    this.capabilities = { cancel: true, truncate: true, transcribesCallee };
  }

  /** Nothing: without a connection there is nothing to make. */
  prepare(): Promise<void> {
    return Promise.resolve();
  }

  connect(
    _request: ConnectRequest,
    _onEvent: (event: ProviderEvent) => void,
    _signal: AbortSignal,
  ): Promise<VoiceConnection> {
    return Promise.reject(new ProviderUnavailable(`${this.options.name} cannot connect yet.`));
  }
}

import type { Clock } from '../../clock.js';
import type { ProviderOptions } from '../provider-options.js';
import type {
  ConnectRequest,
  ProviderCapabilities,
  ProviderEvent,
  VoiceConnection,
  VoiceProvider,
} from '../voice-provider.js';
import { openSession } from './open-session.js';

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
    const transcribesCallee = options.transcriptionModel !== undefined;
    this.capabilities = { cancel: true, truncate: true, transcribesCallee };
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

import type { Clock } from '../../clock.js';
import type { Speech } from '../../speech/speech.js';
import type {
  AgentProfile,
  ConnectRequest,
  ProviderCapabilities,
  ProviderEvent,
  VoiceConnection,
  VoiceProvider,
} from '../voice-provider.js';
import { SandboxConnection } from './sandbox-connection.js';
import { replyTo } from '../../sandbox-server/default-agent.js';

/**
 * A scripted agent inside this process: no key, no network, no model. It speaks for real, hears that somebody speaks
 * and which keys are pressed, and does not recognise words.
 */
export class SandboxProvider implements VoiceProvider {
  readonly name = 'sandbox';
  readonly capabilities: ProviderCapabilities = { cancel: true, truncate: true, transcribesCallee: false };

  constructor(
    private readonly speech: Speech,
    private readonly clock: Clock,
  ) {}

  async prepare(agent: AgentProfile, signal: AbortSignal): Promise<void> {
    const state = { heard: 0, interrupted: false, canTransfer: false, canSearch: false };
    const opening = replyTo({ kind: 'opening' }, agent, state);
    await this.speech.prepare(opening.say, agent.language, signal);
  }

  connect(
    request: ConnectRequest,
    onEvent: (event: ProviderEvent) => void,
    signal: AbortSignal,
  ): Promise<VoiceConnection> {
    signal.throwIfAborted();
    return Promise.resolve(new SandboxConnection(request, this.speech, this.clock, onEvent));
  }
}

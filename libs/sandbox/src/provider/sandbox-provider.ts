import {
  type AgentProfile,
  type Clock,
  type ConnectRequest,
  type ProviderCapabilities,
  type ProviderEvent,
  type ProviderKind,
  ProviderUnavailable,
  RealtimeProvider,
  type RealtimeServer,
  type Speech,
  type VoiceConnection,
  type VoiceProvider,
} from '@app/voice';
import { readScript, ScriptInvalid, scriptProblems } from '../server/script.js';
import { openingWords } from '../server/scripted-agent.js';
import { playedRole, playRole } from './script-registration.js';

/** The provider `sandbox`: a scripted agent, played by the sandbox server of this process. */
export const sandboxProvider: ProviderKind = {
  problem({ options: { script } }) {
    const problems = script === undefined ? [] : scriptProblems(script);
    return problems.length > 0 ? { message: new ScriptInvalid(problems).message } : undefined;
  },
  open({ options }, { speech, clock, settings }) {
    if (!settings.sandbox) throw new ProviderUnavailable('The sandbox server does not run here.');
    return new SandboxProvider({ server: settings.sandbox, script: options.script, speech, clock });
  },
};

interface SandboxProviderOptions {
  server: RealtimeServer;
  /** The script of the agent; absent: the default agent. */
  script?: unknown;
  speech: Speech;
  clock: Clock;
}

/**
 * A scripted agent: no key, no model. The adapter of the Realtime protocol talks to our own server, so a sandbox call exercises the code
 * of a production call. Beside the protocol, the server only receives its role before the conversation begins.
 */
export class SandboxProvider implements VoiceProvider {
  readonly name = 'sandbox';
  /** The sandbox server detects speech and pressed keys; it does not recognise words. */
  readonly capabilities: ProviderCapabilities = {
    cancel: true,
    truncate: true,
    transcribesUser: false,
    billsConnection: true,
    wordsFirst: true,
  };

  constructor(private readonly options: SandboxProviderOptions) {}

  /** Synthesises the first words in the speech that all threads share. */
  async prepare(agent: AgentProfile, signal: AbortSignal): Promise<void> {
    const first =
      agent.greeting.trim() || openingWords(readScript(playedRole(this.options.script, { agent })), agent.instructions);
    await this.options.speech.prepare(first, agent.language, signal);
  }

  async connect(
    request: ConnectRequest,
    onEvent: (event: ProviderEvent) => void,
    signal: AbortSignal,
  ): Promise<VoiceConnection> {
    const { server, script } = this.options;
    return playRole(server, playedRole(script, request), signal, (model) =>
      this.playing(model).connect(request, onEvent, signal),
    );
  }

  private playing(model: string): RealtimeProvider {
    const { server, clock } = this.options;
    const { url, key } = server;
    return new RealtimeProvider({ name: this.name, url, key, clock, model, billing: 'seconds' });
  }
}

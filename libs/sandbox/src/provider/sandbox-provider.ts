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
import { createHash } from 'node:crypto';
import { readScript, ScriptInvalid, scriptProblems } from '../server/script.js';
import { openingWords } from '../server/scripted-agent.js';

/** The provider `sandbox`: a scripted agent, played by the sandbox server of this process. */
export const sandboxProvider: ProviderKind = {
  problem({ options: { script } }) {
    const problems = script === undefined ? [] : scriptProblems(script);
    return problems.length > 0 ? new ScriptInvalid(problems).message : undefined;
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
  };

  constructor(private readonly options: SandboxProviderOptions) {}

  /** Synthesises the first words in the speech that all threads share. */
  async prepare(agent: AgentProfile, signal: AbortSignal): Promise<void> {
    const first = agent.greeting.trim() || openingWords(readScript(this.roleOf(agent)), agent.instructions);
    await this.options.speech.prepare(first, agent.language, signal);
  }

  async connect(
    request: ConnectRequest,
    onEvent: (event: ProviderEvent) => void,
    signal: AbortSignal,
  ): Promise<VoiceConnection> {
    const body = JSON.stringify(this.roleOf(request.agent, request.metadata));
    const id = createHash('sha256').update(body).digest('hex');
    const known = rolesKnownBy(this.options.server);
    const open = (): Promise<VoiceConnection> => this.playing(id).connect(request, onEvent, signal);
    if (known.has(id)) {
      try {
        return await open();
      } catch (error) {
        // A restarted server has no roles yet.
        if (!(error instanceof ProviderUnavailable)) throw error;
      }
    }
    await this.register(id, body, signal);
    if (known.size >= MAX_KNOWN) known.clear();
    known.add(id);
    return open();
  }

  private playing(id: string): RealtimeProvider {
    const { server, clock } = this.options;
    const { url, key } = server;
    return new RealtimeProvider({ name: this.name, url, key, clock, model: `script-${id}`, billing: 'seconds' });
  }

  private roleOf(agent: AgentProfile, metadata?: ConnectRequest['metadata']): object {
    const { script } = this.options;
    const { name, greeting, language } = agent;
    const played = { name, greeting: greeting.trim() || undefined, language };
    if (!isObject(script)) return { agent: played };
    return { ...script, agent: { ...played, ...(isObject(script.agent) ? script.agent : {}) }, metadata };
  }

  private async register(id: string, body: string, signal: AbortSignal): Promise<void> {
    const { url, key } = this.options.server;
    const target = new URL(`/v1/scripts/${id}`, url.replace(/^ws/, 'http'));
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(target, { method: 'PUT', body, headers, signal });
    const refusal = await answer.text();
    if (answer.status === 422) throw new ProviderUnavailable(`The script of the agent cannot be played: ${refusal}`);
    if (!answer.ok) throw new Error(`The sandbox server takes no script (HTTP ${answer.status}).`);
  }
}

/** Fewer than the server keeps. */
const MAX_KNOWN = 500;

/** Digests of the roles that a server has, by its address: most calls of an agent play the same role and need not send it again. */
const KNOWN = new Map<string, Set<string>>();

function rolesKnownBy({ url, key }: RealtimeServer): Set<string> {
  const address = `${url} ${key}`;
  const roles = KNOWN.get(address) ?? new Set<string>();
  KNOWN.set(address, roles);
  return roles;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

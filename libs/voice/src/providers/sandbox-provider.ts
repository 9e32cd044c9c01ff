import { createHash } from 'node:crypto';
import type { Clock } from '../clock.js';
import { readScript } from '../sandbox-server/script.js';
import { openingWords } from '../sandbox-server/scripted-agent.js';
import type { Speech } from '../speech/speech.js';
import { RealtimeProvider } from './openai-realtime/realtime-provider.js';
import type { RealtimeServer } from './provider-settings.js';
import {
  ProviderUnavailable,
  type AgentProfile,
  type ConnectRequest,
  type ProviderCapabilities,
  type ProviderEvent,
  type VoiceConnection,
  type VoiceProvider,
} from './voice-provider.js';

export interface SandboxProviderOptions {
  server: RealtimeServer;
  /** Of the agent; absent: it is the default one. */
  script?: unknown;
  speech: Speech;
  clock: Clock;
}

/**
 * A scripted agent: no key, no model. The realtime adapter talks with our own server, so that what production does is what is tried out;
 * the only thing that the server is told beside the protocol, and before, is which role it plays.
 */
export class SandboxProvider implements VoiceProvider {
  readonly name = 'sandbox';
  /** It hears that somebody speaks and which keys are pressed, and does not recognise words. */
  readonly capabilities: ProviderCapabilities = { cancel: true, truncate: true, transcribesUser: false };

  constructor(private readonly options: SandboxProviderOptions) {}

  /** The first words are spoken once, where every thread finds them. */
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
        // Another server may have taken its place, which knows nothing.
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
    const told = await answer.text();
    if (answer.status === 422) throw new ProviderUnavailable(`The script of the agent cannot be played: ${told}`);
    if (!answer.ok) throw new Error(`The sandbox server takes no script (HTTP ${answer.status}).`);
  }
}

/** Fewer than the server keeps. */
const MAX_KNOWN = 500;

/** Digests of the roles that a server was told: most calls of an agent play the same one, and need not tell it again. */
const KNOWN = new WeakMap<RealtimeServer, Set<string>>();

function rolesKnownBy(server: RealtimeServer): Set<string> {
  const roles = KNOWN.get(server) ?? new Set<string>();
  KNOWN.set(server, roles);
  return roles;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

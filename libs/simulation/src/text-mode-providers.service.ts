import type { Env } from '@app/common';
import type { SandboxServer } from '@app/sandbox';
import { ENV } from '@app/common/settings';
import {
  type AgentProviders,
  needsSandbox,
  type ProviderChoice,
  providerSettings,
  providersFor,
  registerProvider,
  registerSandboxLegs,
  type Speech,
  systemClock,
} from '@app/voice';
import type { SimulatedFlow } from './scenario/simulated-agent.js';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';

const loadSandbox = () => import('./sandbox.js');

/**
 * The providers of simulated conversations, in text or in speech. The first sandbox agent of each kind starts a server in this thread for
 * all of them.
 */
@Injectable()
export class TextModeProvidersService implements OnApplicationShutdown {
  private starting: Promise<SandboxServer> | undefined;
  private startingSpeech: Promise<SpeakingSandbox> | undefined;

  constructor(@Inject(ENV) private readonly env: Env) {
    registerProvider('sandbox', async () => (await loadSandbox()).sandboxProvider);
    registerSandboxLegs(async () => (await loadSandbox()).sandboxLegs);
  }

  /** Rejects with ProviderUnavailable when none of them can be used. */
  async open(wanted: readonly ProviderChoice[]): Promise<SimulatedProviders> {
    const { SILENT_SPEECH: speech } = await loadSandbox();
    const settings = providerSettings(this.env);
    const sandbox = needsSandbox(wanted, settings) ? await (this.starting ??= startServer()) : undefined;
    const parts = { speech, clock: systemClock, settings: { ...settings, sandbox } };
    return { ...(await providersFor(wanted, parts)), parts };
  }

  /** The same with speech. `speech`: for the agent's own phrases. */
  async openSpeaking(wanted: readonly ProviderChoice[]): Promise<SimulatedProviders & { speech: Speech }> {
    const { server, speech } = await (this.startingSpeech ??= startSpeaking());
    const settings = { ...providerSettings(this.env), sandbox: server };
    const parts = { speech, clock: systemClock, settings };
    return { ...(await providersFor(wanted, parts)), parts, speech };
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.starting)?.close();
    await (await this.startingSpeech)?.server.close();
  }
}

export interface SimulatedProviders extends AgentProviders {
  /** For further providers of the same agent. */
  parts: SimulatedFlow['parts'];
}

interface SpeakingSandbox {
  server: SandboxServer;
  speech: Speech;
}

async function startSpeaking(): Promise<SpeakingSandbox> {
  const { builtInSpeech, SandboxServer } = await loadSandbox();
  const speech = builtInSpeech();
  return { server: await SandboxServer.start({ speech }), speech };
}

async function startServer(): Promise<SandboxServer> {
  const { SandboxServer, SILENT_SPEECH } = await loadSandbox();
  return SandboxServer.start({ speech: SILENT_SPEECH });
}

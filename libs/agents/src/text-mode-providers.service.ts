import type { Env } from '@app/common';
import type { SandboxServer } from '@app/sandbox';
import { ENV } from '@app/settings';
import {
  type AgentProviders,
  needsSandbox,
  type ProviderChoice,
  providerSettings,
  providersFor,
  registerProvider,
  registerSandboxLegs,
  systemClock,
} from '@app/voice';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';

const loadSandbox = () => import('./sandbox.js');

/** The providers of conversations in text. The first sandbox agent starts a server in this thread for all of them: there is no audio. */
@Injectable()
export class TextModeProviders implements OnApplicationShutdown {
  private starting: Promise<SandboxServer> | undefined;

  constructor(@Inject(ENV) private readonly env: Env) {
    registerProvider('sandbox', async () => (await loadSandbox()).sandboxProvider);
    registerSandboxLegs(async () => (await loadSandbox()).sandboxLegs);
  }

  /** Rejects with ProviderUnavailable when none of them can be used. */
  async open(wanted: readonly ProviderChoice[]): Promise<AgentProviders> {
    const { SILENT_SPEECH: speech } = await loadSandbox();
    const settings = providerSettings(this.env);
    const sandbox = needsSandbox(wanted, settings) ? await (this.starting ??= startServer()) : undefined;
    return providersFor(wanted, { speech, clock: systemClock, settings: { ...settings, sandbox } });
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.starting)?.close();
  }
}

async function startServer(): Promise<SandboxServer> {
  const { SandboxServer, SILENT_SPEECH } = await loadSandbox();
  return SandboxServer.start({ speech: SILENT_SPEECH });
}

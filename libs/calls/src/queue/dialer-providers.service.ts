import { agentWarnings, type AgentProviderSettings, type AgentWarning } from '@app/agents';
import { type ProviderSettings, settingsOfNames } from '@app/voice';
import { Injectable } from '@nestjs/common';
import { DialersRepository } from './dialers.repository.js';

/** Dialers start and stop rarely, and agents are read often. */
const FRESH_MS = 5_000;

/** What the live dialers can use, as they published it: the keys of vendors are theirs alone. */
@Injectable()
export class DialerProvidersService {
  private settings: Promise<ProviderSettings | undefined> | undefined;
  private readAt = -Infinity;

  constructor(private readonly dialers: DialersRepository) {}

  /** Why calls of an agent fail, or cannot use all of its providers. Empty also while no dialer runs: then nothing is known. */
  async warnings(agent: AgentProviderSettings): Promise<AgentWarning[]> {
    const settings = await this.current();
    return settings ? agentWarnings(agent, settings) : [];
  }

  /** Read at most every five seconds. Undefined: no dialer runs. */
  current(): Promise<ProviderSettings | undefined> {
    if (!this.settings || performance.now() - this.readAt > FRESH_MS) {
      this.readAt = performance.now();
      const reading = this.read();
      this.settings = reading;
      // Not kept: the next one reads again.
      reading.catch(() => {
        if (this.settings === reading) this.settings = undefined;
      });
    }
    return this.settings;
  }

  /** Any dialer may get the next call: what one of them lacks is missing. */
  private async read(): Promise<ProviderSettings | undefined> {
    const [first, ...others] = await this.dialers.providerNames();
    return first && settingsOfNames(first.filter((name) => others.every((names) => names.includes(name))));
  }
}

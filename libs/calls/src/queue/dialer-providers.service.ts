import { agentWarnings, type AgentProviderSettings, type AgentWarning } from '@app/agents';
import { type ProviderSettings, settingsOfNames } from '@app/voice';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DialersRepository } from './dialers.repository.js';

/** Dialers start and stop rarely, and agents are read often. */
const FRESH_MS = 5_000;

/** What the live dialers can use, as they published it: the keys of vendors are theirs alone. */
@Injectable()
export class DialerProvidersService {
  private readonly kept: LRUCache<'settings', { of: ProviderSettings | undefined }>;

  constructor(dialers: DialersRepository) {
    // A failure is not kept: the next one reads again.
    const fetchMethod = async () => ({ of: common(await dialers.providerNames()) });
    this.kept = new LRUCache({ max: 1, ttl: FRESH_MS, fetchMethod });
  }

  /** Why calls of an agent fail, or cannot use all of its providers. Empty also while no dialer runs: then nothing is known. */
  async warnings(agent: AgentProviderSettings): Promise<AgentWarning[]> {
    const settings = await this.current();
    return settings ? agentWarnings(agent, settings) : [];
  }

  /** Read at most every five seconds, once for all who wait. Undefined: no dialer runs. */
  async current(): Promise<ProviderSettings | undefined> {
    return (await this.kept.forceFetch('settings')).of;
  }
}

/** Any dialer may get the next call: what one of them lacks is missing. */
const common = ([first, ...others]: string[][]): ProviderSettings | undefined =>
  first && settingsOfNames(first.filter((name) => others.every((names) => names.includes(name))));

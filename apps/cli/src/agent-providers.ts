import { type StoredProviderOptions, providerChain } from '@app/agents';
import type { Env } from '@app/common';
import { sandboxProvider } from '@app/sandbox';
import { legProblems, providerProblem, providerSettings, type ProviderSettings, registerProvider } from '@app/voice';
import { playedVendors } from './supervisor/child-process.js';

/** The settings of dialers with these variables, which run a sandbox server for the agents that need it. */
export const dialerSettings = (env: Env): ProviderSettings => ({
  ...providerSettings({ ...env, ...playedVendors(env) }),
  sandbox: { url: 'ws://localhost' },
});

/** Why the provider of an agent, its legs or its fallbacks cannot be used with these settings, as sentences. */
export async function agentProblems(
  provider: string,
  options: StoredProviderOptions,
  settings: ProviderSettings,
): Promise<string[]> {
  registerProvider('sandbox', () => Promise.resolve(sandboxProvider));
  const problems: string[] = [];
  for (const wanted of providerChain(provider, options)) {
    if (wanted.name === 'pipeline') problems.push(...(await legProblems(wanted.options.pipeline ?? {}, settings)));
    else problems.push(...[await providerProblem(wanted, settings)].filter((problem) => problem !== undefined));
  }
  return problems;
}

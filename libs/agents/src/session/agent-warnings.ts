import { type ProviderSettings, unusableProviders } from '@app/voice';
import type { StoredProviderOptions } from '../agent.entity.js';
import { providerChain } from './session-settings.js';

/** Why calls of an agent fail, or cannot use all of its providers. */
export interface AgentWarning {
  /**
   * `agent_not_configured`: calls fail. `provider_not_configured`: they work without this provider. `flow_reference_missing`: a step or a
   * handoff refers to what the agent or the account does not have.
   */
  code: 'agent_not_configured' | 'provider_not_configured' | 'flow_reference_missing';
  /** Path of the setting. */
  field: string;
  message: string;
}

/** The providers of an agent, without its script. */
export interface AgentProviderSettings {
  provider: string;
  options: StoredProviderOptions;
}

/** What dialers with these settings cannot use of an agent; empty: it works. */
export async function agentWarnings(
  { provider, options }: AgentProviderSettings,
  settings: ProviderSettings,
): Promise<AgentWarning[]> {
  const unusable = await unusableProviders(providerChain(provider, options), settings);
  return unusable.map(({ field, problem: { missing, message }, isReplaced }) => {
    const what = missing === undefined ? message : `${missing} is missing.`;
    return isReplaced
      ? { code: 'provider_not_configured', field, message: `Not configured: ${what} Another provider takes its place.` }
      : { code: 'agent_not_configured', field, message: `Not configured: ${what}` };
  });
}

/** The same as sentences for an operator, with the remedies. */
export async function providerProblems(
  { provider, options }: AgentProviderSettings,
  settings: ProviderSettings,
): Promise<string[]> {
  const unusable = await unusableProviders(providerChain(provider, options), settings);
  return unusable.map(({ problem }) => problem.message);
}

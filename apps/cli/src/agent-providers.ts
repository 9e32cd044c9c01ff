import type { Env } from '@app/common';
import { providerSettings, type ProviderSettings } from '@app/voice';
import { playedVendors } from './supervisor/child-process.js';

/** The settings of dialers with these variables, which run a sandbox server for the agents that need it. */
export const dialerSettings = (env: Env): ProviderSettings => ({
  ...providerSettings({ ...env, ...playedVendors(env) }),
  sandbox: { url: 'ws://localhost' },
});

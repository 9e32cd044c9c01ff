import type { ProvidersEnv } from '@app/common';
import { systemClock } from '../clock.js';
import { providerSettings } from '../providers/provider-settings.js';
import { providersFor } from '../providers/registry.js';
import type { SimulationParts } from './load-agent.js';
import { MUTE } from './mute.js';

export interface OpenSimulations {
  parts: SimulationParts;
  close: () => Promise<void>;
}

/** The simulations of one process. */
export function openSimulations({
  env,
  ...parts
}: Omit<SimulationParts, 'providersFor'> & { env: ProvidersEnv }): OpenSimulations {
  const settings = providerSettings(env);
  return {
    parts: {
      ...parts,
      providersFor: async (wanted) => providersFor(wanted, { speech: MUTE, clock: systemClock, settings }),
    },
    close: () => Promise.resolve(),
  };
}

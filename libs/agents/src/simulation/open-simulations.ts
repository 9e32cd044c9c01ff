import type { ProvidersEnv } from '@app/common';
import { systemClock, providerSettings, providersFor, SandboxServer } from '@app/voice';
import type { SimulationParts } from './load-agent.js';
import { MUTE } from './mute.js';

export interface OpenSimulations {
  parts: SimulationParts;
  close: () => Promise<void>;
}

/** The simulations of one process. The first sandbox agent starts the server for all of them, in this thread: there is no audio. */
export function openSimulations({
  env,
  ...parts
}: Omit<SimulationParts, 'providersFor'> & { env: ProvidersEnv }): OpenSimulations {
  const settings = providerSettings(env);
  let opening: Promise<SandboxServer> | undefined;
  const sandbox = (): Promise<SandboxServer> => (opening ??= SandboxServer.start({ speech: MUTE }));
  return {
    parts: {
      ...parts,
      providersFor: async (wanted) => {
        const plays = wanted.some(({ name }) => name === 'sandbox');
        const all = plays ? { ...settings, sandbox: await sandbox() } : settings;
        return providersFor(wanted, { speech: MUTE, clock: systemClock, settings: all });
      },
    },
    close: async () => (await opening)?.close(),
  };
}

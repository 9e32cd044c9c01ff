import type { Env, ProvidersEnv } from '@app/common';
import { type PriceBook, systemClock, providerSettings, providersFor, SandboxServer } from '@app/voice';
import { readPriceBook } from '../price-book.js';
import type { SimulationParts } from './load-agent.js';
import { MUTE } from './mute.js';

type SimulationsEnv = ProvidersEnv & Pick<Env, 'PRICE_BOOK'>;

export interface OpenSimulations {
  parts: SimulationParts;
  close: () => Promise<void>;
}

/** The simulations of one process. The first sandbox agent starts the server for all of them, in this thread: there is no audio. */
export function openSimulations({
  env,
  ...parts
}: Omit<SimulationParts, 'prices' | 'providersFor'> & { env: SimulationsEnv }): OpenSimulations {
  const settings = providerSettings(env);
  let opening: Promise<SandboxServer> | undefined;
  /** A file that cannot be used is an error of each simulation, until the process starts with another one. */
  let prices: Promise<PriceBook> | undefined;
  const sandbox = (): Promise<SandboxServer> => (opening ??= SandboxServer.start({ speech: MUTE }));
  return {
    parts: {
      ...parts,
      prices: () => (prices ??= readPriceBook(env.PRICE_BOOK)),
      providersFor: async (wanted) => {
        const plays = wanted.some(({ name }) => name === 'sandbox');
        const all = plays ? { ...settings, sandbox: await sandbox() } : settings;
        return providersFor(wanted, { speech: MUTE, clock: systemClock, settings: all });
      },
    },
    close: async () => (await opening)?.close(),
  };
}

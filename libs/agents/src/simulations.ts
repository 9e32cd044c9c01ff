import { spendProblem } from '@app/accounts';
import { type Env, NotFound, type ProvidersEnv } from '@app/common';
import type { Scenario, SandboxServer, SimulationResult } from '@app/sandbox';
import { costOf, type PriceBook, providerSettings, providersFor, registerProvider, systemClock } from '@app/voice';
import { readPriceBook } from './price-book.js';
import { type AgentOfAccount, loadSimulatedAgent, type SimulationParts } from './simulated-agent.js';

type SimulationsEnv = ProvidersEnv & Pick<Env, 'PRICE_BOOK'>;

interface OpenSimulations {
  parts: SimulationParts;
  close: () => Promise<void>;
}

/** The account's daily spend is used up; the message is a sentence for the person who asked. */
export class SpendLimitReached extends Error {}

export interface ChargedSimulation extends SimulationResult {
  /** Cost of the provider's usage by the price book, in micro-USD. */
  costMicros: number;
}

/** The simulations of one process. The first sandbox agent starts the server for all of them, in this thread: there is no audio. */
export function openSimulations({
  env,
  ...parts
}: Omit<SimulationParts, 'prices' | 'providersFor'> & { env: SimulationsEnv }): OpenSimulations {
  const settings = providerSettings(env);
  const loadSandbox = () => import('./sandbox.js');
  registerProvider('sandbox', async () => (await loadSandbox()).sandboxProvider);
  let opening: Promise<SandboxServer> | undefined;
  const startServer = async (): Promise<SandboxServer> => {
    const { SandboxServer, SILENT_SPEECH } = await loadSandbox();
    return SandboxServer.start({ speech: SILENT_SPEECH });
  };
  /** A price book that cannot be used fails each simulation, until the process starts with another one. */
  let prices: Promise<PriceBook> | undefined;
  return {
    parts: {
      ...parts,
      prices: () => (prices ??= readPriceBook(env.PRICE_BOOK)),
      providersFor: async (wanted) => {
        const { SILENT_SPEECH: speech } = await loadSandbox();
        const needsServer = wanted.some(({ name }) => name === 'sandbox');
        const all = needsServer ? { ...settings, sandbox: await (opening ??= startServer()) } : settings;
        return providersFor(wanted, { speech, clock: systemClock, settings: all });
      },
    },
    close: async () => (await opening)?.close(),
  };
}

/**
 * Plays a scenario with an agent as it is now. The provider's cost counts towards the account's daily spend, also when the
 * simulation is abandoned; when the daily spend is used up, nothing is played. Simulations that run at once may exceed the limit together.
 * @throws NotFound, NoTextMode, ProviderUnavailable, SpendLimitReached, UnusableSetting
 */
export async function runSimulation(
  parts: SimulationParts,
  agent: AgentOfAccount,
  scenario: Scenario,
  signal?: AbortSignal,
): Promise<ChargedSimulation> {
  const [{ simulate }, loaded, spend, prices] = await Promise.all([
    import('./sandbox.js'),
    loadSimulatedAgent(parts, agent, scenario.metadata),
    parts.spend.read(agent.accountId),
    parts.prices(),
  ]);
  if (!spend) throw new NotFound('Agent');
  const problem = spendProblem(spend);
  if (problem) throw new SpendLimitReached(problem);
  const result = await simulate(loaded, scenario, parts.log, signal);
  const { cost_micros: costMicros } = costOf(result.usage, prices);
  await parts.spend.add(agent.accountId, costMicros);
  return { ...result, costMicros };
}

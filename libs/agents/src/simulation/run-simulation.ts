import { addDailySpend, readDailySpend, spendProblem } from '@app/accounts';
import { NotFound } from '@app/common';
import { costOf } from '@app/voice';
import { type AgentOfAccount, loadSimulatedAgent, type SimulationParts } from './load-agent.js';
import type { Scenario } from './scenario.js';
import { simulate, type SimulationResult } from './simulation.js';

/** The account's daily spend is used up; the message is a sentence for the person who asked. */
export class SpendLimitReached extends Error {}

export interface ChargedSimulation extends SimulationResult {
  /** What the provider's usage costs by the price book, in micro-USD. */
  costMicros: number;
}

/**
 * Plays a scenario with an agent as it is now. What its provider costs counts towards the account's daily spend, also when the
 * simulation was given up; when that is used up, nothing is played. Simulations that run at once may exceed the limit together.
 * @throws NotFound, NoTextMode, ProviderUnavailable, SpendLimitReached, UnusableSetting
 */
export async function runSimulation(
  parts: SimulationParts,
  agent: AgentOfAccount,
  scenario: Scenario,
  signal?: AbortSignal,
): Promise<ChargedSimulation> {
  const [loaded, spend, prices] = await Promise.all([
    loadSimulatedAgent(parts, agent, scenario.metadata),
    readDailySpend(parts.pool, agent.accountId),
    parts.prices(),
  ]);
  if (!spend) throw new NotFound('Agent');
  const problem = spendProblem(spend);
  if (problem) throw new SpendLimitReached(problem);
  const result = await simulate(loaded, scenario, parts.log, signal);
  const { cost_micros: costMicros } = costOf(result.usage, prices);
  await addDailySpend(parts.pool, agent.accountId, costMicros);
  return { ...result, costMicros };
}

import { DailySpendService, spendProblem } from '@app/accounts';
import { type Env, type Log, NotFound } from '@app/common';
import type { Scenario, SimulationResult } from '@app/sandbox';
import { ENV, LOG } from '@app/settings';
import { costOf, type PriceBook } from '@app/voice';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { readPriceBook } from './price-book.js';
import { type AgentOfAccount, SimulatedAgentsService } from './simulated-agents.service.js';

/** The account's daily spend is used up; the message is a sentence for the person who asked. */
export class SpendLimitReached extends Error {}

export interface ChargedSimulation extends SimulationResult {
  /** Cost of the provider's usage by the price book, in micro-USD. */
  costMicros: number;
}

/** Runs simulated conversations with the agents of accounts. */
@Injectable()
export class SimulationsService implements OnModuleDestroy {
  private readonly closing = new AbortController();
  /** An unusable price book fails every simulation until the process is restarted. */
  private prices: Promise<PriceBook> | undefined;

  constructor(
    private readonly agents: SimulatedAgentsService,
    private readonly spend: DailySpendService,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Plays a scenario with the agent's current settings, or with other `settings` by column. The provider's cost counts towards the account's daily spend, also when
   * the simulation is aborted; a used-up daily spend refuses it. Concurrent simulations may exceed the limit together.
   * @throws NotFound, InvalidFields (`knowledge_base_ids`), NoTextMode, ProviderUnavailable, SpendLimitReached, UnusableSetting
   */
  async run(
    agent: AgentOfAccount,
    scenario: Scenario,
    signal?: AbortSignal,
    settings?: Record<string, unknown>,
  ): Promise<ChargedSimulation> {
    const [{ simulate }, loaded, spend, prices] = await Promise.all([
      import('./sandbox.js'),
      this.agents.load(agent, scenario, settings),
      this.spend.read(agent.accountId),
      (this.prices ??= readPriceBook(this.env.PRICE_BOOK)),
    ]);
    if (!spend) throw new NotFound('Agent');
    const problem = spendProblem(spend);
    if (problem) throw new SpendLimitReached(problem);
    const aborted = signal ? AbortSignal.any([signal, this.closing.signal]) : this.closing.signal;
    const result = await simulate(loaded, scenario, this.log, aborted);
    const { cost_micros: costMicros } = costOf(result.usage, prices);
    await this.spend.add(agent.accountId, costMicros);
    return { ...result, costMicros };
  }

  /** Aborts the running simulations. */
  onModuleDestroy(): void {
    this.closing.abort();
  }
}

import { InvalidFields } from '@app/common';
import {
  type ChargedSimulation,
  NoTextMode,
  runSimulation,
  type SimulationParts,
  SpendLimitReached,
} from '@app/agents';
import type { Scenario } from '@app/sandbox';
import { ProviderUnavailable } from '@app/voice';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/** Runs simulated conversations with an account's agents. */
@Injectable()
export class SimulationsService implements OnModuleDestroy {
  private readonly closing = new AbortController();

  constructor(
    private readonly parts: SimulationParts,
    private readonly closeParts: () => Promise<void>,
  ) {}

  /** Throws NotFound, and InvalidFields if the agent's provider cannot be used or the account's daily spend is used up. */
  async run(
    agent: { accountId: number; agentId: number },
    scenario: Scenario,
    disconnected: AbortSignal,
  ): Promise<ChargedSimulation> {
    const signal = AbortSignal.any([disconnected, this.closing.signal]);
    try {
      return await runSimulation(this.parts, agent, scenario, signal);
    } catch (error) {
      throw this.explained(error, agent.agentId);
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.abort();
    await this.closeParts();
  }

  private explained(error: unknown, agentId: number): unknown {
    if (error instanceof NoTextMode) return new InvalidFields({ agent_id: [error.message] });
    if (error instanceof SpendLimitReached) return new InvalidFields({ scenario: [error.message] });
    if (!(error instanceof ProviderUnavailable)) return error;
    // The operator configures providers; the client sees only that this one is unavailable.
    this.parts.log.warn({ err: error, agent_id: agentId }, 'a simulation has no provider');
    return new InvalidFields({ agent_id: ["The agent's voice provider is not available here."] });
  }
}

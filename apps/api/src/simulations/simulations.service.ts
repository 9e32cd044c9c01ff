import { InvalidFields } from '@app/common';
import {
  loadSimulatedAgent,
  NoTextMode,
  simulate,
  type Scenario,
  type SimulatedAgent,
  type SimulationParts,
  type SimulationResult,
} from '@app/agents';
import { ProviderUnavailable } from '@app/voice';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/** Conversations with an account's agents that nobody has on the phone. */
@Injectable()
export class SimulationsService implements OnModuleDestroy {
  private readonly closing = new AbortController();

  constructor(
    private readonly parts: SimulationParts,
    private readonly closeParts: () => Promise<void>,
  ) {}

  /** Throws NotFound, and InvalidFields when the agent's provider cannot be used for it. */
  async run(
    agent: { accountId: number; agentId: number },
    scenario: Scenario,
    left: AbortSignal,
  ): Promise<SimulationResult> {
    const signal = AbortSignal.any([left, this.closing.signal]);
    return simulate(await this.agentFor(agent, scenario), scenario, this.parts.log, signal);
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.abort();
    await this.closeParts();
  }

  private async agentFor(agent: { accountId: number; agentId: number }, scenario: Scenario): Promise<SimulatedAgent> {
    try {
      return await loadSimulatedAgent(this.parts, agent, scenario.metadata);
    } catch (error) {
      if (error instanceof NoTextMode) throw new InvalidFields({ agent_id: [error.message] });
      if (!(error instanceof ProviderUnavailable)) throw error;
      // What is not configured is the operator's business.
      this.parts.log.warn({ err: error, agent_id: agent.agentId }, 'a simulation has no provider');
      throw new InvalidFields({ agent_id: ["The agent's voice provider is not available here."] });
    }
  }
}

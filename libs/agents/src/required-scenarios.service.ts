import type { PendingPublication } from '@app/accounts';
import { FairSemaphore, InvalidFields, type Log } from '@app/common';
import type { Scenario } from '@app/sandbox';
import { LOG } from '@app/settings';
import { ProviderUnavailable } from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import { NoTextMode } from './simulated-agents.service.js';
import { type ChargedSimulation, SimulationsService, SpendLimitReached } from './simulations.service.js';

/** Conversations of all accounts that this process plays at once. */
const AT_ONCE = 8;
/** Conversations before one publication. */
const MOST_CONVERSATIONS = 20;
/** A client waits for the answer. */
const DEADLINE_MS = 120_000;

interface Conversation {
  /** The name of the stored scenario, which may be a list of conversations. */
  name: string;
  scenario: Scenario;
}

/** Plays the scenarios that must pass before settings of an agent are published. */
@Injectable()
export class RequiredScenarios {
  private readonly turns = new FairSemaphore<number>(AT_ONCE);

  constructor(
    private readonly simulations: SimulationsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @returns a sentence for each conversation that did not pass; empty when all passed */
  async play(pending: PendingPublication, signal?: AbortSignal): Promise<string[]> {
    const { readScenarioFile } = await import('./sandbox.js');
    const conversations = pending.scenarios.flatMap(({ name, scenario }) =>
      readScenarioFile(JSON.stringify(scenario)).map((one): Conversation => ({ name, scenario: one.scenario })),
    );
    if (conversations.length > MOST_CONVERSATIONS)
      return [
        `The required scenarios have ${conversations.length} conversations. At most ${MOST_CONVERSATIONS} can be played.`,
      ];
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    const end = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const problems = await Promise.all(conversations.map((one) => this.problemOf(pending, one, end)));
    signal?.throwIfAborted();
    if (deadline.aborted) return [`The required scenarios did not end within ${DEADLINE_MS / 1_000} seconds.`];
    return problems.flatMap((problem) => problem ?? []);
  }

  private async problemOf(
    { accountId, agentId, settings }: PendingPublication,
    { name, scenario }: Conversation,
    end: AbortSignal,
  ): Promise<string | undefined> {
    try {
      const release = await this.turns.acquire(accountId, end);
      try {
        return failureOf(name, await this.simulations.run({ accountId, agentId }, scenario, end, settings));
      } finally {
        release();
      }
    } catch (error) {
      if (end.aborted) return 'The scenario was not played to its end.';
      return `The scenario ${name} cannot be played: ${this.reasonOf(error, agentId)}`;
    }
  }

  private reasonOf(error: unknown, agentId: number): string {
    if (error instanceof NoTextMode || error instanceof SpendLimitReached || error instanceof InvalidFields)
      return error.message;
    if (!(error instanceof ProviderUnavailable)) throw error;
    // The operator configures providers; the client learns only that this one is unavailable.
    this.log.warn({ err: error, agent_id: agentId }, 'a required scenario has no provider');
    return "The agent's voice provider is not available here.";
  }
}

/** The first failed step; undefined: the conversation passed. */
function failureOf(name: string, { passed, steps, error, name: title }: ChargedSimulation): string | undefined {
  if (passed) return undefined;
  const what = title === 'simulation' ? `The scenario ${name}` : `The scenario ${name} (${title})`;
  if (error !== null) return `${what} cannot be played: ${error}`;
  const step = steps.find((one) => !one.passed);
  const label = step?.name ? ` (${step.name})` : '';
  return `${what} failed in step ${step?.step ?? 1}${label}: ${step?.failures.join(' ') ?? ''}`;
}

import type { PendingPublication } from '@app/agents';
import { InvalidFields, type Log } from '@app/common';
import { readScenarios, type Scenario } from '@app/agents/scenarios';
import { LOG } from '@app/common/settings';
import { ProviderUnavailable } from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import {
  explaining,
  failuresOf,
  type RepeatedSimulation,
  RepeatedSimulationsService,
} from './repeated-simulations.service.js';
import { NoTextMode } from './simulated-agents.service.js';
import { SpendLimitReached } from './simulations.service.js';

/** Scenarios before one publication, and their conversations with repetitions. */
const MAX_SCENARIOS = 20;
const MAX_CONVERSATIONS = 200;
/** A client waits for the answer. */
const DEADLINE_MS = 120_000;

interface Conversation {
  /** The name of the stored scenario, which may be a list of conversations. */
  name: string;
  scenario: Scenario;
}

/** Plays the scenarios that must pass before settings of an agent are published. */
@Injectable()
export class RequiredScenariosService {
  constructor(
    private readonly simulations: RepeatedSimulationsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @returns a sentence for each conversation that did not pass; empty when all passed */
  async play(pending: PendingPublication, signal?: AbortSignal): Promise<string[]> {
    const conversations = pending.scenarios.flatMap(({ name, scenario }) =>
      readScenarios(scenario).map((one): Conversation => ({ name, scenario: one.scenario })),
    );
    const problem = tooMany(conversations);
    if (problem !== undefined) return [problem];
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
      // A publication waits for the result: whatever the channel, the words are tested.
      const inText: Scenario = { ...scenario, channel: 'text' };
      return failureOf(name, await this.simulations.run({ accountId, agentId }, inText, { signal: end, settings }));
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

function tooMany(conversations: readonly Conversation[]): string | undefined {
  if (conversations.length > MAX_SCENARIOS)
    return `The required scenarios have ${conversations.length} conversations. At most ${MAX_SCENARIOS} can be played.`;
  const all = conversations.reduce((sum, { scenario }) => sum + scenario.repeat, 0);
  if (all <= MAX_CONVERSATIONS) return undefined;
  return `The required scenarios have ${all} conversations with repetitions. At most ${MAX_CONVERSATIONS} can be played.`;
}

/** Why the scenario did not pass, by its first failed conversation; undefined: it passed. */
function failureOf(name: string, result: RepeatedSimulation): string | undefined {
  const failed = explaining(result);
  if (result.passed || !failed) return undefined;
  const what = result.name === 'simulation' ? `The scenario ${name}` : `The scenario ${name} (${result.name})`;
  if (failed.error !== null) return `${what} cannot be played: ${failed.error}`;
  const all = result.conversations.length;
  const rate = all === 1 ? '' : ` It passed ${result.passes} of ${all} conversations.`;
  const step = failed.steps.find((one) => !one.passed);
  if (!step) return `${what} failed: ${failuresOf(failed).join(' ')}${rate}`;
  const label = step.name ? ` (${step.name})` : '';
  return `${what} failed in step ${step.step}${label}: ${step.failures.join(' ')}${rate}`;
}

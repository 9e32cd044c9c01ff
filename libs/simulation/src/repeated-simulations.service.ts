import { FairSemaphore, InvalidFields } from '@app/common';
import { readScenarios, type Scenario, ScenarioInvalid } from '@app/agents/scenarios';
import { Injectable } from '@nestjs/common';
import type { RubricAnswer } from './test-calls/rubric-judge.js';
import {
  type ChargedSimulation,
  type SimulationOptions,
  SimulationsService,
  type TestedAgent,
} from './simulations.service.js';

/** Conversations of all accounts that this process plays at once. */
const AT_ONCE = 8;

/** All conversations of one scenario. */
export interface RepeatedSimulation {
  name: string;
  /** Enough of them passed. */
  passed: boolean;
  /** Passed conversations, of `conversations.length`. */
  passes: number;
  requiredRate: number;
  conversations: ChargedSimulation[];
}

/** Plays the conversations of repeated scenarios, a bounded number at once, accounts in turn. */
@Injectable()
export class RepeatedSimulationsService {
  private readonly turns = new FairSemaphore<number>(AT_ONCE);

  constructor(private readonly simulations: SimulationsService) {}

  /** Rejects like SimulationsService.run, with the first failure; the other conversations are then given up. */
  async run(
    agent: TestedAgent,
    scenario: Scenario,
    options: Omit<SimulationOptions, 'repetition'> = {},
  ): Promise<RepeatedSimulation> {
    const failed = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
    const all = Array.from({ length: scenario.repeat }, (_, repetition) =>
      this.one(agent, scenario, { ...options, signal, repetition }),
    );
    try {
      return repeatedResult(scenario, await Promise.all(all));
    } catch (error) {
      failed.abort(error);
      await Promise.allSettled(all);
      throw error;
    }
  }

  /** The scenarios in a scenario or a list of them. Throws InvalidFields with `name` in its messages. */
  read(value: unknown, name: string): Scenario[] {
    try {
      return readScenarios(value).map(({ scenario }) => scenario);
    } catch (error) {
      if (!(error instanceof ScenarioInvalid)) throw error;
      throw new InvalidFields({ scenarios: [`The scenario ${name} is invalid: ${error.message}.`] });
    }
  }

  /** One conversation, when the account has its turn. */
  async one(agent: TestedAgent, scenario: Scenario, options: SimulationOptions): Promise<ChargedSimulation> {
    // A signal with a listener of each of 100 conversations looks like a leak to Node.
    const signal = AbortSignal.any(options.signal ? [options.signal] : []);
    const release = await this.turns.acquire(agent.accountId, signal);
    try {
      return await this.simulations.run(agent, scenario, { ...options, signal });
    } finally {
      release();
    }
  }
}

/** The result of a scenario from those of its conversations. */
function repeatedResult(
  { name, pass_rate: requiredRate }: Pick<Scenario, 'name' | 'pass_rate'>,
  conversations: ChargedSimulation[],
): RepeatedSimulation {
  const passes = conversations.filter(({ passed }) => passed).length;
  return { name, passed: isEnough(passes, conversations.length, requiredRate), passes, requiredRate, conversations };
}

/** Whether so many passes of `all` reach the rate: 19 of 20 reach 0.95 in spite of floating point. */
export const isEnough = (passes: number, all: number, rate: number): boolean => passes + 1e-9 >= rate * all;

/** The conversation that explains the result: the first one that did not pass, otherwise the first. */
export const explaining = ({ conversations }: RepeatedSimulation): ChargedSimulation | undefined =>
  conversations.find(({ passed }) => !passed) ?? conversations[0];

/** A sentence for each expectation that a conversation did not meet, with its place. */
export const failuresOf = ({ steps, checks, rubric }: ChargedSimulation): string[] => [
  ...steps.flatMap(({ step, failures }) => failures.map((failure) => `Step ${step}: ${failure}`)),
  ...checks.flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`)),
  ...(rubric ?? []).filter(({ passed }) => !passed).map(rubricFailure),
];

function rubricFailure({ name, value, unsupported, reason }: RubricAnswer): string {
  if (unsupported) return `${name}: The judge cited no words of the transcript.`;
  return `${name}: The judge answered ${JSON.stringify(value)}. ${reason}`.trim();
}

import { type FieldErrors, withCode } from '@app/common';
import type { Channel } from '@app/agents/scenarios';

export const RUN_STATUSES = ['queued', 'running', 'passed', 'failed', 'error', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** When the webhook of a run is sent. `failure`: unless the run passed. */
export const NOTIFICATIONS = ['failure', 'always'] as const;
export type Notification = (typeof NOTIFICATIONS)[number];

export const CHANNELS = ['text', 'audio', 'sip'] as const satisfies readonly Channel[];

/** Scenarios and conversations of one run. */
const MAX_SCENARIOS = 50;
const MAX_CONVERSATIONS = 1_000;
/** As JSON. */
const MAX_PLAN_LENGTH = 2 * 1024 * 1024;

/** A scenario of a run. */
interface PlannedScenario {
  /** Key of `files`. */
  file: string;
  /** Of the scenarios in the file. */
  index: number;
  /** Name in reports. */
  name: string;
  repeat: number;
  pass_rate: number;
  channel: Channel;
}

/** The stored plan of a run: a copy of the scenarios, so that later changes of the agent do not change it. */
export interface TestPlan {
  /** Empty after the end of the run. */
  files: Record<string, Record<string, unknown>>;
  scenarios: PlannedScenario[];
}

/** A scenario as it is stored with the agent. */
export interface ScenarioFile {
  name: string;
  scenario: Record<string, unknown>;
}

/** Fields of the request that replace those of all scenarios. */
interface PlanOverrides {
  repeat?: number | null;
  passRate?: number | null;
  channel?: Channel | null;
}

type ReadScenario = Pick<PlannedScenario, 'name' | 'repeat' | 'pass_rate' | 'channel'>;

/** The plan of scenarios that have been read, by file. */
export function planOf(read: readonly (ScenarioFile & { read: ReadScenario[] })[], overrides: PlanOverrides): TestPlan {
  return {
    files: Object.fromEntries(read.map(({ name, scenario }) => [name, scenario])),
    scenarios: read.flatMap(({ name: file, read: scenarios }) =>
      scenarios.map(({ name, repeat, pass_rate, channel }, index) => ({
        file,
        index,
        name: name === 'simulation' ? file : name,
        repeat: overrides.repeat ?? repeat,
        pass_rate: overrides.passRate ?? pass_rate,
        channel: overrides.channel ?? channel,
      })),
    ),
  };
}

export const conversationsOf = ({ scenarios }: TestPlan): number =>
  scenarios.reduce((sum, { repeat }) => sum + repeat, 0);

/** Undefined: the plan can be run. */
export function planProblem(plan: TestPlan): FieldErrors | undefined {
  const { length } = plan.scenarios;
  if (length === 0) return { scenarios: [withCode('not_found', 'The agent has no scenarios.')] };
  if (length > MAX_SCENARIOS)
    return {
      scenarios: [
        withCode(
          'too_many',
          `The scenarios field has ${length} scenarios. At most ${MAX_SCENARIOS} can be run together.`,
        ),
      ],
    };
  const conversations = conversationsOf(plan);
  if (conversations > MAX_CONVERSATIONS)
    return {
      repeat: [
        withCode('too_many', `The run has ${conversations} conversations. At most ${MAX_CONVERSATIONS} are possible.`),
      ],
    };
  if (JSON.stringify(plan.files).length > MAX_PLAN_LENGTH)
    return {
      scenarios: [
        withCode('too_long', `The scenarios field must not be longer than ${MAX_PLAN_LENGTH / 1024 / 1024} MB.`),
      ],
    };
  return undefined;
}

/** One conversation of a plan. */
export interface PlannedConversation {
  /** Index in `plan.scenarios`. */
  scenario: number;
  /** From 0. */
  repetition: number;
}

/** The conversations that have no result yet, in the order in which they are played. */
export function openConversations(
  { scenarios }: TestPlan,
  played: readonly PlannedConversation[],
): PlannedConversation[] {
  const done = new Set(played.map(keyOf));
  const all = scenarios.flatMap(({ repeat }, scenario) =>
    Array.from({ length: repeat }, (_, repetition) => ({ scenario, repetition })),
  );
  return all.filter((one) => !done.has(keyOf(one)));
}

const keyOf = ({ scenario, repetition }: PlannedConversation): string => `${scenario}:${repetition}`;

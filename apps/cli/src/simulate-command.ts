import { AccountsModule, AgentsService, type NamedAgent } from '@app/accounts';
import { type Env, UnusableSetting } from '@app/common';
import { EgressModule } from '@app/egress';
import { NoTextMode, SimulationsModule, SimulationsService, SpendLimitReached } from '@app/agents';
import {
  type NamedScenario,
  readScenarioFile,
  ScenarioInvalid,
  type SimulationResult,
  type ToolMode,
} from '@app/sandbox';
import { ProviderUnavailable } from '@app/voice';
import { readFileSync, writeFileSync } from 'node:fs';
import { withSecrets } from './command-context.js';
import { Problem, sentenceFor } from './problem.js';
import type { Builder } from 'junit-report-builder';
import { createRequire } from 'node:module';
import { stringify } from 'yaml';

export interface SimulateOptions {
  account?: string;
  agent?: string;
  tools?: ToolMode;
  /** true: the XML replaces the text on standard output. */
  junit?: string | true;
  json?: boolean;
}

/** Exit codes for build servers. */
const FAILED = 1;
const NOT_PLAYED = 2;

interface Plan extends NamedScenario {
  file: string;
}

/** `trunkline simulate FILE…`: runs scenarios. @returns the exit code: 0 all passed, 1 some failed, 2 some could not run */
export async function simulateCommand(env: Env, files: string[], options: SimulateOptions): Promise<number> {
  try {
    const plans = files.flatMap(plansIn);
    const played = await playAll(env, plans, options);
    report(played, options);
    if (played.some(({ result }) => result.error !== null)) return NOT_PLAYED;
    return played.every(({ result }) => result.passed) ? 0 : FAILED;
  } catch (error) {
    const sentence = isExplained(error) ? error.message : sentenceFor(error);
    console.error(sentence ?? error);
    return NOT_PLAYED;
  }
}

const isExplained = (error: unknown): error is Error =>
  [ProviderUnavailable, NoTextMode, SpendLimitReached, UnusableSetting].some((kind) => error instanceof kind);

function plansIn(file: string): Plan[] {
  try {
    const text = readFileSync(file === '-' ? 0 : file, 'utf8');
    return readScenarioFile(text).map((one) => ({ ...one, file: file === '-' ? 'stdin' : file }));
  } catch (error) {
    if (error instanceof ScenarioInvalid) {
      const lines = Object.entries(error.problems).map(([place, texts]) => `${file}: ${place} ${texts.join(', ')}`);
      throw new Problem(lines.join('\n'), { cause: error });
    }
    throw new Problem(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

async function playAll(env: Env, plans: readonly Plan[], options: SimulateOptions): Promise<Played[]> {
  return withSecrets(env, [EgressModule, AccountsModule, SimulationsModule], async (services) => {
    const [simulations, agents] = [services.get(SimulationsService), services.get(AgentsService)];
    const played: Played[] = [];
    for (const plan of plans) played.push(await playOne(simulations, agents, plan, options));
    return played;
  });
}

async function playOne(
  simulations: SimulationsService,
  agents: AgentsService,
  plan: Plan,
  options: SimulateOptions,
): Promise<Played> {
  const found = await agentOf(agents, options.account ?? plan.account, options.agent ?? plan.agent);
  const scenario = options.tools === undefined ? plan.scenario : { ...plan.scenario, tools: options.tools };
  return { file: plan.file, agent: found.name, scenario, result: await simulations.run(found, scenario) };
}

/** The agent of the scenario or the command line; without a name, the only agent. */
async function agentOf(
  agents: AgentsService,
  account: string | undefined,
  agent: string | number | undefined,
): Promise<NamedAgent> {
  const [found, another] = await agents.named(account, agent === undefined ? undefined : String(agent));
  const name = [
    agent === undefined ? 'no agent' : `no agent "${agent}"`,
    account === undefined ? '' : ` in the account "${account}"`,
  ];
  if (!found) throw new Problem(`There is ${name.join('')}.`);
  if (another)
    throw new Problem(
      `There are several agents${account === undefined ? '' : ` in the account "${account}"`}: choose one with --account and --agent, or in the file.`,
    );
  return found;
}

function report(played: readonly Played[], { junit, json }: SimulateOptions): void {
  if (typeof junit === 'string') writeFileSync(junit, junitOf(played));
  if (junit === true) console.log(junitOf(played));
  else if (json)
    console.log(
      JSON.stringify(
        played.map(({ file, agent, result }) => ({ file, agent, ...result })),
        null,
        2,
      ),
    );
  else console.log(played.flatMap(linesOf).join('\n'));
}

/** By `require`: its types declare a `default` that its CommonJS module does not have. */
const junit = createRequire(import.meta.url)('junit-report-builder') as Builder;

/** A scenario and its result. */
interface Played {
  /** Path of the scenario file. */
  file: string;
  agent: string;
  scenario: NamedScenario['scenario'];
  result: SimulationResult;
}

/** Text output: one line per step, with its failed expectations below. */
function linesOf({ agent, result }: Played): string[] {
  const { name, passed, steps, error, conversationMs, durationMs, recorded } = result;
  const times = `${seconds(conversationMs)} s of conversation in ${seconds(durationMs)} s`;
  return [
    `${passed ? 'passed' : 'FAILED'}  ${name} (${agent}, ${times})`,
    ...(error === null ? [] : [`    ${error}`]),
    ...steps.flatMap((step) => [
      `    ${step.passed ? 'ok    ' : 'not ok'} ${step.step}${step.name === null ? '' : ` ${step.name}`}`,
      ...step.failures.map((failure) => `             ${failure}`),
    ]),
    ...(recorded === null ? [] : ['', stringify({ mocks: recorded }).trimEnd()]),
  ];
}

/** JUnit's XML, as CI servers read it: a suite per file, a case per scenario. */
function junitOf(played: readonly Played[]): string {
  const builder = junit.newBuilder();
  for (const file of new Set(played.map((one) => one.file))) {
    const suite = builder.testSuite().name(file);
    for (const { agent, result } of played.filter((one) => one.file === file)) {
      const test = suite
        .testCase()
        .className(agent)
        .name(result.name)
        .time(result.durationMs / 1_000)
        .standardOutput(transcriptOf(result));
      const failures = result.steps.flatMap((step) => step.failures.map((failure) => `Step ${step.step}: ${failure}`));
      if (result.error !== null) test.error(result.error);
      else if (failures.length > 0) test.failure(failures.join('\n'));
    }
  }
  return builder.build();
}

const transcriptOf = ({ transcript }: SimulationResult): string =>
  transcript.map(({ role, text }) => `${role}: ${text}`).join('\n');

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

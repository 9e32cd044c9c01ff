import { AccountsModule, AccountsService } from '@app/accounts';
import { AgentsService, type NamedAgent } from '@app/agents';
import { type Env, Semaphore, UnusableSetting } from '@app/common';
import { EgressModule } from '@app/egress';
import {
  ChannelUnavailable,
  type ChargedSimulation,
  explaining,
  failuresOf,
  NoTextMode,
  type RepeatedSimulation,
  RepeatedSimulationsService,
  SimulationsModule,
  SpendLimitReached,
  TestCallsModule,
  type TestedAgent,
} from '@app/simulation';
import {
  type NamedScenario,
  readScenarioFile,
  type Scenario,
  ScenarioInvalid,
  type ToolMode,
} from '@app/agents/scenarios';
import { StorageModule } from '@app/storage';
import { ProviderUnavailable } from '@app/voice';
import { opensLoopback, playedVendors } from '../supervisor/child-process.js';
import { runningSipPort } from '../installation-home.js';
import { readFileSync } from 'node:fs';
import { accountIdOf, withSecrets } from '../command-context.js';
import { Problem, sentenceFor, writeOutput } from '../problem.js';
import type { Builder } from 'junit-report-builder';
import { createRequire } from 'node:module';
import { stringify } from 'yaml';

export interface SimulateOptions {
  account?: string;
  agent?: string;
  tools?: ToolMode;
  /** Conversations of each scenario, and the share that must pass. */
  repeat?: number;
  passRate?: number;
  /** Scenarios at once. */
  parallel?: number;
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
    if (played.some(({ result }) => !result.passed && explaining(result)?.error !== null)) return NOT_PLAYED;
    return played.every(({ result }) => result.passed) ? 0 : FAILED;
  } catch (error) {
    const sentence = isExplained(error) ? error.message : sentenceFor(error);
    console.error(sentence ?? error);
    return NOT_PLAYED;
  }
}

const isExplained = (error: unknown): error is Error =>
  [ProviderUnavailable, NoTextMode, ChannelUnavailable, SpendLimitReached, UnusableSetting].some(
    (kind) => error instanceof kind,
  );

function plansIn(file: string): Plan[] {
  try {
    const text = readFileSync(file === '-' ? 0 : file, 'utf8');
    return readScenarioFile(text, { allowsTarget: true }).map((one) => ({
      ...one,
      file: file === '-' ? 'stdin' : file,
    }));
  } catch (error) {
    if (error instanceof ScenarioInvalid) {
      const lines = Object.entries(error.problems).map(([place, texts]) => `${file}: ${place} ${texts.join(', ')}`);
      throw new Problem(lines.join('\n'), { cause: error });
    }
    throw new Problem(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** The settings of the processes of an installation that `npm start` runs on this machine, as tester callers need them. */
function asInstalled(env: Env): Env {
  const sipPort = runningSipPort(env);
  return {
    ...env,
    ...playedVendors(env),
    ...(opensLoopback(env, env.SIP_ALLOW_CIDRS) && { SIP_ALLOW_CIDRS: ['127.0.0.0/8'] }),
    ...(env.TESTER_TARGET === undefined && sipPort && { TESTER_TARGET: `127.0.0.1:${sipPort}` }),
  };
}

/** A scenario holds a session with its provider; more at once run into the limits of the vendor. */
const USUALLY_PARALLEL = 4;

async function playAll(env: Env, plans: readonly Plan[], options: SimulateOptions): Promise<Played[]> {
  return withSecrets(
    asInstalled(env),
    [EgressModule, StorageModule, AccountsModule, SimulationsModule, TestCallsModule],
    async (services) => {
      const simulations = services.get(RepeatedSimulationsService);
      const records = { accounts: services.get(AccountsService), agents: services.get(AgentsService) };
      const turns = new Semaphore(options.parallel ?? USUALLY_PARALLEL);
      const playing = plans.map(async (plan) => {
        const release = await turns.acquire();
        try {
          return await playOne(simulations, await testedAgent(records, plan, options), plan, options);
        } finally {
          release();
        }
      });
      // All end before the services are closed.
      await Promise.allSettled(playing);
      return Promise.all(playing);
    },
  );
}

async function playOne(
  simulations: RepeatedSimulationsService,
  agent: NamedTarget,
  plan: Plan,
  options: SimulateOptions,
): Promise<Played> {
  const scenario: Scenario = {
    ...plan.scenario,
    ...(options.tools && { tools: options.tools }),
    ...(options.repeat !== undefined && { repeat: options.repeat }),
    ...(options.passRate !== undefined && { pass_rate: options.passRate }),
  };
  return { file: plan.file, agent: agent.name, scenario, result: await simulations.run(agent, scenario) };
}

type NamedTarget = TestedAgent & Pick<NamedAgent, 'name'>;

/** The agent of the scenario. The account of a target outside of Trunkline pays for its transcriber. */
async function testedAgent(
  { accounts, agents }: { accounts: AccountsService; agents: AgentsService },
  plan: Plan,
  options: SimulateOptions,
): Promise<NamedTarget> {
  const account = options.account ?? plan.account;
  const { target } = plan.scenario;
  if (target === undefined) return agentOf(agents, account, options.agent ?? plan.agent);
  return { accountId: await accountIdOf(accounts, account), name: target };
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
  if (junit === true) console.log(junitOf(played));
  else if (json) console.log(JSON.stringify(played.map(jsonOf), null, 2));
  else console.log([...played.flatMap(linesOf), ...summaryOf(played)].join('\n'));
  if (typeof junit === 'string') writeOutput(junit, junitOf(played));
}

/** The explaining conversation as before repetitions existed, and all conversations of a repeated scenario. */
function jsonOf({ file, agent, result }: Played): object {
  const { passed, passes, requiredRate, conversations } = result;
  const repeated = { repeat: conversations.length, passes, pass_rate: requiredRate };
  return {
    file,
    agent,
    ...explaining(result),
    passed,
    ...repeated,
    ...(conversations.length > 1 && { conversations }),
  };
}

function summaryOf(played: readonly Played[]): string[] {
  if (played.length < 2 && (played[0]?.result.conversations.length ?? 0) < 2) return [];
  const passed = played.filter(({ result }) => result.passed).length;
  const conversations = played.flatMap(({ result }) => result.conversations);
  const flaky = played.filter(({ result }) => isFlaky(result)).length;
  return [
    '',
    `${passed} of ${played.length} scenarios passed, ${conversations.filter((one) => one.passed).length} of ${conversations.length} conversations` +
      `${flaky > 0 ? `, ${flaky} flaky` : ''}.`,
  ];
}

/** It passed, and not all of its conversations did. */
const isFlaky = ({ passed, passes, conversations }: RepeatedSimulation): boolean =>
  passed && passes < conversations.length;

/** By `require`: its types declare a `default` that its CommonJS module does not have. */
const junit = createRequire(import.meta.url)('junit-report-builder') as Builder;

/** A scenario and its result. */
interface Played {
  /** Path of the scenario file. */
  file: string;
  agent: string;
  scenario: Scenario;
  result: RepeatedSimulation;
}

/** Text output: one line per step and check of the explaining conversation, with its failed expectations below. */
function linesOf({ agent, result }: Played): string[] {
  const shown = explaining(result);
  if (!shown) return [];
  const { steps, checks, rubric, error, conversationMs, durationMs, recorded } = shown;
  const all = result.conversations.length;
  const times = `${seconds(conversationMs)} s of conversation in ${seconds(durationMs)} s`;
  const rate =
    all === 1 ? times : `${result.passes} of ${all} passed, ${Math.round(result.requiredRate * 100)} % required`;
  return [
    `${result.passed ? 'passed' : 'FAILED'}  ${result.name} (${agent}, ${rate})`,
    ...(error === null ? [] : [`    ${error}`]),
    ...steps.flatMap(({ step, name, passed, failures }) =>
      checkLines(`${step}${name === null ? '' : ` ${name}`}`, passed, failures),
    ),
    ...checks.flatMap(({ name, passed, failures }) => checkLines(name, passed, failures)),
    ...(rubric ?? []).flatMap(({ name, value, passed, reason }) =>
      checkLines(`${name}: ${JSON.stringify(value)}`, passed, passed ? [] : [reason]),
    ),
    ...(recorded === null ? [] : ['', stringify({ mocks: recorded }).trimEnd()]),
  ];
}

const checkLines = (label: string, passed: boolean, failures: readonly string[]): string[] => [
  `    ${passed ? 'ok    ' : 'not ok'} ${label}`,
  ...failures.map((failure) => `             ${failure}`),
];

/** JUnit's XML, as CI servers read it: a suite per file, a case per scenario with all its conversations. */
function junitOf(played: readonly Played[]): string {
  const builder = junit.newBuilder();
  for (const file of new Set(played.map((one) => one.file))) {
    const suite = builder.testSuite().name(file);
    for (const { agent, result } of played.filter((one) => one.file === file)) {
      const { conversations, passes, requiredRate } = result;
      const shown = explaining(result);
      const test = suite
        .testCase()
        .className(agent)
        .name(result.name)
        .time(conversations.reduce((sum, one) => sum + one.durationMs, 0) / 1_000)
        .standardOutput(conversations.map(outputOf).join('\n\n'));
      if (conversations.length > 1) {
        test.property('repetitions', String(conversations.length));
        test.property('passes', String(passes));
        test.property('required_rate', String(requiredRate));
        test.property('flaky', String(isFlaky(result)));
      }
      if (result.passed || !shown) continue;
      if (shown.error !== null) test.error(shown.error);
      else test.failure(failureText(result));
    }
  }
  return builder.build();
}

function failureText({ conversations, passes }: RepeatedSimulation): string {
  if (conversations.length === 1) return conversations.flatMap(failuresOf).join('\n');
  const each = conversations.flatMap((one, index) =>
    one.passed ? [] : [`Conversation ${index + 1}: ${one.error ?? failuresOf(one).join(' ')}`],
  );
  return [`${passes} of ${conversations.length} conversations passed.`, ...each].join('\n');
}

const outputOf = (result: ChargedSimulation, index: number, { length }: ChargedSimulation[]): string =>
  [
    ...(length > 1 ? [`Conversation ${index + 1}: ${result.passed ? 'passed' : 'failed'}`] : []),
    ...result.transcript.map(({ role, text }) => `${role}: ${text}`),
  ].join('\n');

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

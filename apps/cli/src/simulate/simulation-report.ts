import type { NamedScenario, SimulationResult } from '@app/sandbox';
import type { Builder } from 'junit-report-builder';
import { createRequire } from 'node:module';
import { stringify } from 'yaml';

/** By `require`: its types declare a `default` that its CommonJS module does not have. */
const junit = createRequire(import.meta.url)('junit-report-builder') as Builder;

/** A scenario that was played. */
export interface Played {
  /** The file that it stands in. */
  file: string;
  agent: string;
  scenario: NamedScenario['scenario'];
  result: SimulationResult;
}

/** For people: one line per step, what was not met below it. */
export function linesOf({ agent, result }: Played): string[] {
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
export function junitOf(played: readonly Played[]): string {
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

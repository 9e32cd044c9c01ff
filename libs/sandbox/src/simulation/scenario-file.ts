import { parse } from 'yaml';
import { z } from 'zod';
import { problemsOf, readScenario, ScenarioInvalid, type Scenario } from './scenario.js';

const MOST_SCENARIOS = 200;

export interface NamedScenario {
  /** Absent: the account of the command line. */
  account?: string;
  /** Its name or its id. */
  agent?: string | number;
  scenario: Scenario;
}

const whose = { account: z.string().min(1).optional(), agent: z.union([z.string().min(1), z.int().min(1)]).optional() };
const fileSchema = z.strictObject({
  ...whose,
  scenarios: z.array(z.looseObject(whose)).min(1, 'needs a scenario').max(MOST_SCENARIOS),
});

/** Reads YAML or JSON: one scenario, or `scenarios` with their common fields. @throws ScenarioInvalid */
export function readScenarioFile(yaml: string): NamedScenario[] {
  const content = parsed(yaml);
  const isList = typeof content === 'object' && content !== null && 'scenarios' in content;
  if (!isList) return [named(content, {}, '')];
  const read = fileSchema.safeParse(content);
  if (!read.success) throw new ScenarioInvalid(problemsOf(read.error.issues));
  const { scenarios, ...common } = read.data;
  return scenarios.map((one, index) => named(one, common, `scenarios.${index}.`));
}

function parsed(yaml: string): unknown {
  try {
    return parse(yaml, { maxAliasCount: 100 });
  } catch (error) {
    throw new ScenarioInvalid({ '': [`is no YAML: ${(error as Error).message.split('\n')[0] ?? ''}`] });
  }
}

function named(content: unknown, common: Omit<NamedScenario, 'scenario'>, place: string): NamedScenario {
  const read = z.looseObject(whose).safeParse(content);
  if (!read.success) throw placed(new ScenarioInvalid(problemsOf(read.error.issues)), place);
  const { account = common.account, agent = common.agent, ...scenario } = read.data;
  try {
    return { account, agent, scenario: readScenario(scenario) };
  } catch (error) {
    throw error instanceof ScenarioInvalid ? placed(error, place) : error;
  }
}

const placed = ({ problems }: ScenarioInvalid, place: string): ScenarioInvalid =>
  new ScenarioInvalid(Object.fromEntries(Object.entries(problems).map(([path, texts]) => [`${place}${path}`, texts])));

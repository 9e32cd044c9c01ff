import { readScenarios, ScenarioInvalid } from './scenarios/scenario.js';

/** The problems of a script of the sandbox agent. The sandbox is loaded with the first script. */
export async function findScriptProblems(script: unknown): Promise<string[]> {
  const { scriptProblems } = await import('./sandbox-script.js');
  return scriptProblems(script);
}

/** The problems of a scenario, or of a list of scenarios, by the path of the field. */
export function findScenarioProblems(scenario: unknown): Record<string, string[]> {
  try {
    readScenarios(scenario);
    return {};
  } catch (error) {
    if (error instanceof ScenarioInvalid) return error.problems;
    throw error;
  }
}

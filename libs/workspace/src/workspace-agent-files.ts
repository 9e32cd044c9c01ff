import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { type AgentNode, findScriptProblems } from '@app/agents';
import { readScenarios, ScenarioInvalid } from '@app/agents/scenarios';
import type { ApplyContext } from './workspace-file.js';

/**
 * The script of a scripted agent, from the workspace file or from a YAML file whose path it gives. null removes the script; undefined:
 * the file has no such key. Throws WorkspaceError.
 */
export async function readScript(context: ApplyContext, { script }: AgentNode, at: number): Promise<unknown> {
  if (script === undefined || script === null) return script;
  const path = ['accounts', context.index, 'agents', at, 'script'];
  const read = typeof script === 'string' ? yamlFileIn(context, script, path) : script;
  const problems = await findScriptProblems(read);
  if (problems.length > 0) throw context.file.fault(path, problems.join('; '));
  return read;
}

/**
 * The scenarios of an agent: those of the file, and the scenario files that `publish_requires` names by their paths. undefined: the file
 * has neither. Throws WorkspaceError.
 */
export function collectScenarios(
  context: ApplyContext,
  { scenarios, publish_requires: required }: AgentNode,
  at: number,
): AgentNode['scenarios'] {
  if (scenarios === undefined && required === undefined) return undefined;
  const given = scenarios ?? [];
  const paths = (required ?? []).filter((name) => !given.some((one) => one.name === name));
  const place = ['accounts', context.index, 'agents', at];
  const read = paths.map((name) => {
    const path = [...place, 'publish_requires', (required ?? []).indexOf(name)];
    return { name, scenario: yamlFileIn(context, name, path) as Record<string, unknown> };
  });
  const all = [...given, ...read];
  for (const { name, scenario } of all) {
    const [key, index] = given.some((one) => one.name === name)
      ? ['scenarios', given.findIndex((one) => one.name === name)]
      : ['publish_requires', (required ?? []).indexOf(name)];
    try {
      readScenarios(scenario);
    } catch (error) {
      if (!(error instanceof ScenarioInvalid)) throw error;
      throw context.file.fault([...place, key, index], error.message);
    }
  }
  return all;
}

function yamlFileIn({ file, folder }: ApplyContext, name: string, path: PropertyKey[]): unknown {
  try {
    return parse(readFileSync(resolve(folder, name), 'utf8'), { maxAliasCount: 100 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw file.fault(
      path,
      code === undefined ? `is not valid YAML: ${message}` : `names a file that cannot be read (${code})`,
    );
  }
}

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import type { ApplyWork } from './apply-work.js';
import type { AgentNode } from './workspace-schema.js';

/** Why a script cannot be played, each problem with its place in it; empty: it can. */
export type ScriptProblems = (script: unknown) => string[];

/**
 * What a scripted agent says and does: as it stands in the file, or in a YAML file beside it whose path is given. Null: no script
 * any more; undefined: the file says nothing about it. Throws WorkspaceError.
 */
export function scriptOf(work: ApplyWork, { script }: AgentNode, at: number): unknown {
  if (script === undefined || script === null) return script;
  const path = ['accounts', work.index, 'agents', at, 'script'];
  const read = typeof script === 'string' ? scriptIn(work, script, path) : script;
  const problems = work.scriptProblems(read);
  if (problems.length > 0) throw work.file.fault(path, problems.join('; '));
  return read;
}

function scriptIn(work: ApplyWork, name: string, path: PropertyKey[]): unknown {
  try {
    return parse(readFileSync(resolve(work.folder, name), 'utf8'), { maxAliasCount: 100 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw work.file.fault(
      path,
      code === undefined ? `is no YAML: ${message}` : `names a file that cannot be read (${code})`,
    );
  }
}

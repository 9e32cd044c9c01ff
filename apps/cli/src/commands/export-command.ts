import { WorkspaceExportService, workspaceJsonSchema, workspaceReference, WorkspaceModule } from '@app/workspace';
import type { Env } from '@app/common';
import { EgressModule } from '@app/egress';
import { StorageModule } from '@app/storage';
import { withSecrets } from '../command-context.js';
import { Problem, writeOutput } from '../problem.js';

/** `trunkline export`: a workspace file of one account or of all. */
export async function exportCommand(env: Env, options: { account?: string; output?: string }): Promise<void> {
  const { account, output } = options;
  const yaml = await withSecrets(env, [WorkspaceModule, EgressModule, StorageModule], (services) =>
    services.get(WorkspaceExportService).export(account),
  );
  if (yaml === undefined)
    throw new Problem(account === undefined ? 'There are no accounts yet.' : `There is no account "${account}".`);
  if (output === undefined) return void process.stdout.write(yaml);
  writeOutput(output, yaml);
  console.log(`${output} is written.`);
}

/** `trunkline workspace-schema`. */
export function workspaceSchemaCommand({ reference = false }: { reference?: boolean }): void {
  process.stdout.write(reference ? workspaceReference() : `${JSON.stringify(workspaceJsonSchema(), null, 2)}\n`);
}

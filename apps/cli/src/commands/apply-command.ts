import { type PendingPublication, providerProblems } from '@app/agents';
import { WorkspaceService, type WorkspaceTree, WorkspaceModule } from '@app/workspace';
import { StorageModule } from '@app/storage';
import { Encryption, type Env } from '@app/common';
import { Database } from '@app/database';
import { RequiredScenariosService, SimulationsModule } from '@app/simulation';
import { EgressModule } from '@app/egress';
import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { dialerSettings } from '../agent-providers.js';
import { appliedLines, appliedRecords, planLines } from './apply-report.js';
import { operator, withSecrets, withServices } from '../command-context.js';
import { checkKey } from '../installation.js';
import { secretKey } from '../installation-home.js';
import { Problem } from '../problem.js';

export interface ApplyOptions {
  file: string;
  dryRun?: boolean;
  prune?: boolean;
  json?: boolean;
}

const MODULES = [WorkspaceModule, EgressModule, StorageModule];

/** `trunkline apply -f FILE`; `-` is standard input. Prints every record with its id, or the tree as JSON. */
export async function applyCommand(env: Env, options: ApplyOptions): Promise<void> {
  const { dryRun = false, prune = false } = options;
  const text = await read(options.file);
  const settings = { ...env, SECRET_KEY: secretKey(env) };
  const report = await withServices(settings, MODULES, async (services) => {
    await checkKey(services.get(Database).pool, services.get(Encryption));
    const fileName = options.file === '-' ? 'stdin' : options.file;
    const play = (pending: PendingPublication) => playScenarios(settings, pending);
    return services.get(WorkspaceService).apply(text, fileName, { play, actor: operator(), dryRun, prune });
  });
  for (const warning of await providerWarnings(env, report)) console.error(warning);
  if (options.json) return console.log(JSON.stringify(dryRun ? report : appliedRecords(report), null, 2));
  console.log((dryRun ? planLines(report) : appliedLines(report)).join('\n'));
}

/** Opens what simulations need only when an agent requires scenarios. @returns the problems of those that failed */
const playScenarios = (env: Env, pending: PendingPublication): Promise<string[]> =>
  withSecrets(env, [EgressModule, StorageModule, SimulationsModule], (services) =>
    services.get(RequiredScenariosService).play(pending),
  );

/** Warnings only: the dialer may run elsewhere with other settings, and a call that fails reports the problem again. */
async function providerWarnings(env: Env, { accounts }: WorkspaceTree): Promise<string[]> {
  const settings = dialerSettings(env);
  const warnings: string[] = [];
  for (const { name, provider, model, pipeline, fallbacks } of accounts.flatMap(({ agents }) => agents)) {
    if (provider === undefined) continue;
    const others = (fallbacks ?? []).map((one) => ({
      provider: one.provider,
      model: one.model ?? undefined,
      pipeline: one.pipeline ?? undefined,
    }));
    const options = { model: model ?? undefined, pipeline: pipeline ?? undefined, fallbacks: others };
    const problems = await providerProblems({ provider, options }, settings);
    warnings.push(...problems.map((problem) => `warning: agent ${name}: ${problem}`));
  }
  return warnings;
}

/** Standard input is read as a stream: the pipe of `docker compose exec -T` or `kubectl exec -i` may deliver it in parts. */
async function read(file: string): Promise<string> {
  try {
    return await (file === '-' ? textOf(process.stdin) : readFile(file, 'utf8'));
  } catch (error) {
    throw new Problem(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

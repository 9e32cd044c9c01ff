import { createLog, type Env, givenSecrets, missingSecrets, surplusSecrets } from '@app/common';
import { entryOf, type Role } from './child-process.js';

/** They need no database, and stay small without what prepares the others. */
const WITHOUT_DATABASE: readonly Role[] = ['phone', 'embedder'];

/**
 * Runs one role in this process, as in production: its program owns signals and exit code from here on. The database must be migrated
 * (`trunkline migrate`). Throws Problem when the database or the key is missing or wrong.
 */
export async function startRole(role: Role, env: Env): Promise<void> {
  reportSecrets(role, env);
  if (!WITHOUT_DATABASE.includes(role)) await (await import('./role-preparation.js')).prepareRole(env);
  await import(entryOf(role).href);
}

/** In the log of the role: what it lacks fails later, and what it does not read belongs to other processes. */
function reportSecrets(role: Role, env: Env): void {
  const log = createLog({ level: env.LOG_LEVEL, role });
  for (const { names, setting } of missingSecrets(role, env))
    log.warn({ secrets: names, setting }, 'a setting needs a secret that this process does not have');
  const surplus = surplusSecrets(role, givenSecrets());
  if (surplus.length > 0) log.info({ secrets: surplus }, 'this process has secrets that its role does not read');
}

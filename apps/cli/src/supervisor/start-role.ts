import type { Env } from '@app/common';
import { entryOf, type Role } from './child-process.js';

/** They need no database, and stay small without what prepares the others. */
const WITHOUT_DATABASE: readonly Role[] = ['phone', 'embedder'];

/**
 * Runs one role in this process, as in production: its program owns signals and exit code from here on. The database must be migrated
 * (`trunkline migrate`). Throws Problem when the database or the key is missing or wrong.
 */
export async function startRole(role: Role, env: Env): Promise<void> {
  if (!WITHOUT_DATABASE.includes(role)) await (await import('./role-preparation.js')).prepareRole(env);
  await import(entryOf(role).href);
}

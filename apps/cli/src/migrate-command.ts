import type { Env } from '@app/common';
import { migrate } from '@app/database';
import { prepareQueueSchema } from '@app/queue';
import { asOwner } from './database-roles.js';
import { databaseUrl } from './instance.js';

/** Brings the database to this release, with the tables of the queue unless a Redis has it. @returns the migrations that were run. */
export const migrateAll = (url: string, { QUEUE_URL: redis }: Pick<Env, 'QUEUE_URL'>): Promise<string[]> =>
  asOwner('migrate', async () => {
    const names = await migrate(url);
    if (redis === undefined) await prepareQueueSchema(url);
    return names;
  });

export async function migrateCommand(env: Env): Promise<void> {
  const names = await migrateAll(databaseUrl(env), env);
  console.log(names.length > 0 ? names.join('\n') : 'The database is up to date.');
}

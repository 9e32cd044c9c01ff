import type { Env } from '@app/common';
import { migrate } from '@app/db';
import { databaseUrl } from './instance.js';

export async function migrateCommand(env: Env): Promise<void> {
  const names = await migrate(databaseUrl(env));
  console.log(names.length > 0 ? names.join('\n') : 'The database is up to date.');
}

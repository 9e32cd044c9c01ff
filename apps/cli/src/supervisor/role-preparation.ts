import { EgressModule } from '@app/egress';
import { StorageModule } from '@app/storage';
import { WorkspaceModule } from '@app/workspace';
import { AuthModule } from '@app/auth';
import { Encryption, type Env } from '@app/common';
import { poolOf } from '@app/database';
import { prepareQueueSchema } from '@app/queue';
import { withServices } from '../command-context.js';
import { asServer, bootstrap, checkKey, requirePrivileges, schemasOf, withDatabase } from '../installation.js';
import { databaseUrl, secretKey } from '../installation-home.js';

/** Checks database and key before a role starts on them, and issues BOOTSTRAP_TOKEN. Throws Problem when they are missing or wrong. */
export const prepareRole = (env: Env): Promise<void> => asServer(() => prepare(env));

async function prepare(env: Env): Promise<void> {
  const url = databaseUrl(env);
  const key = secretKey(env);
  const encryption = new Encryption(key, env.SECRET_KEY_FALLBACKS);
  await withDatabase(url, async (dataSource) => {
    await requirePrivileges(poolOf(dataSource), schemasOf(env));
    await checkKey(poolOf(dataSource), encryption);
  });
  const { BOOTSTRAP_TOKEN: token, BOOTSTRAP_ACCOUNT: account } = env;
  if (token)
    await withServices(
      { ...env, DATABASE_URL: url, SECRET_KEY: key },
      [EgressModule, StorageModule, WorkspaceModule, AuthModule],
      (services) => bootstrap(services, { token, account }),
    );
  if (env.QUEUE_URL === undefined) await prepareQueueSchema(url);
  process.env.DATABASE_URL = url;
  process.env.SECRET_KEY = key;
  // The values above may come from these files.
  delete process.env.DATABASE_URL_FILE;
  delete process.env.SECRET_KEY_FILE;
}

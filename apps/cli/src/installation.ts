import { AccountsService, WorkspaceService } from '@app/accounts';
import { SCOPES, TokensService } from '@app/auth';
import type { Encryption } from '@app/common';
import { dataSourceOptions, type Sql } from '@app/database';
import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { keepKeyFingerprint } from './installation.repository.js';
import { Problem } from './problem.js';

/** Opens the database for one piece of work and closes it again. */
export async function withDatabase<T>(url: string, work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const dataSource = await new DataSource(dataSourceOptions(url, 2)).initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/**
 * Stores the fingerprint of the key at the first start. Later it throws Problem when the key is another one: stored secrets could not be
 * decrypted, and new ones would be unreadable for the other processes.
 */
export async function checkKey(sql: Sql, encryption: Encryption): Promise<void> {
  const fingerprint = await keepKeyFingerprint(sql, encryption.fingerprint);
  if (fingerprint === undefined || encryption.fingerprints.includes(fingerprint)) return;
  throw new Problem(
    'SECRET_KEY is not the key that the secrets in this database are sealed with. Set the SECRET_KEY it was started with ' +
      '(an embedded installation keeps it in the file secret-key of its home).',
  );
}

/** Creates a first account with a token that the operator chose, when the database has no account yet. */
export async function bootstrap(
  services: INestApplicationContext,
  { token, account: name }: { token: string; account: string },
): Promise<void> {
  if (await services.get(AccountsService).any()) return;
  const file = JSON.stringify({ accounts: [{ name }] });
  const { accounts } = await services.get(WorkspaceService).apply(file, 'BOOTSTRAP_ACCOUNT');
  const [account] = accounts;
  // Of several processes that start at once, one created the account.
  if (account?.result !== 'created') return;
  await services.get(TokensService).issue({ accountId: account.id, name: 'bootstrap', scopes: SCOPES, token });
}

import { applyWorkspace, issueToken, SCOPES } from '@app/accounts';
import type { Encryption } from '@app/common';
import { dataSourceOptions, poolOf, rows, type Sql } from '@app/database';
import { DataSource } from 'typeorm';
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
 * Notes which key this database's secrets are sealed with, the first time; later throws Problem when the key is another one:
 * passwords and webhook secrets could not be opened, and new ones would be unreadable for the other processes.
 */
export async function checkKey(sql: Sql, encryption: Encryption): Promise<void> {
  const note = 'INSERT INTO installation (key_fingerprint) VALUES ($1) ON CONFLICT DO NOTHING';
  await sql.query(note, [encryption.fingerprint]);
  const [row] = await rows<{ key_fingerprint: string }>(sql, { text: 'SELECT key_fingerprint FROM installation' });
  if (row && encryption.fingerprints.includes(row.key_fingerprint)) return;
  throw new Problem(
    'SECRET_KEY is not the key that the secrets in this database are sealed with. Set the SECRET_KEY it was started with ' +
      '(an embedded installation keeps it in the file secret-key of its home).',
  );
}

export async function hasAccount(sql: Sql): Promise<boolean> {
  return (await rows(sql, { text: 'SELECT 1 FROM accounts LIMIT 1' })).length > 0;
}

/** Makes a first account with a token that the operator chose, when the database has no account yet. */
export async function bootstrap(
  dataSource: DataSource,
  encryption: Encryption,
  { token, account: name }: { token: string; account: string },
): Promise<void> {
  if (await hasAccount(poolOf(dataSource))) return;
  const { accounts } = await applyWorkspace(
    dataSource,
    encryption,
    JSON.stringify({ accounts: [{ name }] }),
    'BOOTSTRAP_ACCOUNT',
  );
  const [account] = accounts;
  // Of several processes that start at once, one created the account.
  if (account?.result !== 'created') return;
  await issueToken(dataSource, { accountId: account.id, name: 'bootstrap', scopes: SCOPES, token });
}

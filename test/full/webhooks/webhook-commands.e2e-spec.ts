import { Encryption } from '@app/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type CommandOutput, runCommand } from '../../support/run-command.js';
import { currentSecrets, WebhookAccount } from '../../support/webhook-account.js';

const SECRET_KEY = 'the secret key of the tests, 32+ characters';
const encryption = new Encryption(SECRET_KEY);
let database: TestDatabase;
let pool: Pool;
let account: WebhookAccount;
let name: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 2 });
  // The database is dropped while the server still reads our goodbye.
  pool.on('error', () => undefined);
  account = await WebhookAccount.create(pool, encryption);
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM accounts WHERE id = $1', [account.id]);
  name = rows[0]!.name;
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const webhooks = (...words: string[]): Promise<CommandOutput> =>
  runCommand(['webhooks', ...words], { DATABASE_URL: database.url, SECRET_KEY });

describe('bin/trunkline webhooks', () => {
  it('rotate-secret prints a new secret once, which signs beside the previous one', async () => {
    const older = await account.addSecret();
    const { code, stdout, stderr } = await webhooks('rotate-secret', '--account', name, '--overlap-hours', '2');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^whsec_[\w+/]{43}=\n$/)]);
    expect(await currentSecrets(pool, encryption, account.id)).toEqual([stdout.trim(), older]);
    const { rows: ending } = await pool.query<{ hours: number }>(
      `SELECT (extract(epoch FROM expires_at - now()) / 3600)::float AS hours FROM webhook_secrets
        WHERE account_id = $1 AND expires_at IS NOT NULL`,
      [account.id],
    );
    const hoursLeft = ending[0]!.hours;
    expect(hoursLeft).toBeGreaterThan(1.5);
    expect(hoursLeft).toBeLessThanOrEqual(2);
    expect(stderr).toContain('also signs until');
    const { rows } = await pool.query('SELECT action, actor_kind, details FROM audit_events WHERE account_id = $1', [
      account.id,
    ]);
    expect(rows).toEqual([{ action: 'webhook_secret.rotated', actor_kind: 'cli', details: {} }]);
  });

  it('rotate-secret rejects an invalid overlap and an unknown account', async () => {
    const [late, unknown] = await Promise.all([
      webhooks('rotate-secret', '--account', name, '--overlap-hours', '169'),
      webhooks('rotate-secret', '--account', 'nobody'),
    ]);
    expect(late).toEqual({ code: 1, stdout: '', stderr: '--overlap-hours must be between 0 and 168.\n' });
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no account "nobody"')]);
  });

  it('endpoints lists endpoints, with the reason of disabled ones', async () => {
    await pool.query(
      `INSERT INTO webhook_endpoints (account_id, url, disabled_at, disabled_reason, last_status)
       VALUES ($1, 'https://example.com/gone', '2026-01-02T03:04:05Z', 'gone', 410), ($1, 'https://example.com/well', NULL, NULL, 200)`,
      [account.id],
    );
    const [all, disabled] = await Promise.all([
      webhooks('endpoints', '--account', name),
      webhooks('endpoints', '--account', name, '--state', 'disabled', '--json'),
    ]);
    const gone = 'https://example.com/gone  disabled  gone, since 2026-01-02T03:04:05.000+00:00  last status 410';
    expect(all.stdout.split('\n').map((line) => line.replace(/^\d+ {2}/, ''))).toEqual([
      'https://example.com/well  active  healthy  last status 200',
      gone,
      '',
    ]);
    expect(JSON.parse(disabled.stdout)).toMatchObject([{ url: 'https://example.com/gone', disabled_reason: 'gone' }]);
  });
});

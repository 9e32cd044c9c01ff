import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Pool } from 'pg';
import { parse } from 'yaml';
import { aCall } from '../../support/factories.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type CommandOutput, runCommand } from '../../support/run-command.js';

const SECRET_KEY = 'the secret key of the tests, 32+ characters';

let database: TestDatabase;
let pool: Pool;
let folder: string;
let empty: TestDatabase;

beforeAll(async () => {
  [database, empty] = [await createTestDatabase(), await createTestDatabase()];
  pool = new Pool({ connectionString: database.url, max: 2 });
  folder = await mkdtemp(join(tmpdir(), 'trunkline-workspace-'));
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
  await empty?.drop();
  await rm(folder, { recursive: true, force: true });
});

const trunkline = (words: string[], databaseUrl = database.url): Promise<CommandOutput> =>
  runCommand(words, { DATABASE_URL: databaseUrl, QUEUE_URL: '', SECRET_KEY, TRUNKLINE_HOME: folder });

async function fileOf(text: string): Promise<string> {
  const path = join(folder, 'workspace.yaml');
  await writeFile(path, text);
  return path;
}

const applied = async (text: string, ...flags: string[]): Promise<CommandOutput> =>
  trunkline(['apply', '-f', await fileOf(text), ...flags]);

const workspace = ({ name, more = '' }: { name: string; more?: string }): string => `
accounts:
  - name: ${name}
    limits: { concurrent_calls: 5 }
    numbers: [{ name: main, e164: "+15550001111", agent: Receptionist }]
    trunks:
      - { name: carrier, host: sip.example.net, username: u, password: pa55word, headers: { X-Order: order } }
    agents:
      - name: Receptionist
        greeting: Hello.
        post_call_webhook: { url: "https://hooks.example.com/a", headers: [{ key: X-Key, value: header5ecret }] }
        call_transfer: { enabled: true, phone_number: "+15550002222", caller_id_number: main }
${more}`;

async function accountId(name: string): Promise<number> {
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM accounts WHERE name = $1', [name]);
  return rows[0]?.id ?? 0;
}

describe('trunkline apply --dry-run', () => {
  it('shows what would be created and stores nothing', async () => {
    const { code, stdout } = await applied(workspace({ name: 'dry' }), '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain('account dry: would be created');
    expect(stdout).toContain('dry: agent Receptionist: would be created\n');
    expect(stdout).toContain('    greeting: "Hello."');
    expect(stdout).toContain('    password: changed (secret)');
    expect(stdout).not.toMatch(/pa55word|header5ecret/);
    expect(await accountId('dry')).toBe(0);
    const json = JSON.parse((await applied(workspace({ name: 'dry' }), '--dry-run', '--json')).stdout) as object;
    expect(json).toMatchObject({
      changes: expect.arrayContaining([expect.objectContaining({ fields: expect.any(Array) })]),
    });
  });
});

describe('trunkline apply --prune', () => {
  const small = (name: string) => `accounts: [{ name: ${name}, agents: [{ name: Receptionist }] }]`;

  it('deletes what the file does not name, after a dry run has shown it, and nothing without the flag', async () => {
    await applied(workspace({ name: 'pruned', more: '      - name: Second' }));
    const counts = async () => {
      const id = await accountId('pruned');
      const { rows } = await pool.query(
        `SELECT (SELECT count(*)::int FROM agents WHERE account_id = $1) AS agents,
          (SELECT count(*)::int FROM phone_numbers WHERE account_id = $1) AS numbers,
          (SELECT count(*)::int FROM sip_trunks WHERE account_id = $1) AS trunks`,
        [id],
      );
      return rows[0] as object;
    };
    await applied(small('pruned'));
    const plan = await applied(small('pruned'), '--dry-run', '--prune');
    expect(plan.stdout.split('\n')).toEqual([
      'pruned: number main: would be deleted',
      'pruned: trunk carrier: would be deleted',
      'pruned: agent Second: would be deleted',
      '',
    ]);
    expect(await counts()).toEqual({ agents: 2, numbers: 1, trunks: 1 });
    const { code, stdout } = await applied(small('pruned'), '--prune');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/pruned: agent Second: id \d+, deleted/)]);
    expect(await counts()).toEqual({ agents: 1, numbers: 0, trunks: 0 });
  });

  it('deletes an agent with its knowledge bases and their files, unless other agents search them', async () => {
    const second = '      - name: Second\n      - name: Third';
    await applied(workspace({ name: 'knowing', more: second }));
    const id = await accountId('knowing');
    const { rows: agents } = await pool.query<{ id: number; name: string }>(
      `SELECT id, name FROM agents WHERE account_id = $1 AND name <> 'Receptionist' ORDER BY name`,
      [id],
    );
    const key = `knowledge/${id}/prices.txt`;
    await mkdir(join(folder, 'storage', dirname(key)), { recursive: true });
    await writeFile(join(folder, 'storage', key), 'All prices.');
    const { rows } = await pool.query<{ id: number }>(
      `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, source_reference, file_key, file_type, status)
        VALUES ($1, $2, 'Prices', 'file', 'prices.txt', $3, 'txt', 'completed') RETURNING id`,
      [id, agents[0]!.id, key],
    );
    const link = `INSERT INTO knowledge_base_agents (knowledge_base_id, agent_id, account_id) VALUES ($1, $2, $3)`;
    await pool.query(link, [rows[0]!.id, agents[1]!.id, id]);
    const keepsThird = small('knowing').replace('{ name: Receptionist }', '{ name: Receptionist }, { name: Third }');
    const shared = await applied(keepsThird, '--prune');
    expect([shared.code, shared.stderr]).toEqual([1, expect.stringContaining('Other agents search knowledge bases')]);
    await pool.query('DELETE FROM knowledge_base_agents WHERE agent_id = $1', [agents[1]!.id]);

    const isStored = () => existsSync(join(folder, 'storage', key));
    expect((await applied(keepsThird, '--prune', '--dry-run')).stdout).toContain('agent Second: would be deleted');
    expect(isStored()).toBe(true);
    expect((await applied(keepsThird, '--prune')).code).toBe(0);
    const left = await pool.query('SELECT 1 FROM knowledge_bases WHERE account_id = $1', [id]);
    expect([left.rowCount, isStored()]).toEqual([0, false]);
  });

  it('changes nothing while calls of a record that it would delete are queued', async () => {
    await applied(workspace({ name: 'busy' }));
    const id = await accountId('busy');
    const { rows } = await pool.query<{ agent: number; number: number }>(
      `SELECT a.id AS agent, n.id AS number FROM agents a JOIN phone_numbers n USING (account_id) WHERE account_id = $1`,
      [id],
    );
    await aCall(pool, { accountId: id, agentId: rows[0]!.agent, numberId: rows[0]!.number });
    const plan = await applied(small('busy'), '--dry-run', '--prune');
    expect(plan.stdout).toContain('busy: number main: cannot be deleted: The number cannot be deleted while calls');
    const { code, stderr } = await applied(small('busy'), '--prune');
    expect([code, stderr]).toEqual([1, expect.stringContaining('number main: The number cannot be deleted')]);
    const left = await pool.query('SELECT 1 FROM sip_trunks WHERE account_id = $1', [id]);
    expect(left.rowCount).toBe(1);
  });
});

describe('trunkline apply', () => {});

describe('trunkline export', () => {
  it('moves an installation: the file creates the same records in an empty database', async () => {
    const front = `agent: Receptionist, hours: { time_zone: Europe/Berlin, excluded_dates: ["2026-12-25"] },
      closed: { action: agent, agent: Receptionist }, queue: { max_waiting: 5 } }]`;
    await applied(workspace({ name: 'moved' }).replace('agent: Receptionist }]', front));
    const file = join(folder, 'moved.yaml');
    expect((await trunkline(['export', '--account', 'moved', '-o', file])).code).toBe(0);
    expect((await trunkline(['apply', '-f', file], empty.url)).code).toBe(0);
    const there = await trunkline(['export'], empty.url);
    const withoutComments = (text: string) => text.replaceAll(/^ *#.*\n/gm, '');
    expect(withoutComments(there.stdout)).toBe(withoutComments(await readFile(file, 'utf8')));
    const { accounts } = parse(there.stdout) as { accounts: { numbers: object[] }[] };
    expect(accounts[0]?.numbers[0]).toMatchObject({
      hours: { time_zone: 'Europe/Berlin', windows: [], excluded_dates: ['2026-12-25'] },
      closed: { action: 'agent', agent: 'Receptionist' },
      queue: { max_waiting: 5, music: true },
    });
  });

  it('refuses an unknown account', async () => {
    const { code, stderr } = await trunkline(['export', '--account', 'nobody']);
    expect([code, stderr]).toEqual([1, 'There is no account "nobody".\n']);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { aListedTool, McpPeer } from '../../support/mcp-peer.js';
import { type CommandOutput, runCommand } from '../../support/run-command.js';

const SECRET = 'Bearer open-sesame-4712';

let database: TestDatabase;
let pool: Pool;
let peer: McpPeer;
let folder: string;

beforeAll(async () => {
  [database, peer] = await Promise.all([createTestDatabase(), McpPeer.start()]);
  pool = new Pool({ connectionString: database.url, max: 1 });
  // The database is dropped while the server still reads our goodbye.
  pool.on('error', () => undefined);
  folder = await mkdtemp(join(tmpdir(), 'trunkline-mcp-lists-'));
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
  await peer?.close();
  await rm(folder, { recursive: true, force: true });
});

const shop = (more: object = {}) => ({ mcp: { name: 'shop', url: peer.url(), ...more } });
const refused = (): void => {
  peer.instead = () => (_, response) => response.writeHead(500).end('no');
};

describe('the MCP servers of a workspace file', () => {
  const trunkline = (...words: string[]): Promise<CommandOutput> =>
    runCommand(words, {
      DATABASE_URL: database.url,
      QUEUE_URL: '',
      SECRET_KEY: 'the secret key of the tests, 32+ characters',
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      TRUNKLINE_HOME: folder,
    });
  const apply = async (tools: object[], ...flags: string[]) => {
    const path = join(folder, 'workspace.json');
    await writeFile(path, JSON.stringify({ accounts: [{ name: 'lists', agents: [{ name: 'Desk', tools }] }] }));
    return trunkline('apply', '-f', path, ...flags);
  };
  const stored = async (): Promise<string[]> => {
    const text = `SELECT s.name FROM mcp_servers s JOIN accounts a ON a.id = s.account_id WHERE a.name = 'lists' ORDER BY s.id`;
    return (await pool.query<{ name: string }>(text)).rows.map(({ name }) => name);
  };

  it('are shown by a dry run, applied, exported without secret headers, and unchanged when the export is applied', async () => {
    peer.tools = [aListedTool()];
    const tools = [shop({ headers: { Authorization: SECRET }, timeout_seconds: 20 })];
    const plan = await apply(tools, '--dry-run');
    expect([plan.code, plan.stdout, plan.stderr]).toEqual([
      0,
      expect.stringContaining('    tools: [{"name":"shop"'),
      '',
    ]);
    expect([plan.stdout.includes('open-sesame'), await stored()]).toEqual([false, []]);
    const first = await apply(tools, '--json');
    expect([first.code, first.stdout.includes('open-sesame'), await stored()]).toEqual([0, false, ['shop']]);

    const { stdout: exported } = await trunkline('export', '--account', 'lists');
    expect(exported).toContain(`url: ${peer.url()}`);
    expect(exported).toContain('the mcp server shop has headers with a secret');
    expect(exported).not.toMatch(/open-sesame|headers:/);
    refused();
    await writeFile(join(folder, 'exported.yaml'), exported);
    const again = await trunkline('apply', '-f', join(folder, 'exported.yaml'), '--dry-run');
    expect([again.stdout, again.stderr]).toEqual(['Nothing would change.\n', '']);

    const lost = await apply([...tools, { mcp: { name: 'other', url: peer.url('/other') } }]);
    expect([lost.code, lost.stderr]).toEqual([
      1,
      expect.stringMatching(/workspace\.json:1: accounts\[0\]\.agents\[0\]\.tools\[1\]\.mcp\.url .*status 500/),
    ]);
    const none = await apply([]);
    expect([none.code, await stored()]).toEqual([0, []]);
  });
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { WorkspaceTree } from '@app/workspace';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { freePort } from '../../../test/support/free-port.js';

const TRUNKLINE = join(process.cwd(), 'bin/trunkline');
const TOKEN = randomBytes(24).toString('hex');
const WORKSPACE = `accounts:
  - name: front-desk
    numbers: [{ name: main, e164: "+15550001111" }]
    agents: [{ name: Receptionist, provider: sandbox, greeting: Hello. }]
`;

let home: string;
let database: TestDatabase;
let variables: NodeJS.ProcessEnv;
let api: ChildProcess | undefined;
let baseUrl: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'trunkline-first-'));
  database = await createTestDatabase();
  variables = {
    ...process.env,
    NODE_OPTIONS: '',
    DATABASE_URL: database.url,
    QUEUE_URL: '',
    SECRET_KEY: randomBytes(32).toString('hex'),
    TRUNKLINE_HOME: home,
    BOOTSTRAP_TOKEN: TOKEN,
    BOOTSTRAP_ACCOUNT: 'front-desk',
    SIP_ALLOW_CIDRS: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
    PORT: String(await freePort()),
  };
  api = fork(TRUNKLINE, ['start', '--role', 'api'], { env: variables, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [ready] = (await once(api, 'message')) as [{ port: number }];
  baseUrl = `http://127.0.0.1:${ready.port}`;
});
afterAll(async () => {
  if (api) {
    const ended = once(api, 'close');
    api.kill('SIGTERM');
    await ended;
  }
  await database?.drop();
  await rm(home, { recursive: true, force: true });
});

/** `trunkline apply -f - --json` with a pipe as its input, as `docker compose exec -T` and `kubectl exec -i` give one. */
async function applied(pieces: readonly string[]): Promise<WorkspaceTree> {
  const child = spawn(process.execPath, [TRUNKLINE, 'apply', '-f', '-', '--json'], {
    env: variables,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const output = text(child.stdout);
  await once(child, 'spawn');
  for (const piece of pieces) await new Promise((resolve) => child.stdin.write(piece, resolve));
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  return JSON.parse(await output) as WorkspaceTree;
}

it('the bootstrap token places a call with an agent from a workspace file on standard input', async () => {
  const {
    accounts: [account],
  } = await applied([WORKSPACE.slice(0, 40), WORKSPACE.slice(40)]);
  expect(account).toMatchObject({ name: 'front-desk', result: 'unchanged' });

  const response = await fetch(`${baseUrl}/api/v1/calls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      agent_id: account?.agents[0]?.id,
      number_id: account?.numbers[0]?.id,
      to_number: 'sip:answer@127.0.0.1:5070',
    }),
  });
  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({ data: { status: 'pending', agent: 'Receptionist' } });
});

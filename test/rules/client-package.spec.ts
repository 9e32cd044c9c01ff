import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { installClientPackage, type ClientProject } from '../support/client-package.js';

const run = promisify(execFile);
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

const PROGRAM = `
import { createTrunkline, placeCall, verifyToolRequest, WebhookRejected, type ToolActionBody } from '@trunkline/client';

async function main(): Promise<void> {
  const { TRUNKLINE_URL = '', BODY = '', HEADERS = '{}', SECRET = '' } = process.env;
  const client = createTrunkline({ baseUrl: TRUNKLINE_URL, token: 'tk_test' });
  const call = await placeCall(client, { agent_id: 1, number_id: 1, to_number: '+4930901820' });
  // @ts-expect-error An id is a string; without types this line would compile.
  const wrongId: number = call.call_id;
  // @ts-expect-error The API has no such route.
  void (() => client.GET('/api/v1/cals'));

  const headers = JSON.parse(HEADERS) as Record<string, string>;
  const { id, body } = verifyToolRequest<ToolActionBody<{ order: number }>>(BODY, headers, [SECRET]);
  // @ts-expect-error The order is a number.
  const wrongOrder: string = body.arguments.order;

  const read = verifyToolRequest<undefined>('', JSON.parse(process.env.EMPTY_HEADERS ?? '{}'), SECRET);
  let refusal = '';
  try {
    verifyToolRequest(BODY + ' ', headers, SECRET);
  } catch (error) {
    if (error instanceof WebhookRejected) refusal = error.name;
  }
  console.log(wrongId, id, wrongOrder, body.tool, read.id, read.body, refusal);
}

void main();
`;
const PRINTED = 'call-1 inv-1:0 4711 order_status inv-1:1 undefined WebhookRejected\n';

const PROJECTS = [
  [
    'module commonjs of TypeScript 4 and 5',
    'commonjs',
    { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
  ],
  ['module commonjs', 'commonjs', { module: 'commonjs' }],
  ['module node16', 'commonjs', { module: 'node16' }],
  ['module nodenext', 'commonjs', { module: 'nodenext' }],
  ['module nodenext in an ES module package', 'module', { module: 'nodenext' }],
] as const;

describe('the packed client', () => {
  let project: ClientProject;
  let service: Server;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    service = createServer((_, response) =>
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"data":{"call_id":"call-1"}}'),
    ).listen(0, '127.0.0.1');
    [project] = await Promise.all([installClientPackage(), once(service, 'listening')]);
    const body = JSON.stringify({ tool: 'order_status', arguments: { order: 4711 }, call_id: null, agent_id: 1 });
    env = {
      ...process.env,
      NODE_OPTIONS: '',
      TRUNKLINE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
      SECRET,
      BODY: body,
      HEADERS: JSON.stringify(signed('inv-1:0', body)),
      EMPTY_HEADERS: JSON.stringify(signed('inv-1:1', '')),
    };
  });

  afterAll(async () => {
    service?.close();
    await project?.remove();
  });

  it.each(PROJECTS)('compiles with types and runs in a TypeScript program with %s', async (_, type, options) => {
    const folder = await programFolder(project, type);
    await Promise.all([
      writeFile(join(folder, 'main.ts'), PROGRAM),
      writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig(options))),
    ]);
    const compiled = await run(process.execPath, [
      join(process.cwd(), 'node_modules/typescript/bin/tsc'),
      '-p',
      folder,
    ]).catch((error: { stdout: string }) => error);
    expect(compiled.stdout).toBe('');
    const { stdout } = await run(process.execPath, [join(folder, 'main.js')], {
      env,
    });
    expect(stdout).toBe(PRINTED);
  });

  it('loads with require() in plain JavaScript', async () => {
    const folder = await programFolder(project, 'commonjs');
    const file = join(folder, 'main.cjs');
    await writeFile(file, `console.log(Object.keys(require('@trunkline/client')).sort().join())`);
    const { stdout } = await run(process.execPath, [file], { env });
    expect(stdout).toContain('createTrunkline');
    await writeFile(file, `import('@trunkline/client').then((esm) => console.log(Object.keys(esm).sort().join()))`);
    expect((await run(process.execPath, [file], { env })).stdout).toBe(stdout);
  });
});

let folders = 0;

/** Below the folder in which the client is installed. */
async function programFolder(project: ClientProject, type: 'commonjs' | 'module'): Promise<string> {
  const folder = join(project.folder, `program-${++folders}`);
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type }));
  return folder;
}

const tsconfig = (options: object): object => ({
  compilerOptions: { target: 'ES2022', strict: true, skipLibCheck: true, types: ['node'], ...options },
});

function signed(id: string, body: string): Record<string, string> {
  const now = new Date();
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign(id, now, body),
  };
}

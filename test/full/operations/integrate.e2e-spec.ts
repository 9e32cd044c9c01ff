import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyOf } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiOf } from '../../support/api-client.js';
import { installClientPackage, type ClientProject } from '../../support/client-package.js';
import { PATIENCE_MS } from '../../support/eventually.js';
import { Stack } from '../../support/stack.js';
import { TestSite } from '../../support/test-site.js';
import { freePort } from '../../support/free-port.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const PAGES = [
  ...([
    'place-calls',
    'control-calls',
    'receive-webhooks',
    'give-knowledge',
    'define-tools',
    'mcp',
    'test-conversations',
  ] as const),
  'agents-and-variables',
] as const;
type Page = (typeof PAGES)[number];

const run = promisify(execFile);

/**
 * The programs of docs/integrate, as they stand there, saved under the names that they give and run with the packed client. Each prints what its
 * page shows.
 */
describe('the programs of docs/integrate', () => {
  let stack: Stack;
  let phone: SandboxPhone;
  let project: ClientProject;
  let account: TestAccount;
  let env: NodeJS.ProcessEnv;
  let hookPort: number;
  let shopPort: number;
  let site: TestSite;
  const servers: ChildProcess[] = [];

  beforeAll(async () => {
    [hookPort, shopPort] = [await freePort(), await freePort()];
    const log = { debug: () => {}, warn: () => {} };
    const rtpPorts = { min: 27_400, max: 27_499 };
    [phone, stack, project] = await Promise.all([
      startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts, ringMs: 50, log }),
      Stack.start(),
      installClientPackage(),
    ]);
    account = await createAccount(stack, {
      name: 'acme',
      webhookUrl: `http://127.0.0.1:${hookPort}/hook`,
      trunk: { port: phone.port },
    });
    site = await TestSite.start({ '/returns': { title: 'Returns', text: 'Goods can be returned within 30 days.' } });
    const file = join(project.folder, 'rules.md');
    await writeFile(file, '# House rules\n\nDogs are welcome.');
    env = {
      ...process.env,
      NODE_OPTIONS: '',
      TRUNKLINE_URL: stack.baseUrl,
      TRUNKLINE_TOKEN: account.token,
      TRUNKLINE_AGENT: String(account.agentId),
      TRUNKLINE_NUMBER: String(account.numberId),
      TRUNKLINE_TO: `sip:hangup_after_6@127.0.0.1:${phone.port}`,
      TRUNKLINE_SHOP: `http://127.0.0.1:${shopPort}`,
      TRUNKLINE_FILE: file,
      TRUNKLINE_PAGE: `${site.origin}/returns`,
      TRUNKLINE_WEBHOOK_SECRETS: account.webhookSecret,
    };
  });

  afterAll(async () => {
    for (const server of servers) server.kill();
    await stack?.stop();
    await phone?.close();
    site?.close();
    await project?.remove();
  });

  const output = async (page: Page, more: NodeJS.ProcessEnv = {}): Promise<string> => {
    const path = await save(project, page, `${page}.mjs`);
    const options = { cwd: project.folder, env: { ...env, ...more }, timeout: PATIENCE_MS };
    const { stdout } = await run(process.execPath, [path], options);
    return stdout;
  };

  const serve = async (page: Page, name: string, port: number) => {
    const child = spawn(process.execPath, [await save(project, page, name)], {
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    servers.push(child);
    const printed = lines(child);
    await printed.until(/listening/);
    return printed;
  };

  it('place, watch, read and list a call, and receive its webhooks', async () => {
    const received = await serve('receive-webhooks', 'receive-webhooks.mjs', hookPort);
    const printed = await output('place-calls');
    expect(alike(printed)).toBe(await shown('place-calls', 'place-calls.mjs'));
    await received.until(/^cost /m);
    expect(alike(received.text())).toBe(await shown('receive-webhooks', 'receive-webhooks.mjs'));

    // As after a crash: the program starts again, with the key that it stored.
    const again = await output('place-calls');
    expect(placedId(again)).toBe(placedId(printed));
    expect(again).toMatch(/completed so far 1\n/);
  });

  it('call an E.164 number over a trunk', async () => {
    await rm(join(project.folder, 'reminder-c-77.key'));
    const number = { TRUNKLINE_TO: '+15550001198', TRUNKLINE_TRUNK: String(account.trunkId) };
    expect(await output('place-calls', number)).toMatch(/ended completed normal_clearing \d+ s\ncompleted so far 2\n/);
  });

  it('control a live call', async () => {
    const to = { TRUNKLINE_TO: `sip:silent@127.0.0.1:${phone.port}` };
    expect(alike(await output('control-calls', to))).toBe(await shown('control-calls', 'control-calls.mjs'));
  });

  it('store a text, a file and a page as knowledge, and search it', async () => {
    expect(alike(await output('give-knowledge'))).toBe(await shown('give-knowledge', 'give-knowledge.mjs'));
    expect(site.requests).toEqual(['/returns']);
  });

  it('verify the requests of a tool and answer them', async () => {
    const shop = await serve('define-tools', 'order-endpoint.mjs', shopPort);
    expect(alike(await output('define-tools'))).toBe(await shown('define-tools', 'define-tools.mjs'));
    await shop.until(/^\S+ order_status 4711$/m);
    expect(alike(shop.text())).toBe(await shown('define-tools', 'order-endpoint.mjs'));
    const forged = { method: 'POST', body: '{"tool":"order_status","arguments":{"order":1}}' };
    expect((await fetch(`http://127.0.0.1:${shopPort}/orders`, forged)).status).toBe(400);
  });

  it('add an MCP server to an agent and use its tool', async () => {
    const port = await freePort();
    const shop = await serve('mcp', 'shop-server.mjs', port);
    const printed = await output('mcp', { TRUNKLINE_SHOP: `http://127.0.0.1:${port}` });
    expect(alike(printed)).toBe(await shown('mcp', 'mcp.mjs'));
    await shop.until(/^order 4711$/m);
    expect(alike(shop.text())).toBe(await shown('mcp', 'shop-server.mjs'));
  });

  it('play a conversation', async () => {
    expect(alike(await output('test-conversations'))).toBe(await shown('test-conversations', 'test-conversations.mjs'));
  });

  it('speak the values of each call', async () => {
    expect(alike(await output('agents-and-variables'))).toBe(
      await shown('agents-and-variables', 'agents-and-variables.mjs'),
    );
  });

  it('place and follow a call as an assistant over MCP', async () => {
    const path = await save(project, 'mcp', 'assistant.mjs');
    const { stdout } = await run(process.execPath, [path], { cwd: project.folder, env, timeout: PATIENCE_MS });
    expect(alike(stdout)).toBe(await shown('mcp', 'assistant.mjs'));
  });

  it('place no call twice', async () => {
    const query = { agent_id: account.agentId };
    const { meta } = await bodyOf(apiOf(stack, account).GET('/api/v1/calls', { params: { query } }));
    // Two of the program that places calls, one that was controlled, one of the assistant.
    expect(meta.total).toBe(4);
  });
});

const placedId = (printed: string): string | undefined => /^placed (\S+)/.exec(printed)?.[1];

/**
 * Saves a program of a page under the name that the page gives it: the blocks that carry the name (```js name.mjs), or all
 * blocks without one, in their order.
 */
async function save(project: ClientProject, page: Page, name: string): Promise<string> {
  const text = await readFile(`docs/integrate/${page}.md`, 'utf8');
  // The first is for the reader, who sees no names of blocks.
  expect(text).toContain(`as \`${name}\``);
  expect(text).toContain(`\`node ${name}\``);
  const blocks = [...text.matchAll(/^```js(?: (\S+))?\n([^]*?)^```$/gm)];
  const named = blocks.filter(([, of]) => (of ?? `${page}.mjs`) === name).map(([, , code]) => code ?? '');
  const path = join(project.folder, name);
  await writeFile(path, named.join('\n'));
  return path;
}

/** The output of a program as its page shows it: ```text name.mjs. */
async function shown(page: Page, name: string): Promise<string> {
  const text = await readFile(`docs/integrate/${page}.md`, 'utf8');
  const [, output] = new RegExp(`^\`\`\`text ${name.replace('.', '\\.')}\\n([^]*?)^\`\`\`$`, 'm').exec(text) ?? [];
  if (output === undefined) throw new Error(`docs/integrate/${page}.md does not show what ${name} prints.`);
  return alike(output);
}

/** What differs from run to run becomes the same: ids, ports, durations, money, and how often the agent spoke. */
const alike = (printed: string): string =>
  printed
    .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}/g, 'ID')
    .replace(/(listening) \d+/g, '$1 PORT')
    .replace(/\d+ s$/gm, 'N s')
    .replace(/cost [\d.]+ turns \d+/g, 'cost N turns N')
    .replace(/^(agent said something\n)+/gm, '$1');

/** What a program prints, while it runs. */
function lines(child: ChildProcess) {
  let text = '';
  child.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    text: (): string => text,
    until: async (pattern: RegExp): Promise<void> => {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      while (!pattern.test(text))
        await once(child.stdout!, 'data', { signal }).catch((cause: unknown) => {
          throw new Error(`The receiver printed:\n${text}`, { cause });
        });
    },
  };
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyOf } from '@app/client';
import { startSandboxPhone, type SandboxPhone } from '@app/telephony';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiOf } from './support/api-client.js';
import { Stack } from './support/stack.js';
import { WebhookReceiver } from './support/webhook-receiver.js';
import { freePort } from './support/free-port.js';
import { createAccount, type TestAccount } from './support/workspace.js';

const PAGES = ['place-calls', 'receive-webhooks', 'give-knowledge', 'define-tools', 'test-conversations'] as const;
type Page = (typeof PAGES)[number];

/** Below node_modules, where the packages that the client needs are found as they would be after an installation. */
const folder = join(process.cwd(), 'node_modules/.cache/trunkline', `integrate-${process.pid}`);
const run = promisify(execFile);

/** The programs of docs/integrate, as they stand there, with the client as it is packed. */
describe('the pages for those who integrate', () => {
  let stack: Stack;
  let phone: SandboxPhone;
  let shop: WebhookReceiver;
  let account: TestAccount;
  let env: NodeJS.ProcessEnv;
  let hookPort: number;
  let receiver: ChildProcess | undefined;

  beforeAll(async () => {
    hookPort = await freePort();
    const log = { debug: () => {}, warn: () => {} };
    const rtpPorts = { min: 27_400, max: 27_499 };
    [phone, shop, stack] = await Promise.all([
      startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts, ringMs: 50, log }),
      WebhookReceiver.start(),
      Stack.start(),
      installClient(),
    ]);
    account = await createAccount(stack, { name: 'acme', webhookUrl: `http://127.0.0.1:${hookPort}/hook` });
    shop.answer = (_, response) => response.setHeader('content-type', 'application/json').end('{"status":"shipped"}');
    const file = join(folder, 'rules.md');
    await writeFile(file, '# House rules\n\nDogs are welcome.');
    env = {
      ...process.env,
      NODE_OPTIONS: '',
      TRUNKLINE_URL: stack.baseUrl,
      TRUNKLINE_TOKEN: account.token,
      TRUNKLINE_AGENT: String(account.agentId),
      TRUNKLINE_NUMBER: String(account.numberId),
      TRUNKLINE_TO: `sip:hangup_after_3@127.0.0.1:${phone.port}`,
      TRUNKLINE_SHOP: shop.url(''),
      TRUNKLINE_FILE: file,
      TRUNKLINE_WEBHOOK_SECRETS: account.webhookSecret,
      PORT: String(hookPort),
    };
  }, 90_000);

  afterAll(async () => {
    receiver?.kill();
    await stack?.stop();
    await phone?.close();
    await shop?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const output = async (page: Page): Promise<string> => {
    const { stdout } = await run(process.execPath, [await program(page)], { env, timeout: 40_000 });
    return stdout;
  };

  it('a call is placed, watched, read and found; a receiver gets its webhooks', async () => {
    receiver = spawn(process.execPath, [await program('receive-webhooks')], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const received = lines(receiver);
    await received.until(/listening/);
    const told = await output('place-calls');
    expect(told).toMatch(/placed [0-9a-f-]{36} pending\nstatus pending\nstatus ringing\nstatus in_progress\n/);
    expect(told).toMatch(/agent said something\n/);
    expect(told).toMatch(/ended completed normal_clearing \d+ s\ncompleted so far 1\n422 \[ 'to_number.1' \]\n$/);
    await received.until(/^1 pending\n2 ringing\n3 in_progress\n4 completed\n(?:.*\n)*cost [\d.]+ turns \d+\n/m);
  });

  it('a text and a file become knowledge, and are found', async () => {
    expect(await output('give-knowledge')).toBe(
      'completed\ncompleted \nThe shop in Hamburg is open from 9 to 18 on weekdays.\n',
    );
  });

  it('a tool is made and tried', async () => {
    expect(await output('define-tools')).toBe('true {"lookup":{"status":"shipped"}}\n');
    expect(shop.received.at(-1)?.path).toBe('/orders/4711');
  });

  it('a conversation is played', async () => {
    expect(await output('test-conversations')).toBe('true\ngreeting true\n2 true\n3 true\n');
  });

  it('none of their calls was placed twice', async () => {
    const { meta } = await bodyOf(apiOf(stack, account).GET('/api/v1/calls'));
    expect(meta.total).toBe(1);
  });
});

async function installClient(): Promise<void> {
  const target = join(folder, 'node_modules/@trunkline/client');
  await mkdir(target, { recursive: true });
  const compiler = join(process.cwd(), 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', 'libs/client/tsconfig.json', '--outDir', join(target, 'dist')];
  await Promise.all([run(process.execPath, args), cp('libs/client/package.json', join(target, 'package.json'))]);
}

/** The blocks of a page in their order, as one program. */
async function program(page: Page): Promise<string> {
  const text = await readFile(`docs/integrate/${page}.md`, 'utf8');
  const blocks = [...text.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code]) => code ?? '');
  const path = join(folder, `${page}.mjs`);
  await writeFile(path, blocks.join('\n'));
  return path;
}

/** What a program prints, while it runs. */
function lines(child: ChildProcess) {
  let text = '';
  child.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    until: async (pattern: RegExp): Promise<void> => {
      const signal = AbortSignal.timeout(30_000);
      while (!pattern.test(text))
        await once(child.stdout!, 'data', { signal }).catch((cause: unknown) => {
          throw new Error(`The receiver printed:\n${text}`, { cause });
        });
    },
  };
}

import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { apiOf } from './api-client.js';
import { ConsoleBrowser } from './console-browser.js';
import { Stack } from './stack.js';
import { WebhookReceiver } from './webhook-receiver.js';
import { createAccount, type TestAccount } from './workspace.js';

const SCRIPT = {
  rules: [
    { on: { digits: '1' }, search: 'parcel' },
    {
      on: { tool: 'search_knowledge_base' },
      say: 'I see.',
      call: { tool: 'find_order', arguments: { order_id: 4711 } },
    },
    { on: { tool: 'find_order' }, say: 'Your order is {{result.lookup.status}}.', hang_up: true },
  ],
};

export interface ConsoleEnvironment {
  stack: Stack;
  phone: SandboxPhone;
  /** Receives the webhooks and the requests of the tool. */
  shop: WebhookReceiver;
  account: TestAccount;
  /** Opened at the sign-in page. */
  browser: ConsoleBrowser;
  close: () => Promise<void>;
}

/** The built service with an account whose agent has a script and a tool, a sandbox phone, and the console in a browser. */
export async function openConsoleEnvironment(): Promise<ConsoleEnvironment> {
  const opened: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of opened.toReversed()) await one();
  };
  try {
    return { ...(await open(opened)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The same after signing in with the token of the account. */
export async function openSignedInConsole(): Promise<ConsoleEnvironment> {
  const environment = await openConsoleEnvironment();
  try {
    await followTokenLink(environment);
    await environment.browser.untilText('h1', 'Overview');
    return environment;
  } catch (error) {
    await environment.close();
    throw error;
  }
}

/** Opens a link with a token, as from another page. */
export async function followTokenLink(
  { browser, stack, account }: ConsoleEnvironment,
  token = account.token,
): Promise<void> {
  await browser.page.goto('about:blank');
  await browser.page.goto(`${stack.baseUrl}/console#token=${token}`);
}

async function open(opened: (() => Promise<unknown>)[]): Promise<Omit<ConsoleEnvironment, 'close'>> {
  const log = { debug: () => {}, warn: () => {} };
  const rtpPorts = { min: 27_400, max: 27_499 };
  const shop = await WebhookReceiver.start();
  opened.push(() => shop.close());
  shop.answer = (_, response) => response.setHeader('content-type', 'application/json').end('{"status":"shipped"}');
  const phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts, ringMs: 50, log });
  opened.push(() => phone.close());
  const stack = await Stack.start();
  opened.push(() => stack.stop());
  const account = await createAccount(stack, {
    name: 'acme',
    webhookUrl: shop.url('/hook'),
    trunk: { name: 'sandbox-phone', port: phone.port },
    agent: { greeting: 'Hello.', script: SCRIPT },
  });
  await apiOf(stack, account).createTool({
    name: 'find_order',
    description: 'Finds an order.',
    parameters: { type: 'object', properties: { order_id: { type: 'integer', minimum: 1 } }, required: ['order_id'] },
    webhook_actions: [{ name: 'lookup', url: shop.url('/orders/{{args.order_id}}'), method: 'GET' }],
  });
  const browser = await ConsoleBrowser.open(`${stack.baseUrl}/console`);
  opened.push(() => browser.close());
  return { stack, phone, shop, account, browser };
}

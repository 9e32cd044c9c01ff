import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Schemas } from '@app/client';
import type { HTTPResponse } from 'puppeteer-core';
import { apiOf } from '../../support/api-client.js';
import { eventually } from '../../support/eventually.js';
import type { ConsoleBrowser } from '../../support/console-browser.js';
import { type ConsoleEnvironment, followTokenLink, openConsoleEnvironment } from '../../support/console-environment.js';
import { roleScopes } from '../../support/role-scopes.js';
import { suiteWith } from '../../support/suite-with.js';

const withChromium = suiteWith(['chromium']);

const SCOPES = roleScopes();
type Scope = NonNullable<Schemas['CreateTokenDto']['scopes']>[number];
const scopesOf = (role: string): Scope[] => (SCOPES[role] ?? []) as Scope[];

/** Ids of records in the addresses below. */
type Ids = Record<'agent' | 'call' | 'campaign' | 'knowledge' | 'number' | 'tool' | 'trunk', number | string>;

const PLACES: readonly ((ids: Ids) => string)[] = [
  () => '/overview',
  () => '/calls',
  ({ call }) => `/calls/${call}`,
  () => '/campaigns',
  () => '/campaigns/new',
  ({ campaign }) => `/campaigns/${campaign}`,
  ({ campaign }) => `/campaigns/${campaign}/edit`,
  () => '/agents',
  () => '/agents/new',
  ({ agent }) => `/agents/${agent}`,
  ({ agent }) => `/knowledge/${agent}`,
  ({ agent, knowledge }) => `/knowledge/${agent}/${knowledge}`,
  ({ agent, knowledge }) => `/knowledge/${agent}/${knowledge}/passages`,
  ({ agent }) => `/tools/${agent}`,
  ({ agent }) => `/tools/${agent}/new`,
  ({ agent }) => `/tools/${agent}/mcp`,
  ({ agent, tool }) => `/tools/${agent}/${tool}`,
  () => '/numbers',
  ({ number }) => `/numbers/${number}`,
  () => '/trunks',
  () => '/trunks/new',
  ({ trunk }) => `/trunks/${trunk}`,
  () => '/do-not-call',
  () => '/webhooks',
  () => '/account',
  () => '/sign-in',
];

/** Scopes that the pages name as missing, in tooltips and sentences. */
const MISSING = `[...new Set(
  [...document.querySelectorAll('main [title]')].map(({ title }) => title)
    .concat(document.querySelector('main').innerText)
    .flatMap((text) => [...text.matchAll(/lacks the scope ([a-z]+:[a-z]+)/g)].map(([, scope]) => scope)),
)].sort()`;

const LINKS_TO_FORMS = `[...document.querySelectorAll('main a')].map(({ hash }) => hash).filter((hash) => /\\/(new|mcp|edit)$/.test(hash))`;

const ENABLED = `[...document.querySelectorAll('main button')].filter(
  (one) => !one.disabled && one.ariaDisabled !== 'true' && one.offsetHeight > 0,
)`;

withChromium('the console with few scopes', () => {
  let environment: ConsoleEnvironment | undefined;
  let browser: ConsoleBrowser;
  let ids: Ids;
  /** Requests that the API refused. */
  const refused: string[] = [];

  beforeAll(async () => {
    environment = await openConsoleEnvironment();
    ({ browser } = environment);
    ids = await everyRecord(environment);
    browser.page.on('response', (response: HTTPResponse) => {
      const { pathname } = new URL(response.url());
      if (response.status() === 403) refused.push(`${response.request().method()} ${pathname}`);
    });
  });

  afterAll(() => environment?.close());

  /** Signs in with a token of these scopes in place of the session of the tab. */
  async function signInWith(scopes: readonly Scope[]): Promise<void> {
    const { stack, account } = environment!;
    const body = { name: scopes.join().slice(0, 200), scopes: [...scopes] };
    const { data } = await apiOf(stack, account).POST('/api/v1/tokens', { body });
    await browser.look('sessionStorage.clear()');
    await followTokenLink(environment!, data?.data.token);
    await browser.untilText('h1', 'Overview');
    await browser.settled();
  }

  async function open(path: string): Promise<void> {
    await browser.look(`location.hash = ${JSON.stringify(`#${path}`)}`);
    await browser.settled();
    // The buttons that were pressed may have changed a form.
    await browser.look(`document.querySelector('[data-act=discard-and-leave]')?.click()`);
    await browser.settled();
    await browser.look(`document.querySelectorAll('main details').forEach((one) => (one.open = true))`);
    await browser.settled();
  }

  const missingAt = async (path: string): Promise<string[]> => {
    await open(path);
    return browser.look<string[]>(MISSING);
  };

  it('a viewer sees everything, with the reason at each action', async () => {
    await signInWith(scopesOf('viewer'));
    const found: Record<string, string[]> = {};
    for (const place of PLACES) {
      const path = place(ids);
      found[path] = await missingAt(path);
      expect([path, await browser.look(LINKS_TO_FORMS)]).toEqual([path, []]);
      expect([path, await browser.violations()]).toEqual([path, []]);
    }
    const changes = (scope: string): Scope[] => [`${scope}:write` as Scope];
    expect(found).toEqual({
      '/overview': ['calls:listen'],
      '/calls': changes('calls'),
      [`/calls/${ids.call}`]: ['calls:listen', 'calls:write', 'webhooks:write'],
      '/campaigns': [],
      '/campaigns/new': changes('campaigns'),
      [`/campaigns/${ids.campaign}`]: changes('campaigns'),
      [`/campaigns/${ids.campaign}/edit`]: changes('campaigns'),
      '/agents': changes('agents'),
      '/agents/new': changes('agents'),
      [`/agents/${ids.agent}`]: ['agents:write', 'calls:write'],
      [`/knowledge/${ids.agent}`]: changes('knowledge'),
      [`/knowledge/${ids.agent}/${ids.knowledge}`]: changes('knowledge'),
      [`/knowledge/${ids.agent}/${ids.knowledge}/passages`]: [],
      [`/tools/${ids.agent}`]: changes('tools'),
      [`/tools/${ids.agent}/new`]: changes('tools'),
      [`/tools/${ids.agent}/mcp`]: changes('tools'),
      [`/tools/${ids.agent}/${ids.tool}`]: changes('tools'),
      '/numbers': changes('numbers'),
      [`/numbers/${ids.number}`]: changes('numbers'),
      '/trunks': changes('trunks'),
      '/trunks/new': changes('trunks'),
      [`/trunks/${ids.trunk}`]: changes('trunks'),
      '/do-not-call': changes('compliance'),
      '/webhooks': changes('webhooks'),
      '/account': changes('account'),
      '/sign-in': changes('account'),
    });
    expect(refused).toEqual([]);
  });

  it('a disabled action stays in reach of the keyboard, and says why it does nothing', async () => {
    await open(`/calls/${await liveCall(environment!)}`);
    await browser.focus('[data-act=end]');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('.call-head [role=status]', 'The token lacks the scope calls:write.');
    expect(await browser.violations()).toEqual([]);
    expect(refused).toEqual([]);
  });

  it.each(['viewer', 'agent_editor'] as const)('the API refuses no enabled action of the role %s', async (role) => {
    await signInWith(scopesOf(role));
    let pressed = 0;
    for (const place of PLACES) {
      await open(place(ids));
      const count = await browser.look<number>(`${ENABLED}.length`);
      for (let index = 0; index < count; index++)
        pressed += await browser.look<number>(`(${ENABLED}[${index}]?.click(), 1)`);
      await browser.settled();
    }
    expect([role, refused, pressed > 20]).toEqual([role, [], true]);
  });

  it('higher roles may do more, and an owner grants the scopes of the role', async () => {
    await signInWith(scopesOf('operator'));
    expect(await missingAt('/webhooks')).toEqual([]);
    expect(await missingAt('/trunks')).toEqual(['trunks:write']);
    await signInWith(scopesOf('owner'));
    expect(await missingAt('/trunks')).toEqual([]);
    expect(await missingAt('/tokens')).toEqual(['account:write']);
    expect(await browser.look(`document.querySelector('[value="account:write"]').disabled`)).toBe(true);
    expect(await browser.look(`document.querySelector('[value="trunks:write"]').disabled`)).toBe(false);
    expect(refused).toEqual([]);
    expect(browser.complaints).toEqual([]);
  });
});

/** The id of a call that was answered. */
async function liveCall({ stack, account, phone }: ConsoleEnvironment): Promise<string> {
  const order = { to_number: `sip:answer@127.0.0.1:${phone.port}`, call_status_webhook_url: 'http://127.0.0.1:1/hook' };
  const api = apiOf(stack, account);
  const { call_id: id } = await api.createCall(order);
  // Only an answered call can be listened to.
  await eventually(
    () => api.call(id),
    ({ status }) => status === 'in_progress',
  );
  return id;
}

/** A record of every kind. */
async function everyRecord(environment: ConsoleEnvironment): Promise<Ids> {
  const { stack, account } = environment;
  const { agentId, numberId, trunkId, token } = account;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object): Promise<{ id: number }> => {
    const sent = await fetch(`${stack.baseUrl}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!sent.ok) throw new Error(`POST ${path}: ${sent.status} ${await sent.text()}`);
    return ((await sent.json()) as { data: { id: number } }).data;
  };
  const campaign = await post('/campaigns', { name: 'spring', agent_id: agentId, number_ids: [numberId] });
  await post(`/campaigns/${campaign.id}/contacts`, { contacts: [{ to_number: '+15550007777' }] });
  const text = { title: 'Prices', source_type: 'text', content: 'All prices.' };
  const knowledge = await post(`/agents/${agentId}/knowledge-bases`, text);
  const tools = await fetch(`${stack.baseUrl}/api/v1/agents/${agentId}/tools`, { headers });
  const [tool] = ((await tools.json()) as { data: { id: number }[] }).data;
  await post(`/agents/${agentId}/versions`, { note: 'a draft' });
  await post('/do-not-call', { number: '+15550008888' });
  return {
    ...{ agent: agentId, call: await liveCall(environment), campaign: campaign.id, knowledge: knowledge.id },
    ...{ number: numberId, tool: tool!.id, trunk: trunkId },
  };
}

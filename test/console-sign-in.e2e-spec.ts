import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ConsoleBrowser } from './support/console-browser.js';
import { freePort } from './support/free-port.js';
import { Stack } from './support/stack.js';
import { suiteWith } from './support/suite-with.js';
import { CLIENT, TestIssuer } from './support/test-issuer.js';
import { createAccount, type TestAccount } from './support/workspace.js';

const withChromium = suiteWith(['chromium']);

withChromium('the console for people of an organisation', () => {
  let issuer: TestIssuer;
  let stack: Stack;
  let account: TestAccount;
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    issuer = await TestIssuer.start();
    const port = await freePort();
    stack = await Stack.start({
      workers: 0,
      dialers: 0,
      env: {
        PORT: String(port),
        OIDC_ISSUER: issuer.url,
        OIDC_CLIENT_ID: CLIENT.client_id,
        OIDC_CLIENT_SECRET: CLIENT.client_secret,
        OIDC_NAME: 'Example Ltd',
      },
    });
    issuer.allow(stack.baseUrl);
    account = await createAccount(stack, { name: 'acme' });
    const set = await fetch(`${stack.baseUrl}/api/v1/account/sign-in`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ roles: { owners: 'owner', everyone: 'viewer' } }),
    });
    if (!set.ok) throw new Error(`The sign-in was not set: ${set.status}`);
    const person = (name: string, group: string) => ({
      claims: { name, email: `${name.toLowerCase()}@example.com`, email_verified: true, groups: [group] },
    });
    issuer.people.set('vik', person('Vik', 'everyone'));
    issuer.people.set('olga', person('Olga', 'owners'));
    issuer.people.set('guest', person('Guest', 'others'));
    browser = await ConsoleBrowser.open(`${stack.baseUrl}/console`);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await issuer?.stop();
  });

  async function signIn(login: string): Promise<void> {
    await browser.click('[data-act=organisation]');
    await browser.page.waitForSelector('[name=login]');
    await browser.page.type('[name=login]', login);
    await browser.page.type('[name=password]', 'any');
    await Promise.all([browser.page.waitForNavigation(), browser.page.click('[type=submit]')]);
  }

  it('signs in a person without a role nowhere, and says so', async () => {
    await browser.untilText('[data-act=organisation]', 'Sign in with Example Ltd');
    expect(await browser.violations()).toEqual([]);
    await browser.size(390, 844);
    expect(await browser.overhang()).toBe(0);
    await browser.size(1280, 900);
    await signIn('guest');
    await browser.untilText('.trouble', 'none of your groups has a role here');
    expect(await browser.look('location.hash')).toBe('');
    await forget();
  });

  it('lets a viewer look, and change nothing', async () => {
    await browser.go('/agents', 'Sign in');
    await signIn('vik');
    await browser.untilText('h1', 'Agents');
    await browser.untilText('.who-am-i', 'Vik');
    await browser.untilText('.who-am-i', 'Viewer');
    expect(await browser.look(`getComputedStyle(document.querySelector('a.primary[href$="/new"]')).display`)).toBe(
      'none',
    );
    const links = await browser.look<string>(`[...document.querySelectorAll('.places a')].map((a) => a.hash).join()`);
    expect(links).toContain('#/calls');
    expect(links).not.toMatch(/tokens|audit/);
    await browser.go('/agents/new', 'New agent');
    await browser.untilText('form', 'Your role, viewer, may only look at this page.');
    expect(await browser.look(`document.querySelector('form [type=submit]').disabled`)).toBe(true);
    expect(await browser.look('document.cookie')).toBe('');
    expect(await browser.violations()).toEqual([]);
    await browser.size(390, 844);
    expect(await browser.overhang()).toBe(0);
    await browser.size(1280, 900);
  });

  it('keeps the session in a new tab, and ends it at the sign-out here and at the issuer', async () => {
    await browser.page.goto(`${stack.baseUrl}/console/#/calls`);
    await browser.page.reload();
    await browser.untilText('h1', 'Calls');
    await browser.click('[aria-label="Sign out"]');
    await browser.page.waitForSelector('[name=logout]');
    await Promise.all([browser.page.waitForNavigation(), browser.page.click('[name=logout]')]);
    await browser.untilText('h1', 'Sign in');
    expect(new URL(browser.page.url()).pathname).toBe('/console/');
    await browser.untilText('[data-act=organisation]', 'Sign in with Example Ltd');
  });

  it('shows an owner who is signed in, ends sessions, and names people in the audit log', async () => {
    await signIn('olga');
    await browser.untilText('.who-am-i', 'Olga');
    await browser.go('/tokens', 'API tokens');
    await browser.untilText('[data-part=sessions]', 'Olga');
    await browser.click('[name=all_scopes]');
    await browser.type('[name=name]', 'made by Olga');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('.page', 'The token made by Olga was created.');
    await browser.go('/audit', 'Audit log');
    await browser.untilMatches('.rows', /Token: issued[^]*Person Olga \(olga@example\.com\)/);
    await browser.select('[aria-label=By]', 'person');
    await browser.untilText('.rows', 'Session: started');
    expect(browser.complaints).toEqual([]);
    expect(await browser.violations()).toEqual([]);
  });

  it('asks again when the session has ended elsewhere', async () => {
    const headers = { authorization: `Bearer ${account.token}` };
    const list = await fetch(`${stack.baseUrl}/api/v1/sessions`, { headers });
    const { data } = (await list.json()) as { data: { id: number }[] };
    for (const { id } of data) await fetch(`${stack.baseUrl}/api/v1/sessions/${id}`, { method: 'DELETE', headers });
    await browser.go('/calls', 'Calls');
    await browser.page.reload();
    await browser.untilText('h1', 'Sign in');
  });

  /** Ends the log-in at the issuer, which would sign in the same person again. */
  async function forget(): Promise<void> {
    const session = await browser.page.createCDPSession();
    await session.send('Network.clearBrowserCookies');
    await browser.page.goto(`${stack.baseUrl}/console/`);
    await browser.untilText('h1', 'Sign in');
  }
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { HTTPResponse } from 'puppeteer-core';
import { ConsoleBrowser } from '../../support/console-browser.js';
import { freePort } from '../../support/free-port.js';
import { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import { CLIENT, TestIssuer } from '../../support/test-issuer.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

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
  });

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

  it('opens for a first visit without a request that fails', async () => {
    const failed: string[] = [];
    const note = (response: HTTPResponse): void => {
      if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
    };
    browser.page.on('response', note);
    await browser.page.reload();
    await browser.untilText('[data-act=organisation]', 'Sign in with Example Ltd');
    browser.page.off('response', note);
    expect(failed).toEqual([]);
  });

  it('signs in a person without a role nowhere, and says so', async () => {
    await browser.untilText('[data-act=organisation]', 'Sign in with Example Ltd');
    expect(await browser.violations()).toEqual([]);
    await browser.size(390, 844);
    expect(await browser.overhang()).toBe(0);
    await browser.size(1280, 900);
    await signIn('guest');
    await browser.untilText('.trouble', 'None of your groups has a role in this account');
    expect(await browser.look('location.hash')).toBe('');
    await forget();
  });

  it('lets a viewer look, and change nothing', async () => {
    await browser.go('/agents', 'Sign in');
    await signIn('vik');
    await browser.untilText('h1', 'Agents');
    await browser.untilText('.who-am-i', 'Vik');
    await browser.untilText('.who-am-i', 'Viewer');
    await browser.untilText('.rows', 'Receptionist');
    expect(await browser.look(`document.querySelector('a[href$="/new"]')`)).toBeNull();
    expect(await browser.look(`document.querySelector('[data-focus=active]').title`)).toBe(
      'Your role, viewer, lacks the scope agents:write.',
    );
    const links = await browser.look<string>(`[...document.querySelectorAll('.places a')].map((a) => a.hash).join()`);
    expect(links).toContain('#/calls');
    expect(links).not.toMatch(/tokens|audit/);
    await browser.go('/agents/new', 'New agent');
    await browser.untilText('form', 'Your role, viewer, lacks the scope agents:write.');
    expect(await browser.look(`document.querySelector('form [type=submit]').disabled`)).toBe(true);
    expect(await browser.look('document.cookie')).toBe('');
    expect(await browser.violations()).toEqual([]);
    await browser.size(390, 844);
    expect(await browser.overhang()).toBe(0);
    await browser.size(1280, 900);
  });

  it('asks before a link signs in with an organisation, and says who is signed in', async () => {
    const link = `${stack.baseUrl}/sign-in/start?place=/calls`;
    await browser.page.goto(link);
    await browser.untilText('h1', 'Switch session?');
    await browser.untilMatches(
      '#start-text',
      /with Example Ltd\. You are signed in here as Vik, in the account acme\./,
    );
    await browser.until(`document.activeElement.dataset.act === 'keep'`);
    for (const [width, height] of [
      [390, 844],
      [1280, 900],
    ] as const) {
      await browser.size(width, height);
      expect([width, await browser.overhang(), await browser.violations()]).toEqual([width, 0, []]);
    }
    await browser.click('[data-act=keep]');
    await browser.untilText('h1', 'Overview');
    await browser.untilText('.who-am-i', 'Vik');
    await browser.page.goto(link);
    // The issuer still knows Vik.
    await browser.untilText('h1', 'Switch session?');
    await Promise.all([browser.page.waitForNavigation(), browser.click('[data-act=continue]')]);
    await browser.untilText('h1', 'Calls');
    await browser.untilText('.who-am-i', 'Vik');
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

  it('names the organisation of a link before the sign-in starts', async () => {
    await browser.page.goto(`${stack.baseUrl}/sign-in/start?organisation=globex`);
    await browser.untilText('h1', 'Sign in?');
    await browser.untilText('[data-act=continue]', 'Sign in with globex');
    expect(await browser.violations()).toEqual([]);
    await browser.click('[data-act=continue]');
    await browser.untilText('.trouble', 'No organisation has this name.');
    await browser.click('[data-act=keep]');
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
    await browser.select('[aria-label=Actor]', 'person');
    await browser.untilText('.rows', 'Session: started');
    expect(browser.complaints).toEqual([]);
    expect(await browser.violations()).toEqual([]);
  });

  it('shows an owner the sign-in settings, and tests them at the issuer', async () => {
    await browser.go('/sign-in', 'Sign-in');
    await browser.untilText('form', 'Your role, owner, lacks the scope account:write.');
    expect(
      await browser.look(`[...document.querySelectorAll('[name="roles.key"]')].map((one) => one.value).join()`),
    ).toBe('owners,everyone');
    await browser.click('[data-act=test]');
    await browser.untilMatches('[data-part=test]', /Address\s+Passed[^]*Issuer\s+Passed[^]*Client\s+Passed/);
    await browser.untilText('[data-part=addresses]', `${stack.baseUrl}/sign-in/callback`);
    expect(await browser.violations()).toEqual([]);
  });

  it('asks again when the session has ended elsewhere', async () => {
    const headers = { authorization: `Bearer ${account.token}` };
    const list = await fetch(`${stack.baseUrl}/api/v1/sessions`, { headers });
    const { data } = (await list.json()) as { data: { id: number }[] };
    for (const { id } of data) await fetch(`${stack.baseUrl}/api/v1/sessions/${id}`, { method: 'DELETE', headers });
    await browser.go('/calls', 'Sign in');
    await browser.page.reload();
    await browser.untilText('h1', 'Sign in');
  });

  it('changes the sign-in settings with a token of an operator, with errors at their fields', async () => {
    await browser.look(`location.hash = '#token=${account.token}'`);
    await browser.until(`sessionStorage.getItem('trunkline.token')`);
    await browser.go('/sign-in', 'Sign-in');
    await browser.type('[name=issuer]', 'https://login.example.com/realms/acme');
    await browser.page.keyboard.press('Tab');
    await browser.untilText(
      '[data-part=addresses]',
      `${stack.baseUrl}/sign-in/callback/a75133ad3f7ef6e09c7091c4a52d3494`,
    );
    await browser.type('[name=issuer]', 'login.example.com');
    await browser.click('[data-act=add-people]');
    await browser.page.keyboard.type('anna');
    await browser.press('form [type=submit]');
    await browser.untilText('[data-field=issuer] .field-error', 'must be the URL of an issuer');
    await browser.untilText('[data-field="people.anna"] .field-error', 'must be an e-mail address');
    await browser.until(`document.activeElement.name === 'issuer'`);
    await browser.type('[name="people.key"]', 'anna@example.com');
    await browser.select('[data-field="people.anna@example.com"] select', 'owner');
    await browser.type('[name=issuer]', issuer.url);
    await browser.type('[name=client_id]', CLIENT.client_id);
    await browser.type('[name=client_secret]', 'a wrong secret');
    await browser.type('[name=organisation]', 'acme');
    await browser.type('[name=allowed_domains]', 'example.com, example.org');
    await browser.press('form [type=submit]');
    await browser.until(`document.querySelector('[name=client_secret]').placeholder.startsWith('Leave')`);
    expect(await browser.look(`document.querySelector('[name=client_secret]').value`)).toBe('');
    const stored = await fetch(`${stack.baseUrl}/api/v1/account/sign-in`, {
      headers: { authorization: `Bearer ${account.token}` },
    });
    expect(await stored.json()).toMatchObject({
      data: {
        ...{ issuer: issuer.url, organisation: 'acme', has_client_secret: true },
        roles: { owners: 'owner', everyone: 'viewer' },
        people: { 'anna@example.com': 'owner' },
        allowed_domains: ['example.com', 'example.org'],
      },
    });
    await browser.click('[data-act=test]');
    await browser.untilMatches('[data-check=client]', /Failed[^]*secret is wrong/);
    expect(await browser.look(`document.querySelector('[data-part=test] a').getAttribute('href')`)).toContain(
      'organisation=acme',
    );
    for (const [width, height] of [
      [390, 844],
      [1280, 900],
    ] as const) {
      await browser.size(width, height);
      expect([width, await browser.overhang(), await browser.violations()]).toEqual([width, 0, []]);
    }
    await browser.click('[data-focus=remove]');
    await browser.press('[data-act=confirm]');
    await browser.untilText('form', 'Single sign-on is not set up yet.');
    expect(browser.complaints).toEqual([]);
  });

  /** Ends the log-in at the issuer, which would sign in the same person again. */
  async function forget(): Promise<void> {
    const session = await browser.page.createCDPSession();
    await session.send('Network.clearBrowserCookies');
    await browser.page.goto(`${stack.baseUrl}/console/`);
    await browser.untilText('h1', 'Sign in');
  }
});

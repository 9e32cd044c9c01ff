import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dataOf } from '@app/client';
import type { HTTPRequest } from 'puppeteer-core';
import { apiOf } from '../../support/api-client.js';
import type { ConsoleBrowser } from '../../support/console-browser.js';
import { type ConsoleEnvironment, followTokenLink, openSignedInConsole } from '../../support/console-environment.js';
import type { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import type { TestAccount } from '../../support/workspace.js';

const withChromium = suiteWith(['chromium']);

withChromium('a session of the console', () => {
  let environment: ConsoleEnvironment | undefined;
  let stack: Stack;
  let account: TestAccount;
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    environment = await openSignedInConsole();
    ({ stack, account, browser } = environment);
  });

  afterAll(() => environment?.close());

  it('asks before the token of a link replaces the session', async () => {
    const { token } = await dataOf(
      apiOf(stack, account).POST('/api/v1/tokens', { body: { name: 'other', scopes: ['calls:read' as const] } }),
    );
    const held = () => browser.look<string>(`sessionStorage.getItem('trunkline.token')`);

    // In the open tab, where only the fragment changes.
    await browser.go('/tools', 'Tools');
    await browser.look(`location.hash = '#token=${token}'`);
    await browser.untilText('h1', 'Change the session?');
    expect(await browser.look('location.href')).toBe(`${stack.baseUrl}/console/#/tools`);
    expect(await held()).toBe(account.token);
    await browser.until(`document.activeElement.dataset.act === 'keep'`);
    expect(await browser.violations()).toEqual([]);
    await browser.click('[data-act=keep]');
    await browser.untilText('h1', 'Tools');
    expect(await held()).toBe(account.token);

    // As a link of another page opens it.
    await followTokenLink(environment!, token);
    await browser.untilText('h1', 'Change the session?');
    await browser.click('[data-act=use]');
    await browser.untilText('h1', 'Overview');
    expect(await held()).toBe(token);
    await browser.look(`location.hash = '#token=${account.token}'`);
    await browser.untilText('h1', 'Change the session?');
    await browser.click('[data-act=use]');
    await browser.untilText('h1', 'Overview');
  });

  it.each(['..%2Ftokens', '%2e%2e', '..%2F..%2Fhealth'])(
    'sends no token to another path for the address #/calls/%s',
    async (id) => {
      // The requests of the page before have been sent.
      await browser.go('/calls/none', 'No such call');
      const paths: string[] = [];
      const note = (request: HTTPRequest): void => void paths.push(new URL(request.url()).pathname);
      browser.page.on('request', note);
      await browser.go(`/calls/${id}`, 'Not found');
      await browser.go('/calls/a%20b%3Fc', 'No such call');
      browser.page.off('request', note);
      expect(new Set(paths)).toEqual(new Set(['/api/v1/calls/a%20b%3Fc']));
    },
  );

  it('shows fields that the service ignored, with suggestions', async () => {
    const answer = (request: HTTPRequest): void =>
      void (request.url().includes('/api/v1/agents')
        ? request.respond({
            contentType: 'application/json',
            headers: { 'Trunkline-Ignored-Fields': 'per_pgae,colour' },
            body: '{"data":[],"meta":{"current_page":1,"last_page":1,"total":0}}',
          })
        : request.continue());
    await browser.page.setRequestInterception(true);
    browser.page.on('request', answer);
    await browser.go('/knowledge', 'Knowledge');
    await browser.untilText('.ignored', 'colour');
    browser.page.off('request', answer);
    await browser.page.setRequestInterception(false);
    expect(await browser.text('.ignored ul')).toBe(
      'Trunkline ignored the unknown field `per_pgae` of GET /api/v1/agents. Did you mean `per_page`?\n' +
        'Trunkline ignored the unknown field `colour` of GET /api/v1/agents.',
    );
    expect(await browser.violations()).toEqual([]);
    await browser.click('.ignored button');
    expect(await browser.look(`document.querySelector('.ignored').hidden`)).toBe(true);
  });

  it('causes no violation of its content security policy', () => expect(browser.complaints).toEqual([]));
});

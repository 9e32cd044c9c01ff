import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SandboxPhone } from '@app/sandbox/phone';
import { apiOf } from './support/api-client.js';
import type { ConsoleBrowser } from './support/console-browser.js';
import { type ConsoleEnvironment, openConsoleEnvironment } from './support/console-environment.js';
import type { Stack } from './support/stack.js';
import { suiteWith } from './support/suite-with.js';
import type { TestAccount } from './support/workspace.js';

const withChromium = suiteWith(['chromium']);

withChromium('agents, numbers, trunks and live calls in the console', () => {
  let environment: ConsoleEnvironment | undefined;
  let stack: Stack;
  let phone: SandboxPhone;
  let account: TestAccount;
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    environment = await openConsoleEnvironment();
    ({ stack, phone, account, browser } = environment);
    await browser.page.goto('about:blank');
    await browser.page.goto(`${stack.baseUrl}/console#token=${account.token}`);
    await browser.untilText('h1', 'Calls');
  }, 90_000);

  afterAll(() => environment?.close());

  const click = (selector: string): Promise<void> =>
    browser.look(`document.querySelector(${JSON.stringify(selector)}).click()`);

  it('creates an agent and shows what it says while its greeting is typed', async () => {
    await browser.go('/agents', 'Agents');
    await browser.untilText('main .rows', 'version 1');
    await browser.go('/agents/new', 'New agent');
    await browser.page.click('.agent-form [type=submit]');
    await browser.untilText('[data-field=name] .field-error', 'name');
    await browser.type('[name=name]', 'Reminder');
    await browser.page.click('[data-act=add-variable]');
    await browser.page.keyboard.type('customer_name');
    await browser.type('[name=greeting]', 'Hello {{customer_name | there}}.');
    await browser.page.click('.agent-form [type=submit]');
    await browser.untilText('h1', 'Reminder');
    await browser.untilText('[data-role=greeting]', 'Hello there.');
    await browser.type('[name="value.customer_name"]', 'Ada');
    await browser.untilText('[data-role=greeting]', 'Hello Ada.');
    await browser.type('[name=greeting]', 'Good day {{customer_name | there}}, {{town}}.');
    await browser.untilText('[data-role=greeting]', 'Good day Ada');
    expect(await browser.text('[data-field=greeting]')).toContain('Not declared as a variable: {{town}}');
    expect(await browser.violations()).toEqual([]);
  });

  it('saves a draft, compares it, publishes it, and restores the earlier version', async () => {
    await browser.type('[name=greeting]', 'Good day {{customer_name | there}}.');
    await click('[data-act=draft]');
    await browser.untilText('[data-version="2"]', 'Draft');
    expect(await browser.text('[data-version="1"]')).toContain('Published');
    await click('[data-version="2"] summary');
    await browser.untilText('[data-version="2"] .difference', '+ Good day {{customer_name | there}}.');
    expect(await browser.text('[data-version="2"] .difference')).toContain('− Hello {{customer_name | there}}.');
    await browser.type('[data-version="2"] [name=traffic_percent]', '20');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('[data-version="2"]', 'Canary, 20 % of new calls');
    await click('[data-version="2"] [data-act=publish]');
    await browser.untilText('[data-version="2"]', 'Published');
    await browser.until(`document.querySelector('[name=greeting]')?.value.startsWith('Good day')`);
    await click('[data-version="1"] [data-act=restore]');
    await browser.untilText('[data-version="3"]', 'Published');
    await browser.until(`document.querySelector('[name=greeting]')?.value.startsWith('Hello')`);
    expect(await browser.violations()).toEqual([]);
  });

  it('talks to the agent in writing', async () => {
    await browser.go(`/agents/${account.agentId}`, 'Receptionist');
    await browser.until(`document.querySelector('[data-part=trial] form')`);
    await click('[data-part=trial] [type=submit]');
    await browser.untilText('.trial', 'Hello.');
    await browser.type('[name=says]', 'Good morning.');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('.trial', 'Good morning.');
    expect(await browser.look('document.activeElement.name')).toBe('says');
  });

  it('adds a number with its agent, edits it and deletes it', async () => {
    await browser.go('/numbers', 'Numbers');
    await browser.type('aside [name=e164]', '12');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('[data-field=e164] .field-error', 'e164');
    await browser.type('aside [name=e164]', '+15550004242');
    await browser.type('aside [name=name]', 'Hotline');
    await browser.page.select('aside [name=agent_id]', String(account.agentId));
    await browser.page.click('aside [type=submit]');
    await browser.untilText('[data-number="+15550004242"]', 'Hotline · answered by Receptionist');
    await browser.page.click('[data-number="+15550004242"] [data-focus=edit]');
    await browser.untilText('h1', 'Edit number');
    await browser.until(`document.querySelector('[name=name]')?.value === 'Hotline'`);
    await browser.page.select('[name=agent_id]', '');
    await browser.page.click('form [type=submit]');
    await browser.untilText('[data-number="+15550004242"]', 'outbound only');
    await browser.page.click('[data-number="+15550004242"] [data-focus=delete]');
    await browser.untilText('[data-number="+15550004242"] [data-focus=delete]', 'Really');
    await browser.page.keyboard.press('Enter');
    await browser.until(`!document.querySelector('[data-number="+15550004242"]')`);
    expect(await browser.look('document.activeElement.ariaLabel')).toBe('Numbers');
  });

  it('creates a trunk, tests it and changes its limit', async () => {
    await browser.go('/trunks/new', 'New trunk');
    await browser.type('[name=name]', 'pbx');
    await browser.type('[name="target.host"]', '127.0.0.1');
    await browser.type('[name="target.port"]', String(phone.port));
    await browser.page.click('form [type=submit]');
    await browser.untilText('h1', 'Trunks');
    await browser.until(`document.querySelector('[data-trunk=pbx]')`);
    await click('[data-trunk=pbx] [data-act=test]');
    await browser.untilText('[data-trunk=pbx] [data-role=tested]', 'The test reached the trunk');
    expect(await browser.text('[data-trunk=pbx] [data-role=tested]')).toContain('SIP 200');
    expect(await browser.violations()).toEqual([]);
    await browser.look(`location.hash = document.querySelector('[data-trunk=pbx] [data-focus=edit]').hash`);
    await browser.untilText('h1', 'Edit trunk');
    await browser.type('[name=concurrent_calls]', '7');
    await browser.page.click('form [type=submit]');
    await browser.untilText('[data-trunk=pbx]', '0 of 7');
  });

  it('shows the limits of the account', async () => {
    await browser.go('/account', 'acme');
    await browser.untilText('[data-part=usage]', 'Live calls');
    expect(await browser.text('[data-part=usage]')).toContain('Spend today');
    expect(await browser.violations()).toEqual([]);
  });

  it('says a sentence in a live call, mutes the agent and hangs up', async () => {
    const { call_id: id } = await apiOf(stack, account).createCall({ to_number: `sip:silent@127.0.0.1:${phone.port}` });
    await browser.go(`/calls/${id}`, 'sip:silent');
    await browser.until(`document.querySelector('[data-part=control]')`);
    await browser.type('[name=text]', 'Your technician has arrived.');
    await click('[data-part=control] [type=submit]');
    await browser.untilText('[data-command=say]', 'Done');
    await browser.untilText('.talk', 'Your technician has arrived.');
    await click('[data-switch=mute]');
    await browser.until(`document.querySelector('[data-switch=mute]').ariaChecked === 'true'`);
    expect(await browser.violations()).toEqual([]);
    await click('[data-act=end]');
    await browser.untilText('.call-head .pill', 'Completed');
    expect(await browser.text('[data-part=control]')).toMatch(
      /Commands[^]*Mute agent[^]*Say “Your technician has arrived.”/,
    );
  });

  it('shows the words of a running turn, which the final turn replaces', async () => {
    const { call_id: id } = await apiOf(stack, account).createCall({ to_number: `sip:silent@127.0.0.1:${phone.port}` });
    await browser.go(`/calls/${id}`, 'sip:silent');
    await browser.until(`document.querySelector('[data-part=control]')`);
    const words =
      'Our engineer left the workshop at nine, drives through the town now, and rings the bell at your door soon.';
    await browser.type('[name=text]', words);
    await click('[data-part=control] [type=submit]');
    await browser.untilText('.bubble.now .words', 'Our engineer left');
    expect(await browser.text('.talk')).not.toContain('at your door soon.');
    await browser.untilText('.talk', words);
    expect(await browser.look(`document.querySelector('.bubble.now .words')`)).toBeNull();
    await click('[data-act=end]');
    await browser.untilText('.call-head .pill', 'Completed');
  });

  it('is accessible and fits a small screen in the dark', async () => {
    await browser.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await browser.size(360, 740);
    const places = [
      ['/agents', 'Agents'],
      ['/agents/new', 'New agent'],
      [`/agents/${account.agentId}`, 'Receptionist'],
      ['/trunks/new', 'New trunk'],
      ['/numbers', 'Numbers'],
      ['/trunks', 'Trunks'],
      ['/account', 'acme'],
    ] as const;
    for (const [place, heading] of places) {
      await browser.go(place, heading);
      await browser.until(`!document.body.innerText.includes('Loading')`);
      await browser.look(`document.querySelectorAll('main details').forEach((one) => (one.open = true))`);
      await browser.until(`!document.body.innerText.includes('Loading')`);
      expect([place, await browser.overhang(), await browser.violations()]).toEqual([place, 0, []]);
    }
    expect(browser.complaints).toEqual([]);
  });
});

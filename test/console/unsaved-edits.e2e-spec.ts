import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import type { ConsoleBrowser } from '../support/console-browser.js';
import type { Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';
import { openStoryConsole } from '../support/story-console.js';
import { suiteWith } from '../support/suite-with.js';

const withChromium = suiteWith(['chromium'], () => existsSync('/usr/bin/chromium'));

// Chromium takes long on a busy machine.
jest.setTimeout(120_000);

const DRAFTS = `Object.keys(localStorage).filter((key) => key.startsWith('trunkline.draft.'))`;

withChromium('edits that were not saved', () => {
  const service = Service.get();
  let own: Workspace;
  let browser: ConsoleBrowser;
  let agent: string;

  beforeAll(async () => {
    ({ own, browser } = await openStoryConsole(service));
    agent = `/agents/${own.agentId}`;
    const greeting = 'Hello, this is ACME.';
    await service.as(own.token).patch(`/api/v1${agent}`).send({ name: 'Receptionist', greeting }).expect(200);
    await service.as(own.token).patch(`/api/v1/trunks/${own.trunkId}`).send({ name: 'carrier' }).expect(200);
  });

  afterAll(async () => {
    await browser?.close();
    await service.close();
  });

  /** Types behind what is there. */
  async function append(selector: string, text: string): Promise<void> {
    await browser.focus(selector);
    await browser.page.keyboard.press('End');
    await browser.page.keyboard.type(text);
  }

  const valueOf = (selector: string): Promise<string> =>
    browser.look(`document.querySelector(${JSON.stringify(selector)})?.value`);
  const hash = (): Promise<string> => browser.look('location.hash');

  it('hold every way out of the page: the menu, Back and a typed address', async () => {
    await browser.go('/agents', 'Agents');
    await browser.go(agent, 'Receptionist');
    await append('[name=greeting]', ' Good day.');
    const ways = [
      () => browser.press('#places a[href="#/calls"]'),
      () => browser.look('history.back()'),
      () => browser.look(`location.hash = '#/tokens'`),
    ];
    for (const leave of ways) {
      await leave();
      await browser.untilText('dialog', 'The changes to the agent Receptionist are not saved.');
      await browser.until(`location.hash === '#${agent}'`);
      await browser.until(`document.activeElement.dataset.act === 'stay'`);
      expect(await browser.violations()).toEqual([]);
      await browser.page.keyboard.press('Escape');
      await browser.until(`!document.querySelector('dialog')`);
      expect(await valueOf('[name=greeting]')).toBe('Hello, this is ACME. Good day.');
    }
  });

  it('are kept when the person leaves, and restored when they return: with rows, switches and unnamed fields', async () => {
    await browser.press('[data-act=add-variable]');
    await browser.page.keyboard.type('customer_name');
    await browser.look(`document.querySelector('[name=max_call_seconds]').scrollIntoView()`);
    await browser.click('[name=do_not_call_tool]');
    await browser.press('#places a[href="#/calls"]');
    await browser.press('[data-act=leave]');
    await browser.untilText('h1', 'Calls');
    await browser.go(agent, 'Receptionist');
    await browser.untilText('[data-part=unsaved-draft]', 'Unsaved draft of the agent Receptionist');
    expect(await valueOf('[name=greeting]')).toBe('Hello, this is ACME.');
    expect(await browser.violations()).toEqual([]);
    await browser.press('[data-act=restore]');
    await browser.until(`document.querySelector('[name=do_not_call_tool]').checked`);
    await browser.until(`document.querySelector('[name=greeting]').value === 'Hello, this is ACME. Good day.'`);
    await browser.until(`document.querySelector('.variable-row input').value === 'customer_name'`);
    await browser.untilText('[data-role=greeting]', 'Good day.');
    await browser.until(`!document.querySelector('[data-part=unsaved-draft]')`);
  });

  it('are gone after saving, and the page is left without a question', async () => {
    await browser.press('.agent-form [type=submit]');
    await browser.untilText('.page-head', 'Version 3');
    expect(await browser.look(DRAFTS)).toEqual([]);
    await browser.press('#places a[href="#/calls"]');
    await browser.untilText('h1', 'Calls');
    const { body } = await service.as(own.token).get(`/api/v1${agent}`).expect(200);
    expect(body.data).toMatchObject({ greeting: 'Hello, this is ACME. Good day.', do_not_call_tool: true });
    expect(body.data.variables).toMatchObject([{ name: 'customer_name' }]);
  });

  it('can be discarded while leaving, and a draft of an earlier visit on its page', async () => {
    await browser.go(agent, 'Receptionist');
    await append('[name=greeting]', ' Bye.');
    await browser.press('#places a[href="#/calls"]');
    await browser.press('[data-act=discard-and-leave]');
    await browser.untilText('h1', 'Calls');
    expect(await browser.look(DRAFTS)).toEqual([]);
    await browser.go(agent, 'Receptionist');
    await append('[name=greeting]', ' Soon.');
    await browser.press('#places a[href="#/calls"]');
    await browser.press('[data-act=leave]');
    await browser.untilText('h1', 'Calls');
    await browser.go(agent, 'Receptionist');
    await browser.press('[data-act=discard]');
    await browser.until(`!document.querySelector('[data-part=unsaved-draft]')`);
    expect(await browser.look(DRAFTS)).toEqual([]);
    expect(await valueOf('[name=greeting]')).toBe('Hello, this is ACME. Good day.');
  });

  it('survive the closing of the tab, which asks first; passwords are never kept', async () => {
    const trunk = `/trunks/${own.trunkId}`;
    await browser.go(trunk, 'Edit trunk');
    await append('[name=username]', 'acme');
    await append('[name=password]', 'hunter2-and-more');
    await browser.look(`document.querySelector('[name=more]').closest('details').open = true`);
    await append('[name=more]', '{"inbound": {"password": "hunter3"}}');
    await browser.page.reload();
    expect(browser.asked).toEqual(['beforeunload']);
    await browser.untilMatches('[data-part=unsaved-draft]', /the trunk carrier[^]*Not kept[^]*Password, More settings/);
    expect(await browser.look(`JSON.stringify({ ...localStorage })`)).not.toMatch(/hunter/);
    await browser.press('[data-act=restore]');
    await browser.until(`document.querySelector('[name=username]').value === 'acme'`);
    expect(await valueOf('[name=password]')).toBe('');
    expect(await valueOf('[name=more]')).not.toContain('inbound');
  });

  it('say that somebody changed the same fields meanwhile', async () => {
    await browser.press('#places a[href="#/calls"]');
    await browser.press('[data-act=leave]');
    await browser.untilText('h1', 'Calls');
    await service.as(own.token).patch(`/api/v1/trunks/${own.trunkId}`).send({ username: 'other' }).expect(200);
    await browser.go(`/trunks/${own.trunkId}`, 'Edit trunk');
    await browser.untilText('[data-part=unsaved-draft]', 'The saved values have changed since then.');
  });

  it('end with the session: signing out asks, and removes them', async () => {
    expect((await browser.look<string[]>(DRAFTS)).length).toBe(1);
    await browser.press('[data-act=restore]');
    await browser.until(`document.querySelector('[name=username]').value === 'acme'`);
    await browser.press('[aria-label="Sign out"]');
    await browser.untilText('dialog', 'The changes to the trunk carrier are not saved.');
    await browser.press('[data-act=discard-and-leave]');
    await browser.untilText('h1', 'Sign in');
    expect(await browser.look(DRAFTS)).toEqual([]);
    expect(await hash()).toBe(`#/trunks/${own.trunkId}`);
    expect(browser.complaints).toEqual([]);
  });
});

import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import type { ConsoleBrowser } from '../support/console-browser.js';
import { anAgent, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';
import { openStoryConsole } from '../support/story-console.js';
import { suiteWith } from '../support/suite-with.js';

const withChromium = suiteWith(['chromium'], () => existsSync('/usr/bin/chromium'));

// Chromium takes long on a busy machine.
jest.setTimeout(120_000);

withChromium('deleting in the console', () => {
  const service = Service.get();
  let own: Workspace;
  let browser: ConsoleBrowser;
  let e164: string;

  const me = () => service.as(own.token);
  const agentOfNumber = async (): Promise<unknown> =>
    (await me().get(`/api/v1/numbers/${own.numberId}`).expect(200)).body.data.agent_id;

  beforeAll(async () => {
    ({ own, browser } = await openStoryConsole(service));
    await me().patch(`/api/v1/agents/${own.agentId}`).send({ name: 'Receptionist' }).expect(200);
    const number = { agent_id: own.agentId, name: 'Main line' };
    const { body } = await me().patch(`/api/v1/numbers/${own.numberId}`).send(number).expect(200);
    ({ e164 } = body.data as { e164: string });
    const campaign = { name: 'spring', agent_id: own.agentId, number_ids: [own.numberId], trunk_id: own.trunkId };
    await me().post('/api/v1/campaigns').send(campaign).expect(201);
  });

  afterAll(async () => {
    await browser?.close();
    await service.close();
  });

  it('asks with the name and what depends on the record; Escape deletes nothing, and returns to the button', async () => {
    await browser.go('/trunks', 'Trunks');
    await browser.focus('[data-focus=delete]');
    await browser.page.keyboard.press('Enter');
    await browser.untilMatches(
      'dialog',
      /^Delete the trunk trunk-\d+\?[^]*127\.0\.0\.1[^]*Campaigns that use it: spring\./,
    );
    expect(await browser.violations()).toEqual([]);
    await browser.page.keyboard.press('Escape');
    await browser.until(`!document.querySelector('dialog')`);
    await browser.until(`document.activeElement.dataset.focus === 'delete'`);
    await me().get(`/api/v1/trunks/${own.trunkId}`).expect(200);
    await browser.go('/numbers', 'Numbers');
    await browser.untilText(`[data-number="${e164}"]`, 'answered by Receptionist');
    await browser.press(`[data-number="${e164}"] [data-focus=delete]`);
    await browser.untilMatches('dialog', /Receptionist answers them now[^]*spring/);
    await browser.press('[data-act=keep]');
  });

  it('lists the numbers of an agent and gives them to another one', async () => {
    const other = await anAgent(service.pool, own.accountId, { name: 'Night service' });
    await browser.go('/agents', 'Agents');
    await browser.click('[data-agent=Receptionist] [data-focus=delete]');
    await browser.untilText('[data-part=numbers-of-agent]', e164);
    await browser.untilText('dialog', 'Campaigns that call with it, and pause: spring.');
    await browser.page.setViewport({ width: 390, height: 844 });
    expect([await browser.violations(), await browser.overhang()]).toEqual([[], 0]);
    await browser.size(1280, 900);
    await browser.select('[data-part=numbers-of-agent] select', String(other));
    await browser.press('[data-act=confirm]');
    await browser.until(`!document.querySelector('[data-agent=Receptionist]')`);
    await browser.until(`document.activeElement.ariaLabel === 'Agents'`);
    expect(await agentOfNumber()).toBe(other);
  });

  it('names the numbers that have no agent afterwards', async () => {
    await browser.press('[data-agent="Night service"] [data-focus=delete]');
    await browser.untilText('[data-part=numbers-of-agent]', e164);
    await browser.press('[data-act=confirm]');
    await browser.untilText('[data-role=warnings]', `Calls to ${e164} (Main line) are not answered any more`);
    expect(await browser.violations()).toEqual([]);
    await browser.press('dialog a');
    await browser.untilText('h1', 'Numbers');
    expect(await browser.look(`document.querySelector('dialog')`)).toBeNull();
    expect(await agentOfNumber()).toBeNull();
  });

  it('keeps an agent that got a number while the question was open', async () => {
    const fresh = await anAgent(service.pool, own.accountId, { name: 'Day service' });
    await browser.go('/agents', 'Agents');
    await browser.press('[data-agent="Day service"] [data-focus=delete]');
    await browser.until(
      `document.querySelector('dialog') && !document.querySelector('dialog').innerText.includes('Loading')`,
    );
    expect(await browser.text('[data-part=numbers-of-agent]')).toBe('');
    await me().patch(`/api/v1/numbers/${own.numberId}`).send({ agent_id: fresh }).expect(200);
    await browser.press('[data-act=confirm]');
    await browser.untilText('[data-agent="Day service"]', `The agent answers ${e164}.`);
    expect(browser.complaints).toEqual([]);
  });
});

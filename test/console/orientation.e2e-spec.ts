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

withChromium('orientation in the console', () => {
  const service = Service.get();
  let own: Workspace;
  let browser: ConsoleBrowser;
  let errors: string[];
  let campaign: number;

  const me = () => service.as(own.token);

  beforeAll(async () => {
    ({ own, browser, errors } = await openStoryConsole(service));
    await me().patch(`/api/v1/agents/${own.agentId}`).send({ name: 'Receptionist' }).expect(200);
    const schedule = { windows: [], start_at: new Date(Date.now() + 3_600_000).toISOString() };
    const body = { name: 'spring', agent_id: own.agentId, number_ids: [own.numberId], trunk_id: own.trunkId, schedule };
    campaign = (await me().post('/api/v1/campaigns').send(body).expect(201)).body.data.id as number;
    const contacts = [{ to_number: '+15550007777' }];
    await me().post(`/api/v1/campaigns/${campaign}/contacts`).send({ contacts }).expect(201);
  });

  afterAll(async () => {
    await browser?.close();
    await service.close();
  });

  it('shows whose console it is', async () => {
    await browser.untilMatches('.who-am-i', /^account-\S+\s+API token$/);
  });

  it('opens the overview at the address #/', async () => {
    await browser.go('/calls', 'Calls');
    await browser.go('/', 'Overview');
    expect(await browser.text('#places [aria-current]')).toBe('Overview');
  });

  it('leads from empty lists to the next step, in the console', async () => {
    const steps = [
      ['/overview', '.first-steps', 'Create an agent'],
      ['/calls', '.empty', 'Place the first one with the form on this page.'],
      [`/tools/${own.agentId}`, '.empty', 'New tool'],
      [`/knowledge/${own.agentId}`, '.empty', 'with the form on this page'],
      ['/webhooks', '.empty', 'send a test with the form on this page'],
      ['/do-not-call', '.empty', 'with the forms on this page'],
    ] as const;
    for (const [path, place, text] of steps) {
      await browser.look(`location.hash = '#${path}'`);
      await browser.untilText(place, text);
      expect([path, await browser.text('main')]).toEqual([path, expect.not.stringMatching(/curl|bin\/trunkline/)]);
    }
  });

  it('names records in the audit log, and links to those that exist', async () => {
    await browser.go('/audit', 'Audit log');
    await browser.untilText('[data-action="agent.updated"]', 'Token test · agent Receptionist');
    await browser.untilText('[data-action="campaign.created"]', 'campaign spring');
    const link = `[data-action="campaign.created"] a[href="#/campaigns/${campaign}"]`;
    await browser.press(link);
    await browser.untilText('h1', 'spring');
  });

  it('names the agent, the numbers and the trunk of a campaign', async () => {
    const { body } = await me().get(`/api/v1/numbers/${own.numberId}`).expect(200);
    await browser.untilMatches('[data-part=settings]', /Agent\s+Receptionist[^]*Trunk\s+trunk-\d+/);
    await browser.untilText('[data-part=settings]', String(body.data.e164));
    await browser.go('/campaigns', 'Campaigns');
    await browser.untilText('[data-campaign=spring]', 'Receptionist');
  });

  it('shows the state of contacts as it is now, and waiting ones apart from those that were not reached', async () => {
    await browser.go(`/campaigns/${campaign}`, 'spring');
    await browser.untilText('[data-contact]', 'The campaign has not been started.');
    await browser.press('[data-act=start]');
    await browser.untilText('[data-contact]', 'The schedule of the campaign begins later.');
    await browser.untilText('[aria-label="Waiting contacts, by reason"]', 'Waiting for start');
    expect(await browser.look(`document.querySelector('[aria-label="Contacts not reached, by reason"]')`)).toBeNull();
    await browser.press('[data-focus=cancel]');
    await browser.untilText('dialog', 'Cancel the campaign spring?');
    await browser.press('[data-act=confirm]');
    await browser.untilText('[data-contact]', 'The campaign was cancelled.');
    await browser.untilText('[aria-label="Contacts not reached, by reason"]', 'Campaign cancelled');
  });

  it('says of a call that was never dialled that it has no SIP messages', async () => {
    const order = { agent_id: own.agentId, number_id: own.numberId, to_number: `sip:answer@127.0.0.1:9` };
    const later = { ...order, not_before: new Date(Date.now() + 3_600_000).toISOString() };
    const id = (await me().post('/api/v1/calls').send(later).expect(201)).body.data.call_id as string;
    await me().post(`/api/v1/calls/${id}/cancel`).expect(200);
    await browser.go(`/calls/${id}`, 'sip:answer');
    await browser.untilText('[data-part=ladder]', 'The call ended before it was dialled.');
  });

  it('folds filters away on a phone, and tells how many are set', async () => {
    await browser.size(390, 844);
    for (const [path, heading] of [
      ['/calls', 'Calls'],
      ['/overview', 'Overview'],
      ['/audit', 'Audit log'],
    ] as const) {
      await browser.go(path, heading);
      await browser.untilText('[data-part=filters] > summary', 'Filters');
      expect(await browser.look(`document.querySelector('[data-part=filters] select').checkVisibility()`)).toBe(false);
      expect([path, await browser.overhang(), await browser.violations()]).toEqual([path, 0, []]);
    }
    await browser.go('/calls?status=failed&direction=inbound', 'Calls');
    await browser.untilText('[data-part=filters] > summary', 'Filters (2)');
    await browser.focus('[data-part=filters] > summary');
    await browser.page.keyboard.press('Enter');
    await browser.until(`document.querySelector('[data-part=filters] select').checkVisibility()`);
    await browser.size(1280, 900);
    await browser.until(`!document.querySelector('[data-part=filters] > summary').checkVisibility()`);
    expect(await browser.look(`document.querySelector('[data-part=filters] select').checkVisibility()`)).toBe(true);
    expect([errors, browser.complaints]).toEqual([[], []]);
  });
});

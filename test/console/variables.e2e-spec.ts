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

const VARIABLES = [
  { name: 'customer_name', required: true, max_length: 20, description: 'First name of the customer.' },
  { name: 'items', default: 3 },
  { name: 'is_member', default: false },
];

withChromium("the variables of an agent in the console's forms", () => {
  const service = Service.get();
  let own: Workspace;
  let browser: ConsoleBrowser;
  let phone: string;

  const me = () => service.as(own.token);

  beforeAll(async () => {
    ({ own, browser } = await openStoryConsole(service));
    const texts = { name: 'Shop', greeting: 'Hello {{customer_name}}, {{items}} items, member {{is_member}}.' };
    await me()
      .patch(`/api/v1/agents/${own.agentId}`)
      .send({ ...texts, variables: VARIABLES })
      .expect(200);
    phone = `sip:hangup_after_1@127.0.0.1:${service.sandboxPort}`;
  });

  afterAll(async () => {
    await browser?.close();
    await service.close();
  });

  /** The variables of the call whose page is open. */
  async function variablesOfCall(): Promise<unknown> {
    await browser.until(`location.hash.startsWith('#/calls/')`);
    const id = await browser.look<string>(`location.hash.split('/')[2]`);
    return (await me().get(`/api/v1/calls/${id}`).expect(200)).body.data.variables;
  }

  it('are fields of the box that places calls, with their errors', async () => {
    await browser.go('/calls', 'Calls');
    const name = '.dial [data-field="variables.customer_name"]';
    await browser.untilMatches(name, /^customer_name\s+First name of the customer\.$/);
    await browser.untilMatches('.dial [data-field="variables.items"]', /items \(optional\)\s+Default: 3\./);
    await browser.type('.dial [name=to_number]', phone);
    await browser.page.keyboard.press('Enter');
    await browser.untilText(`${name} .field-error`, 'required by the agent');
    await browser.until(`document.activeElement.name === 'variables.customer_name'`);
    expect(await browser.violations()).toEqual([]);
    await browser.page.keyboard.type('Ada');
    await browser.type('.dial [name="variables.items"]', '5');
    await browser.select('.dial [name="variables.is_member"]', 'true');
    await browser.press('.dial [type=submit]');
    expect(await variablesOfCall()).toEqual({ customer_name: 'Ada', items: 5, is_member: true });
  });

  it('are asked for when the agent calls the person, whose number the browser remembers', async () => {
    await browser.go(`/agents/${own.agentId}`, 'Shop');
    const form = '[data-part=call-me]';
    await browser.press(`${form} > summary`);
    await browser.type(`${form} [name=to_number]`, phone);
    await browser.page.keyboard.press('Enter');
    await browser.untilText(`${form} [data-field="variables.customer_name"] .field-error`, 'required by the agent');
    await browser.type(`${form} [name="variables.customer_name"]`, 'Bea');
    await browser.page.keyboard.press('Enter');
    // Empty fields have their defaults.
    expect(await variablesOfCall()).toEqual({ customer_name: 'Bea' });
    await browser.go(`/agents/${own.agentId}`, 'Shop');
    await browser.until(`document.querySelector('${form} [name=to_number]')?.value === ${JSON.stringify(phone)}`);
    const keys = await browser.look<string[]>(`Object.keys(localStorage).filter((key) => key.includes('my-number'))`);
    expect(keys).toEqual([`trunkline.my-number.${own.accountId}`]);
  });

  it('are those of the preview in a test conversation, whose errors open their fields', async () => {
    await browser.press('[data-part=trial] [type=submit]');
    await browser.until(`document.activeElement.name === 'variables.customer_name'`);
    await browser.untilText('[data-part=trial] [data-field="variables.customer_name"] .field-error', 'required');
    expect(await browser.violations()).toEqual([]);
    await browser.page.keyboard.type('Cleo');
    await browser.until(`document.querySelector('[name="value.customer_name"]').value === 'Cleo'`);
    await browser.untilText('[data-role=greeting]', 'Hello Cleo, 3 items');
    await browser.press('[data-part=trial] [type=submit]');
    await browser.untilText('.trial', 'Hello Cleo, 3 items');
  });

  it('have values for all contacts of a campaign', async () => {
    await browser.go('/campaigns/new', 'New campaign');
    await browser.type('[name=name]', 'spring');
    await browser.untilText('[data-part=variables]', 'A contact without a required value is not called.');
    await browser.type('[name="variables.items"]', '7');
    await browser.press('form [type=submit]');
    await browser.untilText('h1', 'spring');
    const { body } = await me().get('/api/v1/campaigns').expect(200);
    expect(body.data).toMatchObject([{ name: 'spring', variables: { items: 7 } }]);
    const { id } = body.data[0] as { id: number };
    await browser.go(`/campaigns/${id}/edit`, 'Edit campaign');
    await browser.until(`document.querySelector('[name="variables.items"]')?.value === '7'`);
    await browser.type('[name="variables.items"]', '');
    await browser.press('form [type=submit]');
    await browser.untilText('h1', 'spring');
    expect((await me().get(`/api/v1/campaigns/${id}`).expect(200)).body.data.variables).toBeNull();
    expect(browser.complaints).toEqual([]);
  });
});

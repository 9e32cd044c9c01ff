import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { ConsoleBrowser } from '../support/console-browser.js';
import type { Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';
import { speechFile } from '../support/speech-file.js';
import { suiteWith } from '../support/suite-with.js';

const withChromium = suiteWith(['chromium'], () => existsSync('/usr/bin/chromium'));

// Chromium takes long on a busy machine.
jest.setTimeout(120_000);

const TALK = '[data-part=talk-live]';
const SUBMIT = `${TALK} [type=submit]`;

withChromium('a talk with an agent in the browser', () => {
  const service = Service.get();
  let own: Workspace;
  let speech: Awaited<ReturnType<typeof speechFile>>;
  let browser: ConsoleBrowser;

  const me = () => service.as(own.token);

  beforeAll(async () => {
    own = await service.account();
    const texts = { name: 'Receptionist', greeting: 'Hello, this is ACME.', instructions: 'You sell tea. Be brief.' };
    await me().patch(`/api/v1/agents/${own.agentId}`).send(texts).expect(200);
    speech = await speechFile(service, own.token);
    browser = await ConsoleBrowser.open('about:blank', undefined, speech.path);
    await browser.allowMicrophone(service.baseUrl, true);
    await browser.page.goto(`${service.baseUrl}/console#token=${own.token}&to=/agents/${own.agentId}/talk`);
  });

  afterAll(async () => {
    await browser?.close();
    await speech?.remove();
    await service.close();
  });

  /** Words of a turn, once they are final. */
  const untilSaid = (text: string): Promise<void> => browser.untilText(`${TALK} [role=log]`, text);

  async function hangUp(): Promise<string> {
    await browser.press(`${TALK} [data-act=hang-up]`);
    await browser.untilText(`${TALK} [data-role=end]`, 'The talk has ended.');
    return browser.look<string>(`document.querySelector('${TALK} [data-role=call-link]').hash.split('/')[2]`);
  }

  it('is opened by a link that signs in, and runs by keyboard with words, levels and keys', async () => {
    await browser.untilText('h1', 'Talk to Receptionist');
    expect(await browser.look('location.hash')).toBe(`#/agents/${own.agentId}/talk`);
    await browser.untilText(TALK, 'does not understand words');
    await browser.focus(SUBMIT);
    await browser.page.keyboard.press('Enter');
    await untilSaid('Hello, this is ACME.');
    await browser.until(`document.activeElement.dataset.act === 'hang-up'`);
    const level = (role: string): string => `${TALK} .level.${role} [role=meter]`;
    for (const role of ['user', 'agent'])
      await browser.until(`Number(document.querySelector('${level(role)}').getAttribute('aria-valuenow')) > 2`);
    await browser.untilMatches(`${TALK} [role=log]`, /You\s+spoke for [\d.]+ s/);
    expect(await browser.violations()).toEqual([]);
    await browser.page.keyboard.press('Tab');
    await browser.page.keyboard.press('Space');
    await browser.until(`document.querySelector('${TALK} [data-act=mute]').getAttribute('aria-checked') === 'true'`);
    await browser.untilText(`${TALK} .level.user`, 'muted');
    await browser.page.keyboard.press('Tab');
    await browser.page.keyboard.press('Enter');
    await browser.page.keyboard.press('Tab');
    await browser.page.keyboard.press('0');
    await browser.untilText(TALK, 'Pressed 0');
    await untilSaid('You sell tea');
    expect(await browser.violations()).toEqual([]);
  });

  it('ends with a link to the call, which the list has with its channel', async () => {
    const id = await hangUp();
    await browser.until(`document.activeElement.closest('${TALK}')`);
    await browser.press(`${TALK} [data-role=call-link]`);
    await browser.untilText('.call-head .pill', 'Completed');
    await browser.untilText('.call-head', 'In the browser, with Receptionist');
    await browser.untilMatches('[data-part=details]', /Channel\s+Web/);
    await browser.untilText('[data-part=talk]', 'Hello, this is ACME.');
    await browser.go('/calls?channel=phone', 'Calls');
    await browser.untilText('.empty', 'No matching calls');
    await browser.select('[aria-label=Channel]', 'web');
    await browser.untilText(`[data-call="${id}"]`, 'Web call');
    expect(await browser.violations()).toEqual([]);
    const { data } = (await me().get(`/api/v1/calls/${id}`).expect(200)).body;
    expect(data).toMatchObject({ channel: 'web', status: 'completed', ended_by: expect.any(String) });
  });

  it('beside the editor has the unsaved texts of the screen', async () => {
    await browser.go(`/agents/${own.agentId}`, 'Receptionist');
    await browser.type('[name=greeting]', 'Good evening.');
    await browser.press(SUBMIT);
    await untilSaid('Good evening.');
    const id = await hangUp();
    expect((await me().get(`/api/v1/calls/${id}`).expect(200)).body.data.agent_version).toBe(2);
    expect((await me().get(`/api/v1/agents/${own.agentId}`).expect(200)).body.data.greeting).toBe(
      'Hello, this is ACME.',
    );
  });

  it('with other unsaved settings stores them as one draft, which no other call gets', async () => {
    await browser.press('[name=do_not_call_tool]');
    for (const greeting of ['Good night.', 'Good morning.']) {
      await browser.type('[name=greeting]', greeting);
      await browser.press(SUBMIT);
      await untilSaid(greeting);
      await hangUp();
    }
    await browser.untilText('[data-version="3"]', 'tried by talking');
    const { body } = await me().get(`/api/v1/agents/${own.agentId}/versions`).expect(200);
    const versions = body.data as { version: number; state: string }[];
    expect(versions.map(({ version, state }) => [version, state])).toEqual([
      [3, 'draft'],
      [2, 'current'],
      [1, 'superseded'],
    ]);
  });

  it('asks for required variables, and shows their errors at their fields', async () => {
    await me()
      .patch(`/api/v1/agents/${own.agentId}`)
      .send({ greeting: 'Hello {{customer_name}}.', variables: [{ name: 'customer_name', required: true }] })
      .expect(200);
    await browser.press('[data-act=draft]');
    // Edits are unsaved until the draft is stored, and the page asks before it is left.
    await browser.untilText('[data-version="5"]', 'Draft');
    await browser.go('/agents', 'Agents');
    await browser.press('[data-agent=Receptionist] [data-focus=talk]');
    await browser.press(SUBMIT);
    const field = `${TALK} [data-field="variables.customer_name"]`;
    await browser.untilText(`${field} .field-error`, 'required');
    await browser.until(`document.activeElement.name === 'variables.customer_name'`);
    await browser.page.keyboard.type('Ada');
    await browser.page.keyboard.press('Enter');
    await untilSaid('Hello Ada.');
    await hangUp();
  });

  it('says what to do when the browser refuses the microphone, and creates no call', async () => {
    const before = (await me().get('/api/v1/calls?channel=any').expect(200)).body.meta.total as number;
    await browser.allowMicrophone(service.baseUrl, false);
    await browser.go('/agents', 'Agents');
    await browser.press('[data-agent=Receptionist] [data-focus=talk]');
    await browser.untilText(`${TALK} [data-role=microphone]`, 'blocked for this page');
    await browser.type(`${TALK} [name="variables.customer_name"]`, 'Ada');
    await browser.page.keyboard.press('Enter');
    await browser.untilText(`${TALK} [role=alert]`, 'The microphone is blocked.');
    await browser.untilText(SUBMIT, 'Talk again');
    expect(await browser.violations()).toEqual([]);
    expect((await me().get('/api/v1/calls?channel=any').expect(200)).body.meta.total).toBe(before);
    expect(browser.complaints).toEqual([]);
  });
});

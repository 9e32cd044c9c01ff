import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dataOf } from '@app/client';
import type { SandboxPhone } from '@app/sandbox/phone';
import type { HTTPRequest } from 'puppeteer-core';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConsoleBrowser } from '../../support/console-browser.js';
import { suiteWith } from '../../support/suite-with.js';
import { type ConsoleEnvironment, followTokenLink, openSignedInConsole } from '../../support/console-environment.js';
import type { Stack } from '../../support/stack.js';
import type { WebhookReceiver } from '../../support/webhook-receiver.js';
import { apiOf } from '../../support/api-client.js';
import type { TestAccount } from '../../support/workspace.js';

/** As of an iPhone 14. */
const PHONE = { width: 390, height: 844, isMobile: true, hasTouch: true };
const PARCELS = 'A parcel takes two days. '.repeat(4_000);

const withChromium = suiteWith(['chromium']);

withChromium('the console', () => {
  let environment: ConsoleEnvironment | undefined;
  let stack: Stack;
  let phone: SandboxPhone;
  let shop: WebhookReceiver;
  let account: TestAccount;
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    environment = await openSignedInConsole();
    ({ stack, phone, shop, account, browser } = environment);
  });

  afterAll(() => environment?.close());

  /** The tool gets its answer when the returned function is called: a slow page still sees the live call. */
  const holdOrders = (): (() => void) => {
    const { answer } = shop;
    const held: (() => void)[] = [];
    shop.answer = (webhook, response) => {
      if (webhook.path.startsWith('/orders/')) held.push(() => answer(webhook, response));
      else answer(webhook, response);
    };
    return () => {
      shop.answer = answer;
      for (const send of held.splice(0)) send();
    };
  };

  it('shows the first steps to an account without calls', async () => {
    await browser.untilText('.empty', 'No calls yet');
    await browser.untilMatches('.first-steps', /Create an agent\s+\(done\)/);
    expect(await browser.violations()).toEqual([]);
    await browser.go('/calls', 'Calls');
    await browser.untilText('.empty', 'Place the first one with the form on this page.');
  });

  it('uploads a file with a progress bar and finds its content', async () => {
    await browser.go(`/knowledge/${account.agentId}`, 'Knowledge');
    await browser.untilText('.empty', 'No knowledge yet');
    const file = join(stack.home, 'parcels.txt');
    await writeFile(file, PARCELS);
    const input = await browser.page.waitForSelector('input[type=file]');
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(file);
    await browser.look(`document.querySelector('.drop').closest('form').requestSubmit()`);
    await browser.until(`Number(document.querySelector('[data-role=upload]').dataset.seen) > 0`);
    await browser.untilText('.knowledge-row', 'Completed');
    await browser.untilMatches('.knowledge-row', /parcels\n[^]*100 kB · 20,000 words/);
    await browser.type('[name=query]', 'how long does a parcel take');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('.found', 'A parcel takes two days.');
    expect(await browser.look('document.querySelector(".found mark").innerText')).toBe('parcel');
    expect(await browser.violations()).toEqual([]);
  });

  it('calls the sandbox phone and shows the live call', async () => {
    await browser.go('/calls', 'Calls');
    await browser.click('[data-extension=busy]');
    expect(await browser.look('document.querySelector(".dial [name=to_number]").value')).toBe(
      `sip:busy@127.0.0.1:${phone.port}`,
    );
    const release = holdOrders();
    await browser.type('.dial [name=to_number]', `sip:press_1@127.0.0.1:${phone.port}`);
    await browser.page.keyboard.press('Enter');
    await browser.until(`location.hash.startsWith('#/calls/')`);
    await browser.untilText('.call-head .pill', 'In progress');
    await browser.untilText('.watching', 'live');
    await browser.untilText('.talk', 'Hello.');
    release();
    await browser.untilText('.talk', 'Your order is shipped.');
    await browser.untilText('.call-head .pill', 'Completed');
    await browser.until(`document.querySelector('audio')?.duration > 1`);
  });

  it('shows transcript, knowledge, tools, cost, quality, latency and SIP ladder of an ended call', async () => {
    await browser.until(`document.querySelector('[data-part=transfers]').hidden`);
    await browser.untilMatches('.facts', /Cost\n\$0\.\d+[^]*Ended by\nAgent[^]*Cause\nThe agent hung up/);
    await browser.untilMatches('.summary-text', /^The agent spoke [^]*Tools used: [^]*find_order/);
    await browser.untilMatches(
      '[data-part=costs]',
      /Carrier, seconds from the answer\n[\d.]+ seconds at \$0\.\d+[^]*Total/,
    );
    await browser.untilMatches('[data-part=details]', /From\n\+\d+[^]*Rang for\n[\d.]+ m?s/);
    await browser.untilMatches('.talk', /Callee pressed\s+1\s[^]*Searched for “parcel”: \d passage[^]*Find order/);
    await browser.untilMatches('[data-part=tools]', /Find order[^]*Succeeded[^]*lookup[^]*200 in/);
    await browser.untilText('[data-part=knowledge]', 'A parcel takes two days.');
    await browser.untilText('[data-part=ladder]', 'MOS');
    await browser.untilMatches(
      '[data-part=quality]',
      /Received\s+4\.\d \(good\)[^]*Total\s+\d[^]*model time includes synthesis/,
    );
    await browser.untilMatches('.ladder', /INVITE[^]*180 Ringing[^]*200 OK \(INVITE\)[^]*ACK[^]*BYE[^]*200 OK \(BYE\)/);
    await browser.click('.ladder summary');
    await browser.untilText('.ladder [open] pre', 'Max-Forwards: 70');
    await browser.click('[data-source=sip]');
    await browser.untilMatches('.timeline', /^\d+\.\d{3}\s+SIP\s+→ INVITE/);
    await browser.until('document.querySelectorAll(".story .bar-of").length > 8');
  });

  it('plays the recording from the start of a turn', async () => {
    const [, second = 'no second turn'] = await browser.look<string[]>(
      `[...document.querySelectorAll('.turn.agent .at')].map((one) => one.innerText)`,
    );
    await browser.look(`document.querySelectorAll('.turn.agent .at')[1].click()`);
    await browser.untilExists('.turn.playing');
    await browser.untilText('.turn.playing', second);
    await browser.look(`document.querySelector('audio').pause()`);
  });

  it('shows the webhooks of a call and replays one', async () => {
    const all = `[...document.querySelectorAll('.delivery .pill')].map((one) => one.innerText)`;
    await browser.until(`${all}.length === 5 && ${all}.every((state) => state === 'Delivered')`);
    await browser.untilMatches('.deliveries', /Status: initiated[^]*Status: completed[^]*Post call/);
    const arrived = (): number => shop.received.filter(({ path }) => path === '/hook').length;
    const before = arrived();
    await browser.focus('[data-replay]');
    await browser.page.keyboard.press('Enter');
    await shop.until(() => arrived() > before);
    await browser.untilText('.delivery', 'replayed');
    await browser.until(`document.activeElement.dataset.focus === 'replay'`);
    await browser.press('.delivery summary');
    await browser.untilText('.delivery .attempts', '200 in');
    expect(await browser.violations()).toEqual([]);
  });

  it('keeps the keyboard focus after hanging up', async () => {
    await browser.go('/calls', 'Calls');
    await browser.type('.dial [name=to_number]', `sip:answer@127.0.0.1:${phone.port}`);
    await browser.page.keyboard.press('Enter');
    await browser.untilText('[data-act=end]', 'Hang up');
    await browser.focus('[data-act=end]');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('.call-head .pill', 'Completed');
    await browser.until(`document.activeElement.tagName === 'H1'`);
    expect(await browser.text('.call-head')).not.toContain('is being ended');
  });

  it('shows the target of a transferred call', async () => {
    const { call_id: id } = await apiOf(stack, account).createCall({
      to_number: `sip:press_8@127.0.0.1:${phone.port}`,
      enable_call_transfer: true,
      // The colleague hangs up after three seconds.
      transfer_phone_number: '+15550002298',
    });
    await browser.go(`/calls/${id}`, 'sip:press_8');
    await browser.untilText('[data-part=transfers]', 'In progress');
    await browser.untilText('[data-part=transfers]', 'Completed');
    await browser.untilMatches(
      '[data-part=transfers]',
      /\+15550002298\s+Completed\s+Bridged to a second leg, caller ID \+\d+\s+[\d:]+ · \d[.\d]* s · Hung up/,
    );
    await browser.untilText('.facts', 'The call was transferred');
    await browser.untilText('[data-part=costs]', 'Total');
    await browser.untilMatches('[data-part=costs]', /Carrier[^]*Carrier[^]*Voice agent/);
  });

  it('runs a tool on trial', async () => {
    await browser.go(`/tools/${account.agentId}`, 'Tools');
    await browser.untilExists('.try summary');
    await browser.click('.try summary');
    const order = '[data-field="arguments.order_id"] input';
    await browser.type(order, '0');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('[data-field="arguments.order_id"] .field-error', 'must be >= 1');
    await browser.type(order, '12');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('[data-role=run]', 'Succeeded');
    await browser.untilText('[data-role=run]', '"status": "shipped"');
    expect(shop.received.map(({ path }) => path)).toContain('/orders/12');
    expect(await browser.violations()).toEqual([]);
  });

  it('shows the errors of a new tool at their fields, before and after sending', async () => {
    await browser.go(`/tools/${account.agentId}`, 'Tools');
    await browser.untilText('.page', '1 tool');
    await browser.press('a.primary');
    await browser.untilText('h1', 'New tool');
    await browser.until(`document.activeElement.tagName === 'H1'`);
    const schema = '[data-field=parameters]';
    await browser.press('.tool-form .form-or-json [data-mode=json]');
    await browser.type(`${schema} textarea`, '{"type": "object",}');
    await browser.untilText(`${schema} .json-state`, 'Line 1, column 19');
    await browser.click('.tool-form [type=submit]');
    await browser.untilText(`${schema} .field-error`, 'Line 1, column 19');
    await browser.type(`${schema} textarea`, '{"type": "object", "properties": {"a": {"type": "text"}}}');
    await browser.type('[name=name]', 'Send SMS');
    await browser.click('.tool-form [type=submit]');
    await browser.untilText('[data-field=name] .field-error', 'letters');
    await browser.until(`document.activeElement.name === 'name'`);
    await browser.type('[name=name]', 'send_sms');
    await browser.type('[name=description]', 'Sends a message.');
    await browser.type('[data-field="webhook_actions.0.name"] input', 'send');
    await browser.type('[data-field="webhook_actions.0.url"] input', 'ftp://shop');
    await browser.click('.tool-form [type=submit]');
    await browser.untilText(`${schema} .field-error`, 'properties.a.type:');
    await browser.type(`${schema} textarea`, '{"type": "object"}');
    await browser.click('.tool-form [type=submit]');
    await browser.untilText('[data-field="webhook_actions.0.url"] .field-error', 'http');
    expect(await browser.violations()).toEqual([]);
  });

  it('creates a tool and never shows its secret header again', async () => {
    await browser.press('.tool-form .form-or-json [data-mode=form]');
    await browser.press('[data-act=add-argument]');
    await browser.type('[name="parameters.properties.0.name"]', 'number');
    await browser.type('[name="parameters.properties.0.description"]', 'Where to.');
    await browser.press('.tool-form .form-or-json [data-mode=json]');
    await browser.untilText('[data-field=parameters] .json-state', '1 argument: number (text).');
    await browser.type('[data-field="webhook_actions.0.url"] input', shop.url('/sms/{{args.number}}'));
    await browser.press('.action-form summary');
    await browser.press('[data-field="webhook_actions.0.headers"] .chip');
    await browser.until(`document.activeElement.ariaLabel === 'Header name'`);
    await browser.page.keyboard.type('X-Api-Key');
    await browser.page.keyboard.press('Tab');
    await browser.page.keyboard.type('s3cret');
    expect(await browser.violations()).toEqual([]);
    await browser.click('.tool-form [type=submit]');
    await browser.untilText('[data-tool=send_sms]', 'Sends a message.');
    await browser.click('[data-tool=send_sms] [data-focus=edit]');
    await browser.untilText('.action-form legend', 'Request 1');
    const value = `document.querySelector('[aria-label="Header value"]')`;
    expect(await browser.look(`[${value}.value, ${value}.placeholder]`)).toEqual(['', 'Leave empty to keep']);
  });

  it('edits a tool and keeps its secret header', async () => {
    await browser.type('[name=description]', 'Sends a text message.');
    await browser.click('.tool-form [type=submit]');
    await browser.untilText('[data-tool=send_sms]', 'Sends a text message.');
    await browser.click('[data-tool=send_sms] .try summary');
    await browser.type('[data-tool=send_sms] [data-field="arguments.number"] input', '555');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('[data-tool=send_sms] [data-role=run]', 'Succeeded');
    const sent = shop.received.find(({ path }) => path === '/sms/555');
    expect(sent?.headers['x-api-key']).toBe('s3cret');
    await browser.click('[data-tool=send_sms] [role=switch]');
    await browser.untilText('[data-tool=send_sms] .pill', 'Inactive');
    await browser.until(`document.activeElement.role === 'switch'`);
  });

  it('deletes a tool after a confirmation', async () => {
    await browser.click('[data-tool=send_sms] [data-focus=delete]');
    await browser.press('[data-act=confirm]');
    await browser.until(`!document.querySelector('[data-tool=send_sms]')`);
    await browser.until(`document.activeElement.ariaLabel === 'Tools'`);
    await browser.untilText('.page', '1 tool');
  });

  it('renames a knowledge base', async () => {
    await browser.go(`/knowledge/${account.agentId}`, 'Knowledge');
    await browser.untilExists('.knowledge-row [data-focus=edit]');
    await browser.click('.knowledge-row [data-focus=edit]');
    await browser.untilText('h1', 'Edit source');
    await browser.type('[name=title]', '');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('[data-field=title] .field-error', 'title');
    await browser.type('[name=title]', 'All about parcels');
    expect(await browser.violations()).toEqual([]);
    await browser.page.keyboard.press('Enter');
    await browser.untilText('.knowledge-row', 'All about parcels');
  });

  it('shows how many passages are found by meaning, while the vectors follow', async () => {
    const answer = async (request: HTTPRequest): Promise<void> => {
      if (!/\/knowledge-bases\?/.test(request.url())) return request.continue();
      const headers = { authorization: `Bearer ${account.token}` };
      const list = (await (await fetch(request.url(), { headers })).json()) as { data: object[] };
      const data = list.data.map((one) => ({ ...one, vectors: { done: 1, of: 4 } }));
      await request.respond({ contentType: 'application/json', body: JSON.stringify({ ...list, data }) });
    };
    const counted = (request: HTTPRequest): void => void answer(request);
    await browser.page.setRequestInterception(true);
    browser.page.on('request', counted);
    await browser.go('/calls', 'Calls');
    await browser.go(`/knowledge/${account.agentId}`, 'Knowledge');
    await browser.untilText('.knowledge-row', 'Embedded: 1 of 4 passages');
    const bar = '.knowledge-row [role=progressbar]';
    expect(await browser.look(`document.querySelector('${bar}').ariaValueNow`)).toBe('25');
    expect(await browser.violations()).toEqual([]);
    await browser.settled();
    browser.page.off('request', counted);
    await browser.page.setRequestInterception(false);
  });

  it('edits a text, which searches find at once', async () => {
    await browser.click('[data-type=text]');
    await browser.type('[name=title]', 'Opening hours');
    await browser.type('[name=content]', 'We open at nine.');
    await browser.click('aside [type=submit]');
    await browser.untilText('.knowledge-row', 'Opening hours');
    await browser.click('.knowledge-row [data-focus=edit]');
    await browser.until(`document.querySelector('[name=content]')?.value === 'We open at nine.'`);
    await browser.type('[name=content]', 'We open at ten.');
    await browser.click('form [type=submit]');
    await browser.untilText('h1', 'Knowledge');
    await browser.type('[name=query]', 'When do you open?');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('.found', 'We open at ten.');
    expect(await browser.text('.found')).not.toContain('at nine');
  });

  it('asks before the token of a link replaces the session', async () => {
    const { token } = await dataOf(
      apiOf(stack, account).POST('/api/v1/tokens', { body: { name: 'other', scopes: ['calls:read' as const] } }),
    );
    const held = () => browser.look<string>(`sessionStorage.getItem('trunkline.token')`);

    // In the open tab, where only the fragment changes.
    await browser.go('/tools', 'Tools');
    await browser.look(`location.hash = '#token=${token}'`);
    await browser.untilText('h1', 'Switch session?');
    expect(await browser.look('location.href')).toBe(`${stack.baseUrl}/console/#/tools`);
    expect(await held()).toBe(account.token);
    await browser.until(`document.activeElement.dataset.act === 'keep'`);
    expect(await browser.violations()).toEqual([]);
    await browser.click('[data-act=keep]');
    await browser.untilText('h1', 'Tools');
    expect(await held()).toBe(account.token);

    // As a link of another page opens it.
    await followTokenLink(environment!, token);
    await browser.untilText('h1', 'Switch session?');
    await browser.click('[data-act=use]');
    await browser.untilText('h1', 'Overview');
    expect(await held()).toBe(token);
    await browser.look(`location.hash = '#token=${account.token}'`);
    await browser.untilText('h1', 'Switch session?');
    await browser.click('[data-act=use]');
    await browser.untilText('h1', 'Overview');
  });

  it.each(['..%2Ftokens', '%2e%2e', '..%2F..%2Fhealth'])(
    'sends no token to another path for the address #/calls/%s',
    async (id) => {
      // The requests of the page before have been sent.
      await browser.go('/calls/none', 'Call not found');
      const paths: string[] = [];
      // Chromium asks for the icon of the page when it likes.
      const note = (request: HTTPRequest): void => {
        if (request.resourceType() === 'fetch') paths.push(new URL(request.url()).pathname);
      };
      browser.page.on('request', note);
      await browser.go(`/calls/${id}`, 'Not found');
      await browser.go('/calls/a%20b%3Fc', 'Call not found');
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

  it('is accessible on every page, in dark mode and on a small screen', async () => {
    await browser.go('/calls', 'Calls');
    await browser.untilText('.calls .row', 'Completed');
    expect(await browser.violations()).toEqual([]);
    await browser.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await browser.size(360, 740);
    const [transferred = '', , searched = ''] = await browser.look<string[]>(
      `[...document.querySelectorAll('.calls a')].map((one) => one.getAttribute('href').slice(1))`,
    );
    await browser.go(`/knowledge/${account.agentId}`, 'Knowledge');
    await browser.untilText('[data-part=sources]', 'All about parcels');
    const passages = await browser.look<string>(
      `document.querySelector('.knowledge li:last-child a[href$="/passages"]').getAttribute('href').slice(1)`,
    );
    const places = [
      ['/overview', 'Overview'],
      ['/calls', 'Calls'],
      [transferred, 'sip:press_8'],
      [searched, 'sip:press_1'],
      [`/knowledge/${account.agentId}`, 'Knowledge'],
      [passages, 'All about parcels'],
      ['/operations', 'Operations'],
      [`/tools/${account.agentId}`, 'Tools'],
      [`/tools/${account.agentId}/new`, 'New tool'],
    ] as const;
    for (const [place, heading] of places) {
      await browser.go(place, heading);
      await browser.until(`!document.body.innerText.includes('Loading')`);
      await browser.look(`document.querySelectorAll('main details').forEach((one) => (one.open = true))`);
      expect([place, await browser.overhang(), await browser.violations()]).toEqual([place, 0, []]);
    }
  });

  it('shows no other agent in place of an unknown one', async () => {
    await browser.go('/knowledge/999999', 'Knowledge');
    await browser.untilText('.empty', 'Agent not found');
    expect(await browser.look(`document.querySelector('.agent-picker select').value`)).toBe('');
    expect(await browser.look(`document.querySelector('.drop')`)).toBeNull();
    await browser.select('.agent-picker select', String(account.agentId));
    await browser.untilText('.knowledge-row', 'Opening hours');
  });

  it('pages through a long list of sources', async () => {
    const api = apiOf(stack, account);
    const path = { agent_id: account.agentId };
    for (let number = 1; number <= 24; number += 1) {
      const body = { title: `Text ${number}`, source_type: 'text' as const, content: 'Something.' };
      await api.POST('/api/v1/agents/{agent_id}/knowledge-bases', { params: { path }, body });
    }
    await browser.go('/calls', 'Calls');
    await browser.go(`/knowledge/${account.agentId}`, 'Knowledge');
    await browser.untilText('.pages', 'Page 1 of 2');
    await browser.untilMatches('[data-part=sources]', /26 sources[^]*Text 24/);
    expect(await browser.text('[data-part=sources]')).not.toContain('All about parcels');
    const older = `[...document.querySelectorAll('.pages button')].at(-1)`;
    await browser.look(`${older}.focus()`);
    await browser.page.keyboard.press('Enter');
    await browser.untilText('.knowledge-row', 'All about parcels');
    await browser.untilText('.pages', 'Page 2 of 2');
    expect(await browser.look(`document.activeElement === ${older}`)).toBe(true);
    expect(await browser.overhang()).toBe(0);
    const last = '.knowledge-row [data-focus=delete]';
    await browser.click(last);
    await browser.press('[data-act=confirm]');
    await browser.untilText('[data-part=sources]', '25 sources');
    await browser.untilText('.knowledge-row', 'Text 24');
    expect(await browser.text('.pages')).toBe('');
  });

  it('has a documentation of the API that fits the screen of a phone', async () => {
    await browser.page.setViewport(PHONE);
    await browser.page.goto(`${stack.baseUrl}/docs#/Calls/createCalls`);
    await browser.until(`document.querySelector('#operations-Calls-createCalls .responses-table')`);
    expect(await browser.look('innerWidth')).toBe(PHONE.width);
    expect(await browser.overhang()).toBeLessThanOrEqual(0);
    expect(await browser.look(`document.querySelector('.operation-filter-input') !== null`)).toBe(true);
  });

  it('works under a strict content security policy without violations', async () => {
    const { headers } = await fetch(`${stack.baseUrl}/console/`);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(browser.complaints).toEqual([]);
  });
});

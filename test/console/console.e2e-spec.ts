import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsoleBrowser } from '../support/console-browser.js';
import type { Workspace } from '../support/factories.js';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { LiveCall } from '../support/live-call.js';
import { Service } from '../support/service.js';
import { suiteWith } from '../support/suite-with.js';

const withChromium = suiteWith(['chromium'], () => existsSync('/usr/bin/chromium'));

// Chromium takes long on a busy machine.
jest.setTimeout(120_000);

withChromium('in a browser', () => {
  const service = Service.get();
  /** Errors that the page logs, and requests that failed. */
  const errors: string[] = [];
  let own: Workspace;
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    own = await service.account();
    const me = service.as(own.token);
    await me.patch(`/api/v1/agents/${own.agentId}`).send({ greeting: 'Hello, this is ACME.' }).expect(200);
    browser = await ConsoleBrowser.open(`${service.baseUrl}/console`, service.browserEndpoint);
    browser.page.on('console', (message) => {
      // The browser logs a failed request without its address.
      if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) errors.push(message.text());
    });
    browser.page.on('response', (response) => {
      if (response.status() >= 400) errors.push(`${response.status()} ${new URL(response.url()).pathname}`);
    });
  });

  afterAll(async () => {
    await browser?.close();
    await service.close();
  });

  describe('the console', () => {
    it('refuses an unknown token at its field, and signs in with a token of the account', async () => {
      await browser.type('[name=token]', 'tk_of_nobody');
      await browser.page.keyboard.press('Enter');
      await browser.untilText('[data-field=token] .field-error', 'This token is not valid.');
      errors.length = 0;
      await browser.type('[name=token]', own.token);
      await browser.page.keyboard.press('Enter');
      await browser.untilText('h1', 'Overview');
    });

    it('shows every page of its menu, and the pages of an agent, without an error', async () => {
      const menu = await browser.look<string[]>(
        `[...document.querySelectorAll('#places a')].map((one) => one.getAttribute('href').slice(1))`,
      );
      expect(menu.length).toBeGreaterThan(12);
      const forms = [
        `/agents/${own.agentId}`,
        '/agents/new',
        `/tools/${own.agentId}/new`,
        '/campaigns/new',
        '/trunks/new',
      ];
      for (const path of [...menu, ...forms]) {
        await browser.look(`location.hash = ${JSON.stringify(`#${path}`)}`);
        await browser.until(`document.querySelector('h1')?.innerText`);
        await browser.settled();
        const text = await browser.text('main');
        expect([path, text.length > 20, text]).toEqual([path, true, expect.not.stringMatching(/[Nn]ot found/)]);
        expect([path, await browser.text('.trouble')]).toEqual([path, '']);
      }
      expect([errors, browser.complaints]).toEqual([[], []]);
    });

    it('shows the validation error of the API at its field and puts the focus there', async () => {
      await browser.go('/calls', 'Calls');
      await browser.type('.dial [name=to_number]', 'nobody');
      await browser.page.keyboard.press('Enter');
      await browser.untilText('[data-field=to_number] .field-error', 'Each phone number must be in E.164');
      await browser.until(`document.activeElement.name === 'to_number'`);
    });

    it('places a call by keyboard and shows it until it has ended', async () => {
      await browser.type('.dial [name=to_number]', `sip:hangup_after_1@127.0.0.1:${service.sandboxPort}`);
      await browser.page.keyboard.press('Enter');
      await browser.until(`location.hash.startsWith('#/calls/')`);
      await browser.untilText('.call-head .pill', 'Completed');
      await browser.untilMatches('.facts', /Cost\n\$0/);
      await browser.untilMatches('.ladder', /INVITE[^]*200 OK \(INVITE\)[^]*BYE/);
      await browser.go('/calls', 'Calls');
      await browser.untilText('.calls .row', 'Completed');
      expect(await browser.text('.calls .row')).toContain('sip:hangup_after_1');
    });

    it('shows what an agent lacks in the list, on its page and before its call, and then why the call failed', async () => {
      const lacks = 'Not configured: OPENAI_API_KEY is missing';
      const agent = { name: 'Mute', provider: 'openai-live', model: 'gpt-live-1' };
      const made = await service.as(own.token).post('/api/v1/agents').send(agent).expect(201);
      const id = String(made.body.data.id);
      await browser.go('/agents', 'Agents');
      await browser.untilText('[data-agent=Mute] .warnings', lacks);
      await browser.go(`/agents/${id}`, 'Mute');
      await browser.untilText('main .page > .notices', lacks);
      await browser.untilText('[data-part=trial] .notices', lacks);
      await browser.go('/calls', 'Calls');
      await browser.untilExists('.dial [name=agent_id]');
      await browser.page.select('.dial [name=agent_id]', id);
      await browser.untilText('.dial .notices', lacks);
      await browser.type('.dial [name=to_number]', `sip:answer@127.0.0.1:${service.sandboxPort}`);
      await browser.page.keyboard.press('Enter');
      await browser.untilText('.call-head [data-role=failure]', 'needs OPENAI_API_KEY');
      await browser.go('/calls', 'Calls');
      await browser.untilText('.calls [data-role=failure]', 'needs OPENAI_API_KEY');
      expect(await browser.violations()).toEqual([]);
      await service.as(own.token).delete(`/api/v1/agents/${id}`).expect(200);
      // The box for calls reads the agents again on the next visit.
      await browser.go('/agents', 'Agents');
    });

    it('gives a live call the same command as often as it is sent', async () => {
      await browser.go('/calls', 'Calls');
      await browser.type('.dial [name=to_number]', `sip:answer@127.0.0.1:${service.sandboxPort}`);
      await browser.page.keyboard.press('Enter');
      for (const count of [1, 2]) {
        await browser.type('[data-part=control] [name=digits]', '5');
        await browser.page.keyboard.press('Enter');
        await browser.until(`document.querySelectorAll('[data-command=send_dtmf]').length === ${count}`);
      }
      await browser.press('[data-act=end]');
      await browser.untilText('.call-head .pill', 'Completed');
      await browser.go('/calls', 'Calls');
    });

    it('shows the passages of a source, and makes a question without an answer a retrieval test', async () => {
      const client = new KnowledgeClient(service, own);
      // Short sections share a passage.
      const [returns, shipping] = ['Returned within 30 days. ', 'We ship to Norway only. '].map((text) =>
        text.repeat(30),
      );
      const { id } = await client.text('Terms', `# Returns\n\n${returns}\n\n# Shipping\n\n${shipping}`);
      const call = await LiveCall.place(service, own, 'press_90901');
      await call.said(/found nothing/);
      await call.cancel();
      await browser.go(`/knowledge/${own.agentId}`, 'Knowledge');
      await browser.type('[name=query]', 'Norway');
      await browser.page.keyboard.press('Enter');
      await browser.untilMatches(
        '.found',
        /1 passage in[^]*Terms\s+Shipping\s+keyword (?:and semantic )?match · score \d\.\d+/,
      );
      const asked = '[data-question="90901"]';
      await browser.untilMatches(asked, /“90901”\s+1 search/);
      await browser.press(`${asked} [type=submit]`);
      await browser.untilText(`${asked} [role=alert]`, 'expected');
      await browser.select(`${asked} select`, String(id));
      await browser.press(`${asked} [type=submit]`);
      await browser.untilText('[data-part=unanswered]', 'No unanswered questions');
      expect(await client.tests()).toMatchObject([{ questions: ['90901'], expected_knowledge_base_id: id }]);
      await browser.press('.knowledge-row a[href$="/passages"]');
      await browser.untilText('h1', 'Terms');
      await browser.untilMatches(
        '.passages',
        /^1\s+Returns\s+keyword search[^]*Returned within 30 days\.[^]*2\s+Shipping[^]*We ship to Norway only\.$/,
      );
      await browser.untilText('[data-part=quality]', 'Good');
    });

    it('shows what an import of local numbers would do before it begins; Cancel leaves nothing', async () => {
      const ids = { agent_id: own.agentId, number_ids: [own.numberId], trunk_id: own.trunkId };
      const created = await service
        .as(own.token)
        .post('/api/v1/campaigns')
        .send({ name: 'locals', ...ids });
      const path = `/campaigns/${created.body.data.id}`;
      const csv = join(await mkdtemp(join(tmpdir(), 'imports-')), 'liste.csv');
      await writeFile(csv, 'Nr;Vorname\n030 123456;Ada\n0171/2345678;Bo\n4711;Cy\n');
      const choose = async (): Promise<void> => {
        const input = await browser.page.waitForSelector('[data-part=import] [type=file]');
        await (input as unknown as { uploadFile(name: string): Promise<void> }).uploadFile(csv);
        await browser.untilText('[data-part=import-dialog] h2', 'Import liste.csv');
        await browser.untilExists('[data-column=Nr]');
      };
      await browser.go(path, 'locals');
      await choose();
      await browser.untilText('[data-part=import-outcome]', 'The file has no column to_number.');
      await browser.select('[data-column=Nr] select', 'to_number');
      await browser.untilText('[data-part=import-outcome]', '0 contacts will be added · 3 rows refused');
      await browser.select('[data-part=import-dialog] [name=default_country]', 'DE');
      await browser.untilText('[data-part=import-outcome]', '2 contacts will be added · 1 row refused');
      await browser.untilText('[data-part=import-outcome]', 'is not a valid number in DE. 1 row: line 4');
      await browser.untilText('[data-line="3"]', '+491712345678');
      await browser.select('[data-column=Vorname] select', 'variables');
      await browser.until(`document.querySelector('[data-column=Vorname] input')?.value === 'vorname'`);
      expect(await browser.violations()).toEqual([]);
      await browser.press('[data-act=cancel-import]');
      await browser.until(`!document.querySelector('[data-part=import-dialog]')`);
      expect((await service.as(own.token).get(`/api/v1${path}/imports`)).body.data).toEqual([]);
      await choose();
      await browser.select('[data-column=Nr] select', 'to_number');
      await browser.select('[data-part=import-dialog] [name=default_country]', 'DE');
      await browser.untilText('[data-act=import]', 'Import 2 rows');
      await browser.press('[data-act=import]');
      await browser.untilMatches('[data-import=completed]', /2 contacts added[^]*1 refused/);
      await browser.untilText('[data-contact="+4930123456"]', '+4930123456');
    });

    it('takes a number as it is dialled in the default country of the account', async () => {
      await service.as(own.token).patch('/api/v1/account').send({ default_country: 'DE' }).expect(200);
      await browser.look(`location.hash = '#/account'`);
      await browser.untilText('[data-part=country]', 'Germany');
      await browser.go('/do-not-call', 'Do not call');
      await browser.type('[data-part=add] [name=number]', '(0171) 2345678');
      await browser.page.keyboard.press('Enter');
      await browser.untilText('[data-entry="+491712345678"]', '+491712345678');
    });

    it('shows the job queues of the installation to operators', async () => {
      await browser.go('/operations', 'Operations');
      await browser.untilMatches('[data-queue=documents]', /^Documents\s+\d+\s+\d+\s+\d+\s+(?:–|\d+(?:\.\d)? m?s)$/);
      await browser.go('/calls', 'Calls');
    });

    it('is used without a mouse: the first key leads past the menu, and the menu is followed by keys', async () => {
      await browser.page.reload();
      await browser.untilText('h1', 'Calls');
      await browser.page.keyboard.press('Tab');
      expect(await browser.look('document.activeElement.className')).toBe('skip');
      await browser.page.keyboard.press('Enter');
      await browser.until(`document.activeElement.id === 'main' || document.activeElement.closest('main')`);
      await browser.focus('#places a[href="#/audit"]');
      await browser.page.keyboard.press('Enter');
      await browser.untilText('h1', 'Audit log');
    });

    it('shows only what the scopes of its token allow', async () => {
      const created = await service
        .as(own.token)
        .post('/api/v1/tokens')
        .send({ name: 'narrow', scopes: ['agents:read'] })
        .expect(201);
      await browser.look('sessionStorage.clear()');
      await browser.page.goto('about:blank');
      await browser.page.goto(`${service.baseUrl}/console#token=${created.body.data.token}`);
      errors.length = 0;
      await browser.untilText('.trouble', 'The token lacks the scope analytics:read.');
      expect(await browser.look('location.href')).not.toContain('token');
      await browser.go('/calls', 'Calls');
      await browser.untilText('.trouble', 'The token lacks the scope calls:read.');
      const places = await browser.look<string[]>(
        `[...document.querySelectorAll('#places a')].map((one) => one.getAttribute('href').slice(1))`,
      );
      expect(places).toEqual(['/agents', '/web-keys']);
      for (const path of [...places, `/agents/${own.agentId}`, '/webhooks', '/sign-in', '/']) {
        await browser.look(`location.hash = ${JSON.stringify(`#${path}`)}`);
        await browser.settled();
      }
      await browser.untilText('h1', 'Overview');
      // No request was sent that the API refuses.
      expect([errors, browser.complaints]).toEqual([[], []]);
    });
  });

  describe('Swagger UI', () => {
    it('lists the operations of the document by tag, under its content security policy', async () => {
      await browser.page.goto(`${service.baseUrl}/docs`);
      await browser.until(`document.querySelector('.opblock-tag')`);
      const { body } = await service.as().get('/openapi.json').expect(200);
      const document = body as { tags: { name: string }[]; paths: Record<string, Record<string, { tags?: string[] }>> };
      const shown = await browser.look<string[]>(
        `[...document.querySelectorAll('.opblock-tag')].map((tag) => tag.dataset.tag)`,
      );
      expect(shown).toEqual(document.tags.map(({ name }) => name));
      await browser.page.click('[data-tag="Calls"]');
      await browser.until(`document.querySelector('#operations-Calls-createCalls')`);
      const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
      const ofCalls = operations.filter(({ tags }) => tags?.includes('Calls'));
      expect(await browser.look(`document.querySelectorAll('.opblock-tag-section .opblock').length`)).toBe(
        ofCalls.length,
      );
      expect(browser.complaints).toEqual([]);
    });

    it('shows the errors of an operation with their messages', async () => {
      const operation = '#operations-Calls-cancelCall';
      // Another fragment of the same page would not load it again.
      await browser.page.goto('about:blank');
      await browser.page.goto(`${service.baseUrl}/docs#/Calls/cancelCall`);
      await browser.until(`document.querySelectorAll('${operation} .response').length === 6`);
      const responses = await browser.text(`${operation} .responses-table`);
      expect(responses).toContain('The account has no such record, or the ID is malformed.');
      expect(responses).toContain('"message": "The call has already ended and cannot be cancelled."');
      expect(responses).toContain('Seconds after which to retry.');
      expect(browser.complaints).toEqual([]);
    });

    it('asks for a token when the reader presses Authorize', async () => {
      await browser.untilExists('.authorize');
      await browser.page.click('.authorize');
      await browser.untilText('.modal-ux-content', 'A token of your account.');
    });
  });
});

import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { ConsoleBrowser } from '../support/console-browser.js';
import type { Workspace } from '../support/factories.js';
import { PATIENCE_MS } from '../support/eventually.js';
import { Service } from '../support/service.js';
import { openStoryConsole } from '../support/story-console.js';
import { suiteWith } from '../support/suite-with.js';

const withChromium = suiteWith(['chromium'], () => existsSync('/usr/bin/chromium'));

// Chromium takes long on a busy machine.
jest.setTimeout(120_000);

withChromium('the forms of the console', () => {
  const service = Service.get();
  let own: Workspace;
  let browser: ConsoleBrowser;
  let folder: string;

  beforeAll(async () => {
    ({ own, browser } = await openStoryConsole(service));
    folder = await mkdtemp(join(tmpdir(), 'console-forms-'));
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
    await service.close();
  });

  const agentOf = async (id: number): Promise<Record<string, unknown>> => {
    const { body } = await service.as(own.token).get(`/api/v1/agents/${id}`).expect(200);
    return (body as { data: Record<string, unknown> }).data;
  };
  const opened = async (): Promise<number> => {
    await browser.until(`/^#\\/agents\\/\\d+$/.test(location.hash)`);
    return Number((await browser.look<string>('location.hash')).split('/').at(-1));
  };
  const unfold = (): Promise<void> =>
    browser.look(`document.querySelectorAll('main details').forEach((one) => (one.open = true))`);
  const save = (): Promise<void> => browser.press('.agent-form [type=submit]');
  /** Types into an input by keys, and leaves it. */
  const fill = async (name: string, text: string): Promise<void> => {
    await browser.focus(`[name="${name}"]`);
    await browser.page.keyboard.type(text);
  };

  it('declares a variable of a text with one click', async () => {
    await browser.go('/agents/new', 'New agent');
    await browser.type('[name=name]', 'Forms');
    await browser.type('[name=greeting]', 'Hello {{customer_name}}.');
    await browser.untilText('[data-field=greeting]', 'Undeclared variables: {{customer_name}}');
    await browser.press('[data-declare=customer_name]');
    await browser.until(`!document.querySelector('[data-declare]')`);
    expect(await browser.look(`document.querySelector('[aria-label="Variable name"]').value`)).toBe('customer_name');
    expect(await browser.text('[data-field=greeting]')).not.toContain('Undeclared');
  });

  it('builds analysis and transfer destinations without JSON, and saves what the API returns again', async () => {
    await unfold();
    await browser.press('[data-act=add-destination]');
    await fill('call_transfer.destinations.0.name', 'support');
    await fill('call_transfer.destinations.0.to_number', '12');
    await fill('call_transfer.destinations.0.description', 'Technical questions');
    await browser.press('[data-act=add-value]');
    await unfold();
    await fill('analysis.extract.properties.0.name', 'order_number');
    await fill('analysis.extract.properties.0.pattern', '^\\d+$');
    await browser.press('[data-act=add-question]');
    await fill('analysis.rubric.0.name', 'mood');
    await fill('analysis.rubric.0.question', 'How did the caller sound?');
    await browser.select('[name="analysis.rubric.0.type"]', 'enum');
    await fill('analysis.rubric.0.options', 'calm\nannoyed');
    await fill('timezone', 'Europe/Berlin');
    expect(await browser.violations()).toEqual([]);
    await save();
    const number = '[data-field="call_transfer.destinations.0.to_number"]';
    await browser.untilText(`${number} .field-error`, 'E.164');
    await browser.until(`document.activeElement.name === 'call_transfer.destinations.0.to_number'`);
    await browser.look(`document.activeElement.select()`);
    await browser.page.keyboard.type('+15550002222');
    await save();
    expect(await agentOf(await opened())).toMatchObject({
      timezone: 'Europe/Berlin',
      call_transfer: {
        destinations: [{ name: 'support', to_number: '+15550002222', description: 'Technical questions' }],
      },
      analysis: {
        extract: { type: 'object', properties: { order_number: { type: 'string', pattern: '^\\d+$' } } },
        rubric: [{ name: 'mood', question: 'How did the caller sound?', type: 'enum', options: ['calm', 'annoyed'] }],
      },
    });
  });

  it('keeps JSON that the form cannot show, says why, and loses nothing of it', async () => {
    const id = await opened();
    const analysis = {
      extract: {
        type: 'object',
        properties: { address: { type: 'object', properties: { city: { type: 'string' } } } },
      },
    };
    await service.as(own.token).patch(`/api/v1/agents/${id}`).send({ analysis }).expect(200);
    await browser.go('/agents', 'Agents');
    await browser.go(`/agents/${id}`, 'Forms');
    const part = '[data-part=analysis-settings] .form-or-json';
    await browser.untilText(`${part} [data-role=not-shown]`, '“address” is an object');
    await browser.press(`${part} [data-mode=form]`);
    expect(await browser.look(`document.querySelector('${part}').dataset.mode`)).toBe('json');
    await browser.type('[name=greeting]', 'Good day {{customer_name}}.');
    await save();
    await browser.untilText('.page-head', 'Version 3');
    expect(await agentOf(id)).toMatchObject({ greeting: 'Good day {{customer_name}}.', analysis });
  });

  it('switches the arguments of a tool between form and JSON, each with what the other wrote', async () => {
    await browser.go(`/tools/${own.agentId}/new`, 'New tool');
    const part = '.tool-form .form-or-json';
    await browser.type('[name=name]', 'find_order');
    await browser.type('[name=description]', 'Finds an order.');
    await browser.press('[data-act=add-argument]');
    await browser.until(`document.activeElement.name === 'parameters.properties.0.name'`);
    await browser.page.keyboard.type('order_id');
    await browser.select('[name="parameters.properties.0.type"]', 'integer');
    await fill('parameters.properties.0.description', 'The number on the receipt.');
    await browser.press(`${part} [data-mode=json]`);
    const schema = {
      type: 'object',
      properties: { order_id: { type: 'integer', description: 'The number on the receipt.' } },
      required: ['order_id'],
    };
    const text = `document.querySelector('[name=parameters]').value`;
    expect(JSON.parse(await browser.look<string>(text))).toEqual(schema);
    const more = { ...schema, properties: { ...schema.properties, size: { type: 'string', enum: ['S', 'L'] } } };
    await browser.type('[name=parameters]', JSON.stringify(more));
    await browser.press(`${part} [data-mode=form]`);
    await browser.untilExists('[name="parameters.properties.1.enum"]');
    expect(await browser.look(`document.querySelector('[name="parameters.properties.1.enum"]').value`)).toBe('S\nL');
    await browser.press('[aria-label="Move up argument 2"]');
    await browser.press('[aria-label="Remove argument 2"]');
    expect(await browser.violations()).toEqual([]);
    await browser.type('[data-field="webhook_actions.0.name"] input', 'ask');
    await browser.type('[data-field="webhook_actions.0.url"] input', 'https://example.com/orders');
    await browser.press('.tool-form [type=submit]');
    await browser.untilText('[data-tool=find_order]', 'Finds an order.');
    const { body } = await service.as(own.token).get(`/api/v1/agents/${own.agentId}/tools`).expect(200);
    const [tool] = (body as { data: { parameters: object }[] }).data;
    expect(tool?.parameters).toEqual({
      type: 'object',
      properties: { size: { type: 'string', enum: ['S', 'L'] } },
      required: [],
    });
  });

  it('says what the agent speaks around a tool, keeps values of its answer, and shows faults at their fields', async () => {
    await browser.go(`/tools/${own.agentId}/new`, 'New tool');
    await browser.type('[name=name]', 'book_table');
    await browser.type('[name=description]', 'Books a table.');
    await browser.type('[data-field="webhook_actions.0.name"] input', 'book');
    await browser.type('[data-field="webhook_actions.0.url"] input', 'https://example.com/bookings');
    await browser.select('[name="say_before.kind"]', 'words');
    await browser.type('[name=say_before]', 'I book it.\nOne moment, please.');
    await browser.type('[name="say_while_waiting.text"]', 'Still booking.');
    await browser.type('[name=say_on_failure]', 'I cannot reach the desk.');
    await browser.select('[name=mode]', 'background');
    await browser.press('[name=confirm]');
    await browser.press('[name=private]');
    await browser.press('.tool-form [type=submit]');
    await browser.untilText('[data-field=private] .field-error', 'must assign something');
    await browser.type('[name=assign]', '{ "booking_id": "/id" }');
    expect(await browser.violations()).toEqual([]);
    await browser.press('.tool-form [type=submit]');
    await browser.untilText('[data-tool=book_table]', 'Books a table.');
    const { body } = await service
      .as(own.token)
      .get(`/api/v1/agents/${own.agentId}/tools?search=book_table`)
      .expect(200);
    const wanted = {
      say_before: ['I book it.', 'One moment, please.'],
      say_while_waiting: { after_seconds: 4, every_seconds: 15, text: 'Still booking.' },
      say_on_failure: 'I cannot reach the desk.',
      assign: { booking_id: '/id' },
      private: true,
      confirm: true,
      mode: 'background',
    };
    const [stored] = (body as { data: object[] }).data;
    expect(stored).toMatchObject(wanted);
    await browser.press('[data-tool=book_table] [data-act=edit], [data-tool=book_table] a[href*="/tools/"]');
    await browser.untilExists('[name=say_before]');
    expect(await browser.look(`document.querySelector('[name=say_before]').value`)).toBe(
      'I book it.\nOne moment, please.',
    );
  });

  it('duplicates an agent with its tools, finds the copy, exports it and imports it again', async () => {
    await browser.go('/agents', 'Agents');
    const { name } = (await agentOf(own.agentId)) as { name: string };
    await browser.press(`[data-agent="${name}"] [data-act=duplicate]`);
    const copy = `${name} (copy)`;
    await browser.untilExists(`[data-agent="${copy}"]`);
    await browser.type('[aria-label="Search agents"]', 'COPY');
    await browser.until(`document.querySelectorAll('[data-agent]').length === 1`);
    expect(await browser.look('location.hash')).toBe('#/agents?search=COPY');
    await browser.untilText(`[data-agent="${copy}"]`, 'Inactive');

    const session = await browser.page.createCDPSession();
    await session.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
    await browser.press(`[data-agent="${copy}"] [data-act=export]`);
    await browser.untilText(`[data-agent="${copy}"]`, `${copy} was exported.`);
    const path = join(folder, `${name.toLowerCase()}-copy-.yaml`);
    for (
      const late = AbortSignal.timeout(PATIENCE_MS);
      !existsSync(path);
      await new Promise((go) => setTimeout(go, 50))
    )
      late.throwIfAborted();
    const file = parse(await readFile(path, 'utf8')) as { agents: { name: string }[]; agent_tools: object };
    const talking = { name: 'book_table', mode: 'background', confirm: true, assign: { booking_id: '/id' } };
    expect(file).toMatchObject({
      agents: [{ name: copy }],
      agent_tools: { [copy]: [{ name: 'find_order' }, talking] },
    });
    const renamed = { agents: [{ ...file.agents[0], name: 'From a copy' }, { name: copy }], agent_tools: {} };
    await writeFile(path, stringify(renamed));
    const input = await browser.page.waitForSelector('[data-role=import]');
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
    await browser.untilMatches('.page-head', /1 agent imported: From a copy\. .* was not created/);
    await browser.type('[aria-label="Search agents"]', 'from a');
    await browser.untilExists('[data-agent="From a copy"]');
    expect(await browser.violations()).toEqual([]);
  });

  it('compares any two versions', async () => {
    const { body } = await service.as(own.token).get('/api/v1/agents?search=Forms').expect(200);
    const [{ id } = { id: 0 }] = (body as { data: { id: number }[] }).data;
    await browser.go(`/agents/${id}`, 'Forms');
    await browser.untilExists('[data-part=compare]');
    await browser.look(`document.querySelector('[data-part=compare]').open = true`);
    await browser.select('[data-part=compare] [name=before]', '1');
    await browser.untilText('[data-part=compare] .difference', '− Hello {{customer_name}}.');
    await browser.untilText('[data-part=compare] .difference', '+ Good day {{customer_name}}.');
    expect(await browser.violations()).toEqual([]);
  });

  it('plays a sample of the built-in voice through the API', async () => {
    await browser.press('[data-act=sample]');
    await browser.until(`document.querySelector('[data-act=sample]').dataset.playing === 'true'`);
    expect(browser.complaints).toEqual([]);
  });

  it('fits the screen of a phone, in the dark', async () => {
    await browser.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await browser.size(360, 740);
    const { body } = await service.as(own.token).get('/api/v1/agents?search=Forms').expect(200);
    const [{ id } = { id: 0 }] = (body as { data: { id: number }[] }).data;
    for (const [path, heading] of [
      ['/agents', 'Agents'],
      [`/agents/${id}`, 'Forms'],
      [`/tools/${own.agentId}/new`, 'New tool'],
    ] as const) {
      await browser.go(path, heading);
      await browser.settled();
      await unfold();
      await browser.settled();
      expect([path, await browser.overhang(), await browser.violations()]).toEqual([path, 0, []]);
    }
  });
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SandboxPhone } from '@app/sandbox/phone';
import { apiOf } from '../../support/api-client.js';
import type { ConsoleBrowser } from '../../support/console-browser.js';
import { type ConsoleEnvironment, openSignedInConsole } from '../../support/console-environment.js';
import { aListedTool, McpPeer } from '../../support/mcp-peer.js';
import type { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import type { TestAccount } from '../../support/workspace.js';

const withChromium = suiteWith(['chromium']);

withChromium('agents, numbers, trunks and live calls in the console', () => {
  let environment: ConsoleEnvironment | undefined;
  let stack: Stack;
  let phone: SandboxPhone;
  let account: TestAccount;
  let browser: ConsoleBrowser;
  let mcp: McpPeer;

  beforeAll(async () => {
    mcp = await McpPeer.start();
    environment = await openSignedInConsole();
    ({ stack, phone, account, browser } = environment);
  });

  afterAll(async () => {
    await environment?.close();
    await mcp?.close();
  });

  it('creates an agent and shows what it says while its greeting is typed', async () => {
    await browser.go('/agents', 'Agents');
    await browser.untilText('main .rows', 'version 1');
    await browser.go('/agents/new', 'New agent');
    await browser.click('.agent-form [type=submit]');
    await browser.untilText('[data-field=name] .field-error', 'name');
    await browser.type('[name=name]', 'Reminder');
    await browser.click('[data-act=add-variable]');
    await browser.page.keyboard.type('customer_name');
    await browser.type('[name=greeting]', 'Hello {{customer_name | there}}.');
    await browser.click('.agent-form [type=submit]');
    await browser.untilText('h1', 'Reminder');
    await browser.untilText('[data-role=greeting]', 'Hello there.');
    await browser.type('[name="value.customer_name"]', 'Ada');
    await browser.untilText('[data-role=greeting]', 'Hello Ada.');
    await browser.type('[name=greeting]', 'Good day {{customer_name | there}}, {{town}}.');
    await browser.untilText('[data-role=greeting]', 'Good day Ada');
    await browser.untilText('[data-field=greeting]', 'Undeclared variables: {{town}}');
    expect(await browser.violations()).toEqual([]);
  });

  it('saves a draft, compares it, publishes it, and restores the earlier version', async () => {
    await browser.type('[name=greeting]', 'Good day {{customer_name | there}}.');
    await browser.press('[data-act=draft]');
    await browser.untilText('[data-version="2"]', 'Draft');
    await browser.untilText('[data-version="1"]', 'Published');
    await browser.press('[data-version="2"] summary');
    await browser.untilText('[data-version="2"] .difference', '+ Good day {{customer_name | there}}.');
    await browser.untilText('[data-version="2"] .difference', '− Hello {{customer_name | there}}.');
    await browser.type('[data-version="2"] [name=traffic_percent]', '20');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('[data-version="2"]', 'Canary, 20 % of new calls');
    await browser.press('[data-version="2"] [data-act=publish]');
    await browser.untilText('[data-version="2"]', 'Published');
    await browser.until(`document.querySelector('[name=greeting]')?.value.startsWith('Good day')`);
    await browser.press('[data-version="1"] [data-act=restore]');
    await browser.untilText('[data-version="3"]', 'Published');
    await browser.until(`document.querySelector('[name=greeting]')?.value.startsWith('Hello')`);
    expect(await browser.violations()).toEqual([]);
  });

  it('creates an agent with a pipeline, and shows its legs again; other settings stay in the JSON field', async () => {
    await browser.go('/agents/new', 'New agent');
    await browser.type('[name=name]', 'Piped');
    await browser.page.select('[name=provider]', 'pipeline');
    await browser.until(`document.querySelector('[data-part=pipeline]') && !document.querySelector('[name=voice]')`);
    await browser.page.select('[name="pipeline.transcriber.provider"]', 'deepgram');
    await browser.type('[name="pipeline.turns.longest_ms"]', '5');
    await browser.look(`document.querySelector('[name=more]').closest('details').open = true`);
    await browser.type('[name=more]', '{"pipeline": {"languages": ["de"], "turns": {"acknowledgements": ["mhm"]}}}');
    await browser.page.click('.agent-form [type=submit]');
    await browser.untilText('[data-field="pipeline.turns.longest_ms"] .field-error', 'from 50 to 20000');
    await browser.type('[name="pipeline.turns.longest_ms"]', '1200');
    await browser.page.click('.agent-form [type=submit]');
    await browser.untilText('h1', 'Piped');
    expect(await browser.look(`document.querySelector('[name="pipeline.transcriber.provider"]').value`)).toBe(
      'deepgram',
    );
    expect(await browser.look(`document.querySelector('[name="pipeline.turns.longest_ms"]').value`)).toBe('1200');
    expect(JSON.parse(await browser.look<string>(`document.querySelector('[name=more]').value`))).toEqual({
      pipeline: { languages: ['de'], turns: { acknowledgements: ['mhm'] } },
    });
    expect(await browser.violations()).toEqual([]);
  });

  it('talks to the agent in writing', async () => {
    await browser.go(`/agents/${account.agentId}`, 'Receptionist');
    await browser.untilExists('[data-part=trial] form');
    await browser.press('[data-part=trial] [type=submit]');
    await browser.untilText('.trial', 'Hello.');
    await browser.type('[name=says]', 'Good morning.');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('.trial', 'Good morning.');
    await browser.until(`document.activeElement.name === 'says'`);
  });

  it('keeps the headers of a webhook secret and sends new ones', async () => {
    const headers = '[data-field="post_call_webhook.headers"]';
    await browser.go(`/agents/${account.agentId}`, 'Receptionist');
    await browser.press(`${headers} .chip`);
    await browser.page.keyboard.type('X-Key');
    await browser.page.keyboard.press('Tab');
    await browser.page.keyboard.type('open-sesame');
    await browser.press('.agent-form [type=submit]');
    await browser.untilText('.page-head', 'Version 2');
    const value = `document.querySelector('${headers} [aria-label="Header value"]')`;
    await browser.until(`${value}?.placeholder === 'Leave empty to keep'`);
    expect(await browser.look(`${value}.value`)).toBe('');
    await browser.type('[name=greeting]', 'Good morning.');
    await browser.press('.agent-form [type=submit]');
    await browser.untilText('.page-head', 'Version 3');
    const params = { path: { agent_id: account.agentId } };
    const { data } = await apiOf(stack, account).GET('/api/v1/agents/{agent_id}', { params });
    expect(data?.data.post_call_webhook?.headers).toEqual([{ key: 'X-Key', value: '********' }]);
    expect(await browser.violations()).toEqual([]);
  });

  it('adds an MCP server, shows its changed tools, accepts them and deletes the server', async () => {
    mcp.tools = [aListedTool()];
    await browser.go(`/tools/${account.agentId}`, 'Tools');
    await browser.untilText('[data-part=mcp-servers]', 'No MCP servers yet.');
    await browser.press('[data-part=mcp-servers] header a');
    await browser.untilText('h1', 'New MCP server');
    await browser.type('.mcp-form [name=name]', 'Shop');
    await browser.type('.mcp-form [name=url]', mcp.url());
    await browser.press('.mcp-form [type=submit]');
    await browser.untilText('[data-field=name] .field-error', 'snake_case');
    await browser.type('.mcp-form [name=name]', 'shop');
    expect(await browser.violations()).toEqual([]);
    await browser.press('.mcp-form [type=submit]');
    await browser.untilMatches('[data-server=shop]', /shop\s+Connected[^]*1 pinned tool/);
    await browser.untilText('.page', '2 tools');

    mcp.tools = [aListedTool({ description: 'Finds any order.' }), aListedTool({ name: 'deleteOrder' })];
    await browser.click('[data-server=shop] [data-focus=check]');
    await browser.untilMatches('[data-server=shop]', /Changed[^]*deleteOrder\s+Added/);
    expect(await browser.violations()).toEqual([]);
    await browser.click('[data-server=shop] [data-focus=accept]');
    await browser.untilMatches('[data-server=shop]', /Connected[^]*2 pinned tools/);
    await browser.untilText('.page', '3 tools');
    await browser.click('[data-server=shop] [data-focus=delete]');
    await browser.press('[data-act=confirm]');
    await browser.until(`!document.querySelector('[data-server=shop]')`);
    await browser.untilText('.page', '1 tool');
  });

  it('adds a number with its agent, edits it and deletes it', async () => {
    await browser.go('/numbers', 'Numbers');
    await browser.type('aside [name=e164]', '12');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('[data-field=e164] .field-error', 'e164');
    await browser.type('aside [name=e164]', '+15550004242');
    await browser.type('aside [name=name]', 'Hotline');
    await browser.select('aside [name=agent_id]', String(account.agentId));
    await browser.click('aside [type=submit]');
    await browser.untilText('[data-number="+15550004242"]', 'Hotline · answered by Receptionist');
    await browser.click('[data-number="+15550004242"] [data-focus=edit]');
    await browser.untilText('h1', 'Edit number');
    await browser.until(`document.querySelector('[name=name]')?.value === 'Hotline'`);
    await browser.select('[name=agent_id]', '');
    await browser.click('form [type=submit]');
    await browser.untilText('[data-number="+15550004242"]', 'outbound only');
    await browser.click('[data-number="+15550004242"] [data-focus=delete]');
    await browser.press('[data-act=confirm]');
    await browser.until(`!document.querySelector('[data-number="+15550004242"]')`);
    await browser.until(`document.activeElement.ariaLabel === 'Numbers'`);
  });

  it('creates a trunk, tests it and changes its limit', async () => {
    await browser.go('/trunks/new', 'New trunk');
    await browser.type('[name=name]', 'pbx');
    await browser.type('[name="target.host"]', '127.0.0.1');
    await browser.type('[name="target.port"]', String(phone.port));
    await browser.click('form [type=submit]');
    await browser.untilText('h1', 'Trunks');
    await browser.untilExists('[data-trunk=pbx]');
    await browser.press('[data-trunk=pbx] [data-act=test]');
    await browser.untilText('[data-trunk=pbx] [data-role=tested]', 'Trunk reachable');
    await browser.untilText('[data-trunk=pbx] [data-role=tested]', 'SIP 200');
    expect(await browser.violations()).toEqual([]);
    await browser.press('[data-trunk=pbx] [data-focus=edit]');
    await browser.untilText('h1', 'Edit trunk');
    await browser.type('[name=concurrent_calls]', '7');
    await browser.click('form [type=submit]');
    await browser.untilText('[data-trunk=pbx]', '0 of 7');
  });

  it('says a sentence in a live call, mutes the agent and hangs up', async () => {
    const { call_id: id } = await apiOf(stack, account).createCall({ to_number: `sip:silent@127.0.0.1:${phone.port}` });
    await browser.go(`/calls/${id}`, 'sip:silent');
    await browser.untilExists('[data-part=control]');
    await browser.type('[name=text]', 'Your technician has arrived.');
    await browser.press('[data-part=control] [type=submit]');
    await browser.untilText('[data-command=say]', 'Done');
    await browser.untilText('.talk', 'Your technician has arrived.');
    await browser.press('[data-switch=mute]');
    await browser.until(`document.querySelector('[data-switch=mute]').ariaChecked === 'true'`);
    expect(await browser.violations()).toEqual([]);
    await browser.press('[data-act=end]');
    await browser.untilText('.call-head .pill', 'Completed');
    await browser.untilMatches('[data-part=control]', /Commands[^]*Mute agent[^]*Say “Your technician has arrived.”/);
  });

  it('shows the words of a running turn, which the final turn replaces', async () => {
    const { call_id: id } = await apiOf(stack, account).createCall({ to_number: `sip:silent@127.0.0.1:${phone.port}` });
    await browser.go(`/calls/${id}`, 'sip:silent');
    await browser.until(`document.querySelector('[data-part=control]')`);
    const words =
      'Our engineer left the workshop at nine, drives through the town now, and rings the bell at your door soon.';
    await browser.type('[name=text]', words);
    await browser.click('[data-part=control] [type=submit]');
    await browser.untilText('.bubble.now .words', 'Our engineer left');
    expect(await browser.text('.talk')).not.toContain('at your door soon.');
    await browser.untilText('.talk', words);
    expect(await browser.look(`document.querySelector('.bubble.now .words')`)).toBeNull();
    await browser.press('[data-act=end]');
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
      [`/tools/${account.agentId}/mcp`, 'New MCP server'],
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

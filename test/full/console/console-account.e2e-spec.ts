import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Schemas } from '@app/client';
import type { SandboxPhone } from '@app/sandbox/phone';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiOf } from '../../support/api-client.js';
import type { ConsoleBrowser } from '../../support/console-browser.js';
import { type ConsoleEnvironment, openSignedInConsole } from '../../support/console-environment.js';
import { PATIENCE_MS } from '../../support/eventually.js';
import type { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import type { WebhookReceiver } from '../../support/webhook-receiver.js';
import type { TestAccount } from '../../support/workspace.js';

const withChromium = suiteWith(['chromium']);

withChromium('the account pages of the console', () => {
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

  /** Whether the API accepts a token for the list of calls. */
  const accepts = async (token: string): Promise<boolean> =>
    (await fetch(`${stack.baseUrl}/api/v1/calls`, { headers: { authorization: `Bearer ${token}` } })).ok;

  it('creates a token with chosen scopes, shows it once, rotates it and revokes it', async () => {
    await browser.go('/tokens', 'API tokens');
    await browser.click('aside [type=submit]');
    await browser.untilText('[data-field=name] .field-error', 'name');
    await browser.until(`document.activeElement.name === 'name'`);
    await browser.type('[name=name]', 'CRM');
    await browser.click('[value="calls:read"]');
    await browser.click('aside [type=submit]');
    await browser.untilText('[data-role=fresh-token]', 'The token CRM was created.');
    const token = await browser.text('[data-role=fresh-token] code');
    await browser.untilMatches('[data-token=CRM]', /CRM\s+Active[^]*never used[^]*1 scope/);
    expect(await accepts(token)).toBe(true);
    expect(await browser.violations()).toEqual([]);
    await browser.click('[data-role=fresh-token] .actions button');
    expect(await browser.text('main')).not.toContain(token);

    await browser.click('[data-token=CRM] [data-focus=rotate]');
    await browser.untilText('[data-role=fresh-token]', 'The token CRM was rotated.');
    const successor = await browser.text('[data-role=fresh-token] code');
    expect([await accepts(token), await accepts(successor)]).toEqual([true, true]);
    await browser.until(`document.querySelectorAll('[data-token=CRM]').length === 2`);
    await browser.click('[data-token=CRM] [data-focus=revoke]');
    await browser.press('[data-act=confirm]');
    await browser.untilText('[data-token=CRM]', 'Revoked');
  });

  it('rotates the signing secret, shows the new one once and expires the previous one', async () => {
    await browser.go('/webhooks', 'Webhooks');
    await browser.untilMatches('[data-part=secrets] .rows', /^whsec_…\S+\s+Current/);
    await browser.press('[data-part=secrets] summary');
    await browser.type('[name=overlap_hours]', '169');
    await browser.page.keyboard.press('Enter');
    await browser.untilText('[data-field=overlap_hours] .field-error', '168');
    await browser.type('[name=overlap_hours]', '2');
    await browser.page.keyboard.press('Enter');
    await browser.untilMatches('[data-role=fresh-secret] code', /^whsec_[\w+/]{43}=$/);
    const secret = await browser.text('[data-role=fresh-secret] code');
    expect(await browser.violations()).toEqual([]);
    await browser.press('[data-role=fresh-secret] .actions button');
    await browser.untilMatches('[data-part=secrets] .rows', /Current[^]*Expiring[^]*signs until/);
    expect(await browser.text('main')).not.toContain(secret);
    await browser.click('[data-part=secrets] [data-focus=expire]');
    await browser.press('[data-act=confirm]');
    await browser.until(`document.querySelectorAll('[data-secret]').length === 1`);
  });

  it('changes limits and retention where the token allows it', async () => {
    await browser.go('/account', 'acme');
    await browser.press('[data-part=change] summary');
    await browser.type('[name="limits.concurrent_calls"]', '0');
    await browser.press('[data-part=change] [type=submit]');
    await browser.untilText('[data-field="limits.concurrent_calls"] .field-error', '1');
    await browser.type('[name="limits.concurrent_calls"]', '12');
    await browser.type('[name="limits.daily_spend_usd"]', '7.5');
    await browser.type('[name="limits.destinations.deny"]', '+1900, +44');
    await browser.type('[name="retention.recordings_days"]', '90');
    expect(await browser.violations()).toEqual([]);
    await browser.press('[data-part=change] [type=submit]');
    await browser.untilMatches('[data-part=usage]', /0 of 12[^]*of \$7\.5/);
    await browser.untilMatches('[data-part=destinations]', /Denied\s+\+1900, \+44/);
    await browser.untilMatches('[data-part=retention]', /Recordings\s+90 days/);
    const { data } = await apiOf(stack, account).GET('/api/v1/account');
    expect(data?.data.limits).toMatchObject({ concurrent_calls: 12, daily_spend_usd: 7.5 });
  });

  it('sends a test webhook, shows its try and replays it', async () => {
    await browser.go('/webhooks', 'Webhooks');
    await browser.untilText('[data-part=all-deliveries]', 'No deliveries yet');
    await browser.type('[name=url]', shop.url('/console-test'));
    await browser.page.keyboard.press('Enter');
    await browser.untilText('.delivery .pill', 'Delivered');
    await browser.press('.delivery summary');
    await browser.untilText('.delivery .attempts', '200 in');
    await browser.focus('.delivery [data-replay]');
    await browser.page.keyboard.press('Enter');
    const arrived = (): number => shop.received.filter(({ path }) => path === '/console-test').length;
    await shop.until(() => arrived() === 2);
    await browser.untilText('.delivery', 'replayed');
    await browser.untilText('.delivery summary', '2 attempts');
    await browser.untilText('[data-part=endpoints]', shop.url('/console-test'));
    expect(await browser.violations()).toEqual([]);
  });

  it('enables an endpoint that had answered that it is gone', async () => {
    shop.answer = (_, response) => void response.writeHead(410).end();
    await browser.type('[name=url]', shop.url('/gone'));
    await browser.page.keyboard.press('Enter');
    await browser.untilText('.deliveries', '/gone');
    await browser.untilText('[data-part=endpoints]', 'Disabled');
    await browser.untilText('[data-part=endpoints]', 'It answered 410 Gone.');
    await browser.press('[aria-label^="Enable"]');
    await browser.until(`!document.querySelector('[data-part=endpoints]').innerText.includes('Disabled')`);
  });

  it('shows the changes of the account in the audit log', async () => {
    await browser.go('/audit?subject=token', 'Audit log');
    await browser.untilText('main', 'Token: revoked');
    await browser.untilMatches('main', /Token: revoked[^]*Token: rotated[^]*Token: issued/);
    await browser.select('[aria-label="Subject"]', 'webhook_endpoint');
    await browser.untilText('main .rows', 'Webhook endpoint: enabled');
    await browser.until(`location.hash === '#/audit?subject=webhook_endpoint'`);
    expect(await browser.text('main')).not.toContain('Token: revoked');
  });

  it('keeps the filters of the call list in the address', async () => {
    const { call_id: id } = await apiOf(stack, account).createCall({ to_number: `sip:busy@127.0.0.1:${phone.port}` });
    await browser.go('/calls?status=busy&direction=outbound', 'Calls');
    await browser.untilExists(`[data-call="${id}"]`);
    expect(await browser.look(`document.querySelector('[aria-label="Status or outcome"]').value`)).toBe('busy');
    await browser.select('[aria-label="Status or outcome"]', 'completed');
    await browser.untilText('.empty', 'No matching calls');
    await browser.until(`location.hash === '#/calls?status=completed&direction=outbound'`);
    await browser.select('[aria-label="Status or outcome"]', '');
    await browser.select('[aria-label="Agent"]', String(account.agentId));
    await browser.untilExists(`[data-call="${id}"]`);
    await browser.look(`location.hash = '#/calls?from=2020-01-01&to=2020-01-02'`);
    await browser.untilText('.empty', 'No matching calls');
    await browser.look(`[...document.querySelectorAll('.filters button')].at(-1).click()`);
    await browser.untilExists(`[data-call="${id}"]`);
    await browser.until(`location.hash === '#/calls'`);
  });

  it('shows in the overview what the API says, with the filters in the address', async () => {
    for (const extension of ['press_1', 'busy'])
      await apiOf(stack, account).createCall({ to_number: `sip:${extension}@127.0.0.1:${phone.port}` });
    const metrics = 'calls,answered';
    const asked = async () => {
      const url = `${stack.baseUrl}/api/v1/analytics?interval=none&metrics=${metrics}&date_from=2020-01-01`;
      const response = await fetch(url, { headers: { authorization: `Bearer ${account.token}` } });
      const { data, meta } = (await response.json()) as Schemas['AnalyticsDto'];
      return meta.pending === 0 ? data[0]?.values : undefined;
    };
    let values: Awaited<ReturnType<typeof asked>>;
    // With the busy call of the test before.
    for (const late = AbortSignal.timeout(PATIENCE_MS); (values?.calls ?? 0) < 3; values = await asked())
      late.throwIfAborted();
    await browser.go(`/overview?days=7&zone=UTC&agent_id=${account.agentId}`, 'Overview');
    await browser.untilText('[data-metric=calls]', String(values?.calls));
    await browser.untilText('[data-metric=calls]', `${values?.answered} answered`);
    // The peak may be computed after the calls are counted, so the page may know a later one than the answer above.
    await browser.untilMatches('[data-metric=peak_concurrency]', /Peak concurrent calls\s+[1-3]/);
    await browser.untilExists('[data-part=chart-calls] canvas');
    await browser.press('[data-part=chart-calls] .values-of summary');
    await browser.untilMatches('[data-part=chart-calls] table', /Time\s+Calls\s+Answered/);
    const column = `[...document.querySelectorAll('[data-part=chart-calls] tbody td:nth-child(2)')]`;
    const sum = `${column}.reduce((all, { innerText }) => all + Number(innerText), 0)`;
    expect(await browser.look(sum)).toBe(values?.calls);
    await browser.select('[aria-label="Group by"]', 'outcome');
    await browser.untilText('[data-part=chart-calls] .legend', 'Busy');
    const address = await browser.look<string>('location.hash');
    expect(address).toBe(`#/overview?days=7&zone=UTC&agent_id=${account.agentId}&by=outcome`);
    await browser.page.reload();
    await browser.untilText('[data-part=chart-calls] .legend', 'Completed');
    expect(await browser.look('location.hash')).toBe(address);
    expect(await browser.look(`document.querySelector('[name=agent_id]').value`)).toBe(String(account.agentId));
    await browser.select('[name=outcome]', 'failed');
    await browser.untilText('.empty', 'No calls in this range');
    await browser.page.goBack();
    await browser.untilText('[data-metric=calls]', String(values?.calls));
    expect(await browser.look('location.hash')).toBe(address);
    expect(await browser.violations()).toEqual([]);
    await browser.press('[data-act=csv]');
    await browser.untilText('.head-actions', 'CSV downloaded.');
    expect(browser.complaints).toEqual([]);
  });

  it('counts calls of tester callers in the overview when they are switched on, and leaves them out of the list', async () => {
    const to_number = `sip:press_1@127.0.0.1:${phone.port}`;
    const { call_id: id } = await apiOf(stack, account).createCall({ to_number, metadata: { test_run: 'refund' } });
    await browser.go('/calls?direction=outbound', 'Calls');
    await browser.untilMatches('.calls li:first-child', /Completed/);
    await browser.select('[aria-label="Test calls"]', 'false');
    await browser.until(
      `!document.querySelector('[data-call="${id}"]') && document.querySelector('.calls li') !== null`,
    );
    expect(await browser.look('location.hash')).toBe('#/calls?direction=outbound&include_tests=false');
    await browser.go('/overview?days=7&zone=UTC', 'Overview');
    await browser.untilText('[data-metric=calls]', '3');
    await browser.untilExists('[data-metric=peak_concurrency]');
    await browser.click('[data-switch=include_tests]');
    await browser.untilText('[data-metric=calls]', '4');
    expect(await browser.look('location.hash')).toBe('#/overview?days=7&zone=UTC&include_tests=true');
    expect(await browser.look(`document.querySelector('[data-metric=peak_concurrency]')`)).toBeNull();
    expect(await browser.violations()).toEqual([]);
    await browser.page.goBack();
    await browser.untilText('[data-metric=calls]', '3');
  });

  it('shows the answers to rubric questions in the overview', async () => {
    const api = apiOf(stack, account);
    const rubric = [
      { name: 'resolved', question: 'Was the request resolved?', type: 'boolean' as const },
      { name: 'politeness', question: 'How polite was the agent?', type: 'score' as const },
      { name: 'topic', question: 'What was it about?', type: 'enum' as const, options: ['order', 'refund'] },
    ];
    const { data } = await api.GET('/api/v1/calls', {
      params: { query: { transcript: 'hello', include_tests: 'false' } },
    });
    const callId = data!.data[0]!.call_id;
    const { call_id: other } = await api.createCall({
      to_number: `sip:press_1@127.0.0.1:${phone.port}`,
      metadata: { resolved: true, politeness: 4, topic: 'refund' },
    });
    await browser.go(`/calls/${other}`, 'press_1');
    await browser.untilText('.status-line', 'Completed');
    for (const id of [callId, other]) {
      const path = { params: { path: { callId: id } }, body: { rubric } };
      expect((await api.POST('/api/v1/calls/{callId}/analysis', path)).response.status).toBe(202);
    }
    await browser.page.reload();
    await browser.press('[data-jump=analysis]');
    await browser.until(`document.activeElement.innerText === 'Analysis'`);
    await browser.untilMatches('[data-part=analysis]', /Politeness[^]*4/);
    await browser.go('/overview?days=7&zone=UTC', 'Overview');
    await browser.untilMatches('[data-question=resolved]', /Resolved\s+Receptionist\s+100 % yes\s+2\s+1/);
    await browser.untilMatches('[data-question=politeness]', /4\.0 of 5/);
    await browser.untilMatches('[data-question=topic]', /Refund 100 %/);
    await browser.press('[data-part=chart-score] .values-of summary');
    await browser.untilMatches('[data-part=chart-score] table', /Politeness[^]*4\.0/);
    expect(await browser.violations()).toEqual([]);
    await browser.press('[data-act=rubrics-csv]');
    await browser.untilText('[data-part=rubrics]', 'CSV downloaded.');
    await browser.select('[name=outcome]', 'completed');
    await browser.untilText('[data-part=rubrics]', 'Remove the other filters');
  });

  it('finds a call by words of its conversation, and marks them', async () => {
    await browser.go('/calls', 'Calls');
    await browser.type('[aria-label="Search transcripts"]', 'unicorn');
    await browser.untilText('.empty', 'No matching calls');
    await browser.type('[aria-label="Search transcripts"]', 'hello');
    await browser.untilMatches('.calls .row', /sip:press_1@[^]*Hello\./);
    expect(await browser.text('.match mark')).toBe('Hello');
    expect(await browser.look('location.hash')).toBe('#/calls?transcript=hello');
    // The number is readable beside status and time.
    await browser.until(`document.querySelector('.who').clientWidth > 200`);
  });

  it('analyses an ended call, and shows the place of the evidence in the conversation', async () => {
    const id = await browser.look<string>(`document.querySelector('.calls [data-call]').dataset.call`);
    const properties = { digits: { type: 'string' }, mood: { type: 'string' } };
    const response = await fetch(`${stack.baseUrl}/api/v1/calls/${id}/analysis`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ extract: { type: 'object', properties } }),
    });
    expect(response.status).toBe(202);
    await browser.press('.calls [data-call]');
    await browser.untilText('[data-part=analysis] .pill', 'Completed');
    await browser.untilMatches('[data-value=digits]', /Digits\s[^]*Keypad: “1”[^]*1$/);
    await browser.untilText('[data-value=mood]', 'Not found');
    await browser.click('[data-value=digits] .at');
    await browser.until(`document.querySelector('audio').currentTime > 0`);
    await browser.look(`document.querySelector('audio').pause()`);
    expect(await browser.violations()).toEqual([]);
  });

  it('creates a campaign from a CSV file, starts it, pauses it and shows why contacts were not called', async () => {
    const uri = (user: string): string => `sip:${user}@127.0.0.1:${phone.port}`;
    const csv = join(stack.home, 'contacts.csv');
    await writeFile(csv, `to_number;metadata.name\n${uri('answer')};Ada\n${uri('busy')};Bo\n12345;Cy\n`);
    await browser.go('/campaigns', 'Campaigns');
    await browser.untilText('main', 'No campaigns yet');
    await browser.go('/campaigns/new', 'New campaign');
    await browser.press('[type=submit]');
    await browser.untilText('[data-field=name] .field-error', 'name');
    await browser.type('[name=name]', 'spring');
    await browser.select('[name=trunk_id]', '');
    await browser.press('[aria-label="Remove time window 1"]');
    await browser.type('[name="pacing.concurrent_calls"]', '1');
    const input = await browser.page.waitForSelector('[name=file]');
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(csv);
    expect(await browser.violations()).toEqual([]);
    await browser.press('[type=submit]');
    await browser.untilText('h1', 'spring');
    await browser.untilText('[data-part=import-outcome]', '2 contacts will be added · 1 row refused');
    expect(await browser.violations()).toEqual([]);
    await browser.press('[data-act=import]');
    await browser.untilMatches('[data-import=completed]', /2 contacts added[^]*1 refused/);
    await browser.untilText(`[data-contact="${uri('busy')}"]`, 'Waiting');

    await browser.press('[data-act=start]');
    await browser.untilMatches('[data-part=progress] [data-count=calling]', /1/);
    await browser.untilText(`[data-contact="${uri('answer')}"]`, 'Calling');
    await browser.press('[data-act=pause]');
    await browser.untilText('[data-part=progress]', 'Paused manually.');
    expect(await browser.violations()).toEqual([]);
    const { data } = await apiOf(stack, account).GET('/api/v1/calls', { params: { query: { campaign_id: 1 } } });
    const callId = data!.data[0]!.call_id;
    await apiOf(stack, account).POST('/api/v1/calls/{callId}/cancel', { params: { path: { callId } } });
    await browser.untilText(`[data-contact="${uri('answer')}"]`, 'Reached');
    await browser.press('[data-act=resume]');
    await browser.untilMatches(`[data-contact="${uri('busy')}"]`, /Waiting[^]*1 attempt · Busy · next/);
    await browser.go('/campaigns/1/edit', 'Edit campaign');
    await browser.type('[name="retry.max_attempts"]', '2');
    await browser.press('[type=submit]');
    await browser.untilMatches('[data-part=settings]', /Attempts\s+2 per contact/);
    await browser.go('/campaigns', 'Campaigns');
    await browser.untilMatches('[data-campaign=spring]', /Running[^]*1 of 2 contacts done/);
  });

  it('is accessible and fits a small screen in the dark', async () => {
    await browser.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await browser.size(360, 740);
    const places = [
      ['/tokens', 'API tokens'],
      ['/webhooks', 'Webhooks'],
      ['/audit', 'Audit log'],
      ['/campaigns', 'Campaigns'],
      ['/campaigns/new', 'New campaign'],
      ['/campaigns/1', 'spring'],
      ['/campaigns/1/edit', 'Edit campaign'],
      ['/do-not-call', 'Do not call'],
    ] as const;
    for (const [place, heading] of places) {
      await browser.go(place, heading);
      await browser.until(`!document.body.innerText.includes('Loading')`);
      await browser.look(`document.querySelectorAll('main details').forEach((one) => (one.open = true))`);
      expect([place, await browser.overhang(), await browser.violations()]).toEqual([place, 0, []]);
    }
    await browser.click('.menu');
    await browser.until(`document.querySelector('.places').offsetHeight > 0`);
    expect(await browser.violations()).toEqual([]);
    expect(browser.complaints).toEqual([]);
  });
});

import { CampaignImportRunner } from '@app/campaigns';
import { newId } from '@app/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { InProcessApi } from '../../support/in-process-api.js';
import { eventually } from '../../support/eventually.js';
import { aWorkspace, type Workspace } from '../../support/factories.js';
import { type CommandOutput, runCommand } from '../../support/run-command.js';

const SECRET_KEY = 'the secret key of the tests, 32+ characters';

let api: InProcessApi;
let own: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool, { name: 'acme' });
});
afterAll(() => api?.stop());

const me = () => api.as(own.token);

async function draft(name: string, more: object = {}): Promise<string> {
  const body = { name, agent_id: own.agentId, number_ids: [own.numberId], trunk_id: own.trunkId, ...more };
  const answer = await me().post('/api/v1/campaigns').send(body);
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return `/api/v1/campaigns/${answer.body.data.id}`;
}

describe('a campaign by REST', () => {
  it('is created with defaults, takes contacts, is started, paused, resumed, cancelled and deleted', async () => {
    const path = await draft('life', { pacing: { concurrent_calls: 2 } });
    const found = (await me().get(path).expect(200)).body.data;
    expect(found).toMatchObject({ status: 'draft', retry: { max_attempts: 3 } });
    expect(found.pacing).toMatchObject({ concurrent_calls: 2, reserve_percent: 10 });
    const start = await me().post(`${path}/start`);
    expect([start.status, start.body.message]).toEqual([
      409,
      'The campaign has no contacts. Add contacts before it is started.',
    ]);
    const added = await me()
      .post(`${path}/contacts`)
      .send({ contacts: [{ to_number: '+15550001001' }, { to_number: '12' }] });
    expect([added.status, added.body.message]).toEqual([201, '1 contact added.']);
    expect(added.body.data).toMatchObject({
      added: 1,
      merged: 0,
      refused: 1,
      refusals: [{ index: 1, field: 'to_number', reason: 'invalid_number' }],
    });
    for (const [action, status] of [
      ['start', 'running'],
      ['pause', 'paused'],
      ['resume', 'running'],
      ['cancel', 'cancelled'],
    ]) {
      const answer = await me().post(`${path}/${action}`);
      expect([action, answer.status, answer.body.data.status]).toEqual([action, 200, status]);
    }
    const late = await me()
      .post(`${path}/contacts`)
      .send({ contacts: [{ to_number: '+15550001002' }] });
    expect(late.status).toBe(409);
    await me().delete(path).expect(200);
    await me().get(path).expect(404);
  });

  it('names every invalid setting, and settings that it does not know', async () => {
    const answer = await me()
      .post('/api/v1/campaigns')
      .send({
        name: 'x',
        agent_id: own.agentId,
        number_ids: [own.numberId],
        pacing: { concurrent_calls: 0 },
        speed: 9,
      });
    expect([answer.status, Object.keys(answer.body.errors as object)]).toEqual([422, ['pacing.concurrent_calls']]);
    expect(answer.headers['trunkline-ignored-fields']).toContain('speed');
  });

  it('adds the contacts of a repeated request once', async () => {
    const path = await draft('idempotent');
    const key = newId();
    const send = (contacts: object[]) =>
      me().post(`${path}/contacts`).set('Idempotency-Key', key).send({ contacts, duplicates: 'refuse' });
    const contacts = [{ to_number: '+15550001001' }];
    const first = await send(contacts);
    const second = await send(contacts);
    expect([first.body.data.added, second.body]).toEqual([1, first.body]);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect((await send([{ to_number: '+15550001002' }])).status).toBe(409);
  });

  it('lists contacts by page, by cursor and by number, with the reason why they were not called', async () => {
    const path = await draft('lists', { schedule: { windows: [] } });
    const contacts = Array.from({ length: 25 }, (_, index) => ({ to_number: `+155500020${10 + index}` }));
    await me().post(`${path}/contacts`).send({ contacts }).expect(201);
    const page = await me().get(`${path}/contacts?per_page=10&page=3`);
    expect(page.body.meta).toMatchObject({ current_page: 3, last_page: 3, total: 25, from: 21, to: 25 });
    const seen: string[] = [];
    let next: string | null = `${path}/contacts?pagination=cursor&per_page=10`;
    while (next !== null) {
      const { body }: { body: { data: { to_number: string }[]; links: { next: string | null } } } = await me().get(
        next.replace(/^https?:\/\/[^/]+/, ''),
      );
      seen.push(...body.data.map(({ to_number }) => to_number));
      next = body.links.next;
    }
    expect(seen).toEqual(contacts.map(({ to_number }) => to_number));
    const one = await me().get(`${path}/contacts`).query({ to_number: '+1 (555) 000-2012', reason: 'campaign_draft' });
    expect(one.body.data).toMatchObject([
      { to_number: '+15550002012', explanation: 'The campaign has not been started.' },
    ]);
    expect((await me().get(`${path}/contacts?status=reached`)).body.data).toEqual([]);
    const { id } = one.body.data[0] as { id: string };
    const removed = await me().delete(`${path}/contacts/${id}`).expect(200);
    expect(removed.body.data).toMatchObject({ status: 'cancelled', reason: 'removed' });
    await me().delete(`${path}/contacts/${id}`).expect(409);
    expect((await me().get(`${path}/progress`)).body.data).toMatchObject({
      contacts: { total: 25, waiting: 24, cancelled: 1 },
      reasons: { campaign_draft: 24, removed: 1 },
    });
  });

  it('shows its progress in an event stream at once and after a change, and ends the stream with the campaign', async () => {
    const path = await draft('stream');
    const { port } = api.server.address() as AddressInfo;
    const headers = { Authorization: `Bearer ${own.token}` };
    const response = await fetch(`http://127.0.0.1:${port}${path}/events`, { headers });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
    })();
    await eventually(
      () => text,
      (sent) => sent.includes('"total":0'),
    );
    await me()
      .post(`${path}/contacts`)
      .send({ contacts: [{ to_number: '+15550001001' }] });
    await eventually(
      () => text,
      (sent) => sent.includes('"waiting":1'),
    );
    await me().post(`${path}/cancel`).expect(200);
    await reading;
    expect(text.match(/^event: progress$/gm)!.length).toBeGreaterThanOrEqual(3);
    expect(text).toContain('"status":"cancelled"');
  });

  it('exports contacts for spreadsheets without formulas; the export can be imported again', async () => {
    const path = await draft('export');
    const metadata = { note: '=HYPERLINK("http://x")', debt: '-12.50', '@x': 'a,b\n"c"' };
    await me()
      .post(`${path}/contacts`)
      .send({ contacts: [{ to_number: '+15550001001', metadata, variables: { name: '+cmd' } }] });
    const { text, headers } = await me().get(`${path}/contacts/export`).expect(200);
    expect(headers['content-disposition']).toContain('attachment');
    const [header, row] = text.replace(/^\ufeff/, '').split('\r\n');
    expect(header).toContain('to_number,status,reason');
    expect(row).toMatch(/^\+15550001001,waiting,campaign_draft,/);
    expect(text).toContain('"a,b\n""c""",-12.50,"\'=HYPERLINK(""http://x"")",,\'+cmd,');
    const copy = await draft('copy of the export');
    const runner = api.app.get(CampaignImportRunner);
    const begun = await me().post(`${copy}/contacts/import`).attach('file', Buffer.from(text), 'export.csv');
    runner.start();
    await eventually(
      async () => (await me().get(`${copy}/imports/${begun.body.data.id}`)).body.data.status as string,
      (status) => status === 'completed',
    );
    await runner.stop();
    expect((await me().get(`${copy}/contacts`)).body.data).toMatchObject([{ metadata, variables: { name: '+cmd' } }]);
  });
});

describe('bin/trunkline campaigns', () => {
  const campaigns = (...words: string[]): Promise<CommandOutput> =>
    runCommand(['campaigns', ...words, '--account', 'acme'], {
      DATABASE_URL: api.databaseUrl,
      SECRET_KEY,
      TRUNKLINE_HOME: api.home,
    });
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await campaigns(...words, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it('creates, fills, starts, pauses, shows and exports a campaign, and says why a number was not called', async () => {
    const file = join(api.home, 'campaign.yaml');
    await writeFile(
      file,
      `name: by command\nagent_id: ${own.agentId}\nnumber_ids: [${own.numberId}]\ntrunk_id: ${own.trunkId}\n`,
    );
    expect(await json('create', '--file', file)).toMatchObject({ name: 'by command', status: 'draft' });
    const csv = join(api.home, 'contacts.csv');
    await writeFile(csv, 'Tel;Name\n+15550009001;Ada\n');
    const columns = ['--column', 'Tel=to_number', '--column', 'Name=metadata.name'];
    expect(await json('import', 'by command', csv, ...columns)).toMatchObject({ status: 'pending' });
    const runner = api.app.get(CampaignImportRunner);
    runner.start();
    await eventually(
      async () => (await json('show', 'by command')) as { progress: { contacts: { waiting: number } } },
      ({ progress }) => progress.contacts.waiting === 1,
    );
    await runner.stop();
    expect((await campaigns('why', '+1 555 000 9001')).stdout).toBe(
      'by command  waiting  The campaign has not been started.\n',
    );
    expect(await json('start', 'by command')).toMatchObject({ status: 'running' });
    expect((await campaigns('pause', 'by command')).stdout).toContain('by command  paused  requested');
    const output = join(api.home, 'out.csv');
    expect((await campaigns('export', 'by command', '--output', output)).code).toBe(0);
    expect(await readFile(output, 'utf8')).toContain('+15550009001,waiting,campaign_paused,The campaign is paused.');
    const nowhere = await campaigns('export', 'by command', '--output', join(api.home, 'missing', 'out.csv'));
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('out.csv cannot be written: ENOENT')]);
    expect((await campaigns('list', '--status', 'paused')).stdout).toMatch(/^\d+ {2}by command {2}paused/);
  });

  it('names the fields of a wrong file', async () => {
    const csv = join(api.home, 'wrong.csv');
    await writeFile(csv, 'name\nAda\n');
    const { code, stderr } = await campaigns('import', 'by command', csv);
    expect([code, stderr]).toEqual([1, expect.stringContaining('file: The file has no column to_number.')]);
  });
});

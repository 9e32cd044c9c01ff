import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SipPeer } from '../peers/sip-peer.js';
import { eventually } from '../support/eventually.js';
import { aToken } from '../support/factories.js';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';

const CAMPAIGNS = '/api/v1/campaigns';

interface Campaign {
  id: number;
  status: string;
}
interface Contact {
  id: string;
  to_number: string;
  status: string;
  reason: string;
}
interface Progress {
  status: string;
  contacts: Record<string, number>;
}

const service = Service.get();
let account: StoryAccount;
let other: StoryAccount;
let peer: SipPeer;
let trunkId: number;
let names = 0;

beforeAll(async () => {
  [account, other, peer] = await Promise.all([
    StoryAccount.open(service, { script: { rules: [{ on: 'speech', say: 'Goodbye.', hang_up: true }] } }),
    StoryAccount.open(service),
    SipPeer.start('127.0.45.2'),
  ]);
  const trunk = { name: 'peer', host: peer.address, port: peer.port, options_ping_seconds: 0 };
  trunkId = (await account.me.post('/api/v1/trunks').send(trunk)).body.data.id as number;
});
afterAll(async () => {
  await Promise.all([account?.close(), other?.close(), peer?.close()]);
  await service.close();
});

/** A draft over the trunk. @returns its path */
async function draft(fields: object = {}): Promise<string> {
  const ids = { agent_id: account.agentId, number_ids: [account.workspace.numberId], trunk_id: trunkId };
  const { status, body } = await account.me
    .post(CAMPAIGNS)
    .send({ name: `campaign ${(names += 1)}`, ...ids, ...fields });
  expect([status, body.errors]).toEqual([201, undefined]);
  return `${CAMPAIGNS}/${body.data.id}`;
}

const addContacts = async (path: string, contacts: object[]) => {
  const { status, body } = await account.me.post(`${path}/contacts`).send({ contacts });
  expect(status).toBe(201);
  return body.data;
};
const command = async (path: string, action: string) => (await account.me.post(`${path}/${action}`)).status;
const contactsOf = async (path: string): Promise<Contact[]> => (await account.me.get(`${path}/contacts`)).body.data;
const completed = (path: string) => account.until<Campaign>(path, ({ status }) => status === 'completed');
const numbers = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `+1555450${String(first + at).padStart(4, '0')}`);

describe('a campaign', () => {
  it('calls its contacts, repeats a busy one until it answers, and ends with a report by webhook', async () => {
    const [reached, busy, unknown] = numbers(1, 3) as [string, string, string];
    const path = await draft({
      retry: { max_attempts: 3, delay_minutes: { busy: 0 } },
      webhook: { url: `${account.sink.url}/campaign` },
      metadata: { list: 'a' },
    });
    const added = await addContacts(path, [
      ...[reached, busy, unknown].map((to_number) => ({ to_number, metadata: { customer: to_number.slice(-1) } })),
      { to_number: 'tomorrow' },
    ]);
    expect(added).toMatchObject({ added: 3, refused: 1, refusals: [{ index: 3, field: 'to_number' }] });
    expect(await command(path, 'start')).toBe(200);
    const first = await peer.answer(await peer.invited(reached));
    peer.reply(await peer.invited(busy), '486 Busy Here');
    peer.reply(await peer.invited(unknown), '404 Not Found');
    await first.audio.heard();
    expect(await first.hangUp()).toBe(200);
    const second = await peer.answer(await peer.invited(busy));
    await second.audio.heard();
    expect(await second.hangUp()).toBe(200);

    await completed(path);
    const contacts = new Map((await contactsOf(path)).map((contact) => [contact.to_number, contact]));
    expect(contacts.get(reached)).toMatchObject({ status: 'reached', attempts: 1 });
    expect(contacts.get(busy)).toMatchObject({ status: 'reached', attempts: 2 });
    expect(contacts.get(unknown)).toMatchObject({
      ...{ status: 'refused', attempts: 1 },
      ...{ outcome: 'failed', hangup_cause: 'unallocated_number' },
    });
    expect((await account.me.get(`${path}/progress`)).body.data).toMatchObject({
      status: 'completed',
      contacts: { total: 3, waiting: 0, reached: 2, refused: 1 },
      attempts: 4,
    });
    const id = Number(path.split('/').at(-1));
    const { body } = await account.me.get('/api/v1/calls').query({ campaign_id: id });
    expect(body.data.map(({ to_number: to }: Contact) => to).toSorted()).toEqual(
      [reached, busy, busy, unknown].toSorted(),
    );
    expect(await account.call(body.data[0].call_id)).toMatchObject({
      campaign_id: id,
      metadata: { list: 'a', customer: expect.any(String) },
    });
    const reports = () => account.sink.received.filter((webhook) => webhook.path === '/campaign');
    await account.sink.until(() => reports().length === 2);
    expect(reports().map((webhook) => webhook.body)).toMatchObject([
      { type: 'campaign', event: 'started', sequence: 1 },
      { event: 'completed', sequence: 2, data: { campaign_id: id, attempts: 4, contacts: { reached: 2 } } },
    ]);
    for (const webhook of reports()) account.sink.verify(webhook, account.secret);
  });

  it('never has more calls than its limit, dials nobody while it is paused, and goes on afterwards', async () => {
    const to = numbers(101, 3);
    const path = await draft({ pacing: { concurrent_calls: 1 } });
    await addContacts(
      path,
      to.map((to_number) => ({ to_number })),
    );
    await command(path, 'start');
    const call = await peer.answer(await peer.invited(to[0]));
    await account.until<Progress>(`${path}/progress`, ({ contacts }) => contacts['calling'] === 1);
    expect((await contactsOf(path)).map(({ status }) => status)).toEqual(['calling', 'waiting', 'waiting']);
    expect(await command(path, 'pause')).toBe(200);
    await call.hangUp();
    const paused = await account.until<Progress>(`${path}/progress`, ({ contacts }) => contacts['reached'] === 1);
    expect(paused).toMatchObject({ status: 'paused', pause_reason: 'requested', contacts: { waiting: 2, calling: 0 } });
    expect((await contactsOf(path))[1]).toMatchObject({ reason: 'campaign_paused' });
    expect(peer.requests.some(({ uri }) => uri.includes(to[1]!))).toBe(false);
    expect(await command(path, 'resume')).toBe(200);
    for (const number of to.slice(1)) peer.reply(await peer.invited(number), '603 Decline');
    await account.until<Progress>(`${path}/progress`, ({ contacts }) => contacts['calling'] === 0);
    expect(await command(path, 'cancel')).toBe(200);
    const late = await account.me.post(`${path}/contacts`).send({ contacts: [{ to_number: '+15554500199' }] });
    expect(late.status).toBe(409);
    expect((await account.me.delete(path)).status).toBe(200);
    expect((await account.me.get(path)).status).toBe(404);
  });

  it('outside its opening times calls nobody and says when it goes on', async () => {
    const dates = [-1, 0, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
    const path = await draft({ schedule: { excluded_dates: dates } });
    await addContacts(path, [{ to_number: '+15554500201' }]);
    await command(path, 'start');
    const isWaiting = ([contact]: Contact[]): boolean => contact?.reason === 'waiting_for_window';
    const [contact] = await account.until<(Contact & { next_attempt_at: string })[]>(`${path}/contacts`, isWaiting);
    expect(Date.parse(contact!.next_attempt_at)).toBeGreaterThan(Date.now());
    const removed = await account.me.delete(`${path}/contacts/${contact!.id}`);
    expect(removed.body.data).toMatchObject({ status: 'cancelled', reason: 'removed' });
    expect((await account.me.delete(`${path}/contacts/${contact!.id}`)).status).toBe(409);
    expect(peer.requests.some(({ uri }) => uri.includes('+15554500201'))).toBe(false);
  });

  it('shows its progress in an event stream at once and after a change, and ends the stream with the campaign', async () => {
    const path = await draft();
    const headers = { Authorization: `Bearer ${account.workspace.token}` };
    const response = await fetch(`${service.baseUrl}${path}/events`, { headers });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
    })();
    const until = (part: string) =>
      eventually(
        () => text,
        (sent) => sent.includes(part),
      );
    await until('"total":0');
    await addContacts(path, [{ to_number: '+15554500202' }]);
    await until('"waiting":1');
    expect(await command(path, 'cancel')).toBe(200);
    await reading;
    expect(text.match(/^event: progress$/gm)!.length).toBeGreaterThanOrEqual(3);
    expect(text).toContain('"status":"cancelled"');
  });

  it('cannot be started without contacts, names invalid settings, and belongs to its account', async () => {
    const path = await draft();
    expect(await command(path, 'start')).toBe(409);
    const foreign = { name: 'x', agent_id: other.agentId, number_ids: [other.workspace.numberId] };
    const wrong = await account.me.post(CAMPAIGNS).send({ ...foreign, pacing: { concurrent_calls: 0 } });
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['pacing.concurrent_calls']]);
    const theirs = await account.me.post(CAMPAIGNS).send(foreign);
    expect([theirs.status, Object.keys(theirs.body.errors)]).toEqual([422, ['agent_id', 'number_ids.0']]);
    for (const one of [path, `${path}/contacts`, `${path}/progress`, `${path}/imports`])
      expect((await other.me.get(one)).status).toBe(404);
    expect((await other.me.post(`${path}/start`)).status).toBe(404);
    expect((await other.me.delete(path)).status).toBe(404);
    const reader = service.as(await aToken(service.pool, account.workspace.accountId, ['campaigns:read']));
    expect((await reader.get(path)).status).toBe(200);
    expect((await reader.post(`${path}/start`)).status).toBe(403);
  });
});

describe('the contacts of a campaign', () => {
  interface Import {
    status: string;
    id: string;
  }
  const upload = (path: string, text: string, fields: Record<string, string> = {}) =>
    account.me.post(`${path}/contacts/import`).field(fields).attach('file', Buffer.from(text), 'contacts.csv');

  it('come from a CSV file; refused rows are reported by line; the export has the results', async () => {
    const path = await draft();
    const text = [
      'Telefon;Vorname;metadata.customer;time_zone',
      '+49 30 1234567;Jürgen;c-1;',
      '030 7654321;Anna;c-2;',
      '+4930 123 4567;Jörg;c-4;Europe/Vienna',
      '4,93012E+11;Eva;c-5;',
      '+49301234568;Ida;=1+1;',
    ].join('\r\n');
    const columns = JSON.stringify({ Telefon: 'to_number', Vorname: 'variables.first_name' });
    const begun = await upload(path, text, { columns });
    expect([begun.status, begun.body.errors]).toEqual([201, undefined]);
    const report = `${path}/imports/${begun.body.data.id}`;
    const done = await account.until<Import>(report, ({ status }) => status === 'completed');
    expect(done).toMatchObject({ rows: 5, added: 2, merged: 1, refused: 2 });
    expect(await contactsOf(path)).toMatchObject([
      {
        to_number: '+49301234567',
        time_zone: 'Europe/Vienna',
        variables: { first_name: 'Jörg' },
        metadata: { customer: 'c-4' },
      },
      { to_number: '+49301234568', status: 'waiting', reason: 'campaign_draft' },
    ]);
    const refused = (await account.me.get(`${report}/refused`)).text.trim().split('\r\n');
    expect(refused.map((line) => line.split(',').slice(0, 2).join())).toEqual([
      'line,field',
      '3,to_number',
      '5,to_number',
    ]);
    const exported = await account.me.get(`${path}/contacts/export`);
    expect(exported.headers['content-disposition']).toContain('attachment');
    expect(exported.text).toContain('+49301234567,waiting,campaign_draft,');
    expect(exported.text).toContain("'=1+1");
    expect((await other.me.get(report)).status).toBe(404);
  });

  it('are exported without formulas for spreadsheets, and the export can be imported again', async () => {
    const path = await draft();
    const metadata = { note: '=HYPERLINK("http://x")', debt: '-12.50', '@x': 'a,b\n"c"' };
    await addContacts(path, [{ to_number: '+15554500401', metadata, variables: { name: '+cmd' } }]);
    const { text } = await account.me.get(`${path}/contacts/export`);
    expect(text).toContain('"a,b\n""c""",-12.50,"\'=HYPERLINK(""http://x"")",,\'+cmd,');
    const copy = await draft();
    const begun = await upload(copy, text);
    await account.until<Import>(`${copy}/imports/${begun.body.data.id}`, ({ status }) => status === 'completed');
    expect(await contactsOf(copy)).toMatchObject([{ metadata, variables: { name: '+cmd' } }]);
  });

  it.each([
    ['without a column of numbers', 'name,city\nAnna,Bonn', {}, 'file'],
    ['with a mapping of a missing column', 'to_number\n+1', { columns: '{"Tel":"to_number"}' }, 'columns.Tel'],
    ['with an unknown rule for duplicates', 'to_number\n+1', { duplicates: 'drop' }, 'duplicates'],
  ])('are not read from a file %s', async (_, text, fields, field) => {
    const { status, body } = await upload(await draft(), text, fields);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it('are listed by page and by cursor, each once, and added once for one Idempotency-Key', async () => {
    const path = await draft();
    const contacts = numbers(301, 7).map((to_number) => ({ to_number }));
    const add = (list: object[]) =>
      account.me.post(`${path}/contacts`).set('Idempotency-Key', path).send({ contacts: list, duplicates: 'refuse' });
    const first = await add(contacts);
    const again = await add(contacts);
    expect([first.body.data.added, again.body, again.headers['idempotent-replayed']]).toEqual([7, first.body, 'true']);
    expect((await add([])).status).not.toBe(201);
    const seen: string[] = [];
    for (let url: string | null = `${path}/contacts?pagination=cursor&per_page=3`; url !== null;) {
      const { body } = await account.me.get(url);
      seen.push(...body.data.map(({ to_number: to }: Contact) => to));
      const next: string | null = body.links.next;
      url = next && new URL(next).pathname + new URL(next).search;
    }
    expect(seen).toEqual(numbers(301, 7));
    const page = await account.me.get(`${path}/contacts?per_page=3&page=3`);
    expect(page.body.meta).toMatchObject({ total: 7, last_page: 3, from: 7, to: 7 });
    expect((await account.me.get(`${path}/contacts?to_number=%2B15554500303`)).body.data).toHaveLength(1);
  });
});

import { CampaignImportRunner, CampaignRunnerService } from '@app/campaigns';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InProcessApi } from '../../support/in-process-api.js';
import { eventually } from '../../support/eventually.js';
import { aWorkspace, type Workspace } from '../../support/factories.js';

interface ImportBody {
  id: string;
  status: string;
  rows: number;
  added: number;
  merged: number;
  refused: number;
  processing_error: string | null;
}

let api: InProcessApi;
let own: Workspace;
let runner: CampaignImportRunner;
let campaigns = 0;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool, { name: 'acme' });
  runner = api.app.get(CampaignImportRunner);
  runner.start();
});
afterAll(() => api?.stop());

const me = () => api.as(own.token);

async function draft(name = `campaign ${(campaigns += 1)}`): Promise<string> {
  const body = { name, agent_id: own.agentId, number_ids: [own.numberId], trunk_id: own.trunkId };
  const { body: answer } = await me().post('/api/v1/campaigns').send(body).expect(201);
  return `/api/v1/campaigns/${answer.data.id}`;
}

const upload = (path: string, text: string | Buffer, fields: Record<string, string> = {}, name = 'contacts.csv') =>
  me()
    .post(`${path}/contacts/import`)
    .field(fields)
    .attach('file', Buffer.from(text as string), name);

async function imported(path: string, text: string | Buffer, fields: Record<string, string> = {}): Promise<ImportBody> {
  const answer = await upload(path, text, fields);
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return ended(path, answer.body.data.id as string);
}

const ended = async (path: string, id: string): Promise<ImportBody> =>
  eventually(
    async () => (await me().get(`${path}/imports/${id}`)).body.data as ImportBody,
    ({ status }) => status === 'completed' || status === 'failed',
  );

const contactsOf = async (path: string, query: object = {}) =>
  (
    await me()
      .get(`${path}/contacts`)
      .query({ per_page: 100, ...query })
  ).body.data as Record<string, unknown>[];

describe('a CSV file of contacts', () => {
  it('becomes contacts; its refused rows are reported with line and reason, without their values', async () => {
    const path = await draft();
    const text = [
      'Telefon;Vorname;metadata.customer;time_zone',
      '+49 30 1234567;Jürgen;c-1;',
      '030 7654321;Anna;c-2;',
      '+49 30 1111111;"Max ""Moritz""";c-3;Europe/Nowhere',
      '',
      '+4930 123 4567;Jörg;c-4;Europe/Vienna',
      '4,93012E+11;Eva;c-5;',
    ].join('\r\n');
    const fields = { columns: JSON.stringify({ Telefon: 'to_number', Vorname: 'variables.first_name' }) };
    const result = await imported(path, text, fields);
    expect(result).toMatchObject({ status: 'completed', rows: 5, added: 1, merged: 1, refused: 3, progress: 100 });
    expect(await contactsOf(path)).toMatchObject([
      {
        to_number: '+49301234567',
        time_zone: 'Europe/Vienna',
        metadata: { customer: 'c-4' },
        variables: { first_name: 'Jörg' },
        status: 'waiting',
        reason: 'campaign_draft',
        explanation: 'The campaign has not been started.',
      },
    ]);
    const { text: refused, headers } = await me().get(`${path}/imports/${result.id}/refused`).expect(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(refused.split('\r\n')).toEqual([
      'line,field,reason',
      '3,to_number,The number must begin with + and its country code.',
      '4,time_zone,The time zone field must be an IANA time zone such as Europe/Berlin.',
      '7,to_number,A spreadsheet has rounded this number. Format the column as text and enter the number again.',
      '',
    ]);
  });

  it('with known numbers merges or refuses them as requested', async () => {
    const path = await draft();
    await imported(path, 'to_number,metadata.v\n+15550000001,1\n+15550000002,1\n');
    const again = 'to_number,metadata.v\n+15550000002,2\n+15550000003,2\n+15550000003,3\n';
    expect(await imported(path, again, { duplicates: 'refuse' })).toMatchObject({ added: 1, merged: 0, refused: 2 });
    expect(await imported(path, again, { duplicates: 'merge' })).toMatchObject({ added: 0, merged: 3, refused: 0 });
    expect((await contactsOf(path)).map(({ metadata }) => metadata)).toEqual([{ v: '1' }, { v: '2' }, { v: '3' }]);
    const { body } = await me().get(`${path}/progress`);
    expect(body.data.contacts).toMatchObject({ total: 3, waiting: 3 });
  });

  it.each<[string, string, Record<string, string>, string, string]>([
    ['without a column of numbers', 'name,city\nAnna,Bonn', {}, 'contacts.csv', 'file'],
    [
      'with a mapping of a missing column',
      'to_number\n+1',
      { columns: '{"Tel":"to_number"}' },
      'contacts.csv',
      'columns.Tel',
    ],
    ['with a mapping that is not an object', 'to_number\n+1', { columns: '[1]' }, 'contacts.csv', 'columns'],
    ['that is empty', '', {}, 'contacts.csv', 'file'],
    ['of another type', 'to_number\n+1', {}, 'contacts.xlsx', 'file'],
    ['in an unknown encoding', 'to_number\n+1', { encoding: 'klingon' }, 'contacts.csv', 'encoding'],
    ['with an unknown rule for duplicates', 'to_number\n+1', { duplicates: 'drop' }, 'contacts.csv', 'duplicates'],
  ])('%s is refused at once', async (_, text, fields, name, field) => {
    const answer = await upload(await draft(), text, fields, name);
    expect([answer.status, Object.keys(answer.body.errors as object)]).toEqual([422, [field]]);
  });

  it('with a quote that is not closed keeps the rows before it and names the line', async () => {
    const path = await draft();
    const rows = Array.from({ length: 3_000 }, (_, index) => `+1555${String(index).padStart(7, '0')},x`);
    const result = await imported(path, ['to_number,metadata.a', ...rows, '+15559999999,"open', 'y,z'].join('\n'));
    expect(result).toMatchObject({
      status: 'failed',
      processing_error:
        'FILE_CORRUPT: A quote in the record that begins at line 3002 is not closed. Correct the file and import it again; rows that were added are merged.',
    });
    expect(result.added).toBe(result.rows);
  });

  it('is deleted from the storage when its import or its campaign is over', async () => {
    const path = await draft();
    await runner.stop();
    await upload(path, 'to_number\n+15550000001').expect(201);
    const stored = async () =>
      (await readdir(join(api.home, 'storage'), { recursive: true })).filter((name) => name.endsWith('.csv'));
    expect(await stored()).toHaveLength(1);
    await me().delete(path).expect(200);
    runner.start();
    await eventually(stored, (files) => files.length === 0);
  });

  it('whose worker died is imported to its end, each row once', async () => {
    const path = await draft();
    await runner.stop();
    const rows = Array.from({ length: 2_600 }, (_, index) => `+1555${String(index % 2_500).padStart(7, '0')}`);
    const { body } = await upload(path, ['to_number', ...rows].join('\n'), { duplicates: 'refuse' }).expect(201);
    const id = body.data.id as string;
    // The worker stops in the transaction of its third batch, as a killed process does.
    await api.pool.query(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.rows > 1000 THEN RAISE EXCEPTION 'died'; END IF; RETURN NEW; END $$`);
    await api.pool.query('CREATE TRIGGER die BEFORE UPDATE ON campaign_imports FOR EACH ROW EXECUTE FUNCTION die()');
    runner.start();
    const atRows = async () => ((await me().get(`${path}/imports/${id}`)).body.data as ImportBody).rows;
    await eventually(atRows, (done) => done === 1_000);
    await runner.stop();
    await api.pool.query('DROP TRIGGER die ON campaign_imports');
    // The lease of the dead worker has expired.
    await api.pool.query('UPDATE campaign_imports SET lease_until = now() WHERE id = $1', [id]);
    runner.start();
    expect(await ended(path, id)).toMatchObject({ status: 'completed', rows: 2_600, added: 2_500, refused: 100 });
    expect((await me().get(`${path}/progress`)).body.data.contacts.waiting).toBe(2_500);
  });

  it('keeps a running campaign open until its last row is read', async () => {
    const path = await draft();
    await runner.stop();
    await me()
      .post(`${path}/contacts`)
      .send({ contacts: [{ to_number: '+15550000001' }] });
    await upload(path, 'to_number\n+15550000002').expect(201);
    await me().post(`${path}/start`).expect(200);
    const { id } = (await contactsOf(path))[0] as { id: string };
    await me().delete(`${path}/contacts/${id}`).expect(200);
    const turns = api.app.get(CampaignRunnerService);
    turns.start();
    // A turn of the campaign without contacts is followed by one with the contact of the file.
    runner.start();
    const attempts = async () => (await me().get(`${path}/progress`)).body.data.attempts as number;
    expect(await eventually(attempts, (made) => made > 0)).toBe(1);
    await turns.stop();
    await runner.stop();
  });
});

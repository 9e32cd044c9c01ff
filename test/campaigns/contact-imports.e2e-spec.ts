import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';
import { workbook } from '../support/workbook.js';

interface Preview {
  columns: { name: string; field: string | null; samples: string[] }[];
  rows: { line: number; number: string | null; problem: string | null }[];
  counts: Record<string, number>;
  is_complete: boolean;
  refusals: { message: string; rows: number; lines: number[] }[];
  errors: Record<string, string[]>;
}

const service = Service.get();
let account: StoryAccount;
let campaigns = 0;

beforeAll(async () => {
  const variables = [{ name: 'first_name', required: true }];
  account = await StoryAccount.open(service, { variables }, { default_country: 'DE' });
});
afterAll(async () => {
  await account?.close();
  await service.close();
});

async function draft(): Promise<string> {
  const ids = { agent_id: account.agentId, number_ids: [account.workspace.numberId] };
  const trunk = { trunk_id: account.workspace.trunkId };
  const { body } = await account.me
    .post('/api/v1/campaigns')
    .send({ name: `import ${(campaigns += 1)}`, ...ids, ...trunk })
    .expect(201);
  return `/api/v1/campaigns/${body.data.id}`;
}

const send = (path: string, file: Buffer, name: string, fields: Record<string, string> = {}) =>
  account.me.post(path).field(fields).attach('file', file, name);

const preview = async (path: string, file: Buffer, name: string, fields: Record<string, string> = {}) =>
  (await send(`${path}/contacts/import/preview`, file, name, fields).expect(200)).body.data as Preview;

async function imported(path: string, file: Buffer, name: string, fields: Record<string, string> = {}) {
  const { body } = await send(`${path}/contacts/import`, file, name, fields).expect(201);
  return account.until<{ status: string; refused: number }>(
    `${path}/imports/${body.data.id}`,
    ({ status }) => status === 'completed',
  );
}

const contactsOf = async (path: string) =>
  (await account.me.get(`${path}/contacts`)).body.data as { to_number: string; variables: object }[];

describe('an import of contacts', () => {
  const rows = [
    ['Kontakt', 'First Name', 'Notiz'],
    ['030 123456', 'Ada', 'x'],
    ['(0171) 2345678', 'Bo', 'y'],
    ['0171/2345678', 'Bob', 'y'],
    ['4711', 'Cy', 'z'],
    [{ value: 301_234_568, format: '0000000000' }, 'Di', null],
    ['', 'Eve', 'z'],
    ['+44 20 7946 0018', null, 'z'],
  ];

  it('from an Excel file with local numbers shows first what it would do, and then does that', async () => {
    const path = await draft();
    const shown = await preview(path, workbook(rows), 'customers.xlsx');
    expect(shown.columns).toMatchObject([
      { name: 'Kontakt', field: 'to_number' },
      { name: 'First Name', field: 'variables.first_name', samples: ['Ada', 'Bo', 'Bob'] },
      { name: 'Notiz', field: null },
    ]);
    expect(shown).toMatchObject({
      default_country: 'DE',
      counts: { rows: 7, added: 3, merged: 1, refused: 3 },
      is_complete: true,
      errors: {},
      refusals: expect.arrayContaining([
        { field: 'to_number', message: 'The number is not a valid number in DE.', rows: 1, lines: [5] },
        { field: 'to_number', message: 'The number is missing.', rows: 1, lines: [7] },
        expect.objectContaining({ field: 'variables.first_name', rows: 1, lines: [8] }),
      ]),
    });
    expect(shown.rows.slice(0, 2)).toMatchObject([
      { line: 2, number: '+4930123456', problem: null },
      { line: 3, number: '+491712345678', problem: null },
    ]);
    expect(await contactsOf(path)).toEqual([]);
    expect((await account.me.get(`${path}/imports`)).body.data).toEqual([]);

    const columns = JSON.stringify(Object.fromEntries(shown.columns.map(({ name, field }) => [name, field])));
    const done = await imported(path, workbook(rows), 'customers.xlsx', { columns });
    expect(done).toMatchObject({ added: 3, merged: 1, refused: 3, default_country: 'DE', file_name: 'customers.xlsx' });
    expect((await contactsOf(path)).map((one) => [one.to_number, one.variables])).toEqual([
      ['+4930123456', { first_name: 'Ada' }],
      ['+491712345678', { first_name: 'Bob' }],
      ['+49301234568', { first_name: 'Di' }],
    ]);
    const again = await preview(path, workbook(rows), 'customers.xlsx', { columns, duplicates: 'refuse' });
    expect(again.counts).toEqual({ rows: 7, added: 0, merged: 0, refused: 7 });
  });

  it('has a mapping and a country of its own; a file without numbers says so with its columns', async () => {
    const path = await draft();
    const file = iconv.encode('Ruf;first_name\n01 234 56 78;Zoé\n', 'utf-16le', { addBOM: true });
    const unknown = await preview(path, file, 'liste.csv', { default_country: 'DE' });
    expect([unknown.columns.map(({ field }) => field), Object.keys(unknown.errors), unknown.counts['rows']]).toEqual([
      [null, 'variables.first_name'],
      ['file'],
      0,
    ]);
    const fields = { default_country: 'FR', columns: JSON.stringify({ Ruf: 'to_number' }) };
    const french = await preview(path, Buffer.from('Ruf;first_name\n01 42 68 53 00;Zoé\n'), 'liste.csv', fields);
    expect(french.rows).toMatchObject([{ number: '+33142685300' }]);
    const { body } = await send(`${path}/contacts/import/preview`, file, 'a.csv', { default_country: 'XX' }).expect(
      422,
    );
    expect(Object.keys(body.errors)).toEqual(['default_country']);
  });
});

describe('the command line', () => {
  it('previews an import with a country of its own, and sets the default country of an account', async () => {
    const path = await draft();
    const { name } = (await account.me.get('/api/v1/account')).body.data as { name: string };
    const folder = await mkdtemp(join(tmpdir(), 'imports-'));
    await writeFile(
      join(folder, 'list.xlsx'),
      workbook([['Téléphone', 'first_name'], ['01 42 68 53 00', 'Zoé'], ['x']]),
    );
    const options = ['--account', name, '--default-country', 'fr', '--dry-run'];
    const printed = await service.command([
      ...['campaigns', 'import', path.split('/').at(-1)!, join(folder, 'list.xlsx')],
      ...options,
    ]);
    expect(printed).toContain('Téléphone  to_number');
    expect(printed).toContain('1 would be added, 0 merged, 1 refused of 2 rows');
    expect((await account.me.get(`${path}/imports`)).body.data).toEqual([]);
    const set = async (country: string): Promise<string> =>
      service.command(['accounts', 'update', name, '--default-country', country]);
    expect(await set('at')).toContain('default_country: AT');
    expect(await set('none')).toContain('default_country: null');
    await set('DE');
    expect(await service.command(['export', '--account', name])).toContain('default_country: DE');
  });
});

describe('a number in a request', () => {
  it.each([
    ['030 123456', '+4930123456'],
    ['0049 (0)30 123456', '+4930123456'],
    ['7001', undefined],
  ])('that is not E.164 is refused, with what it would be: %s', async (written, number) => {
    const suggestion = number === undefined ? [] : [`Did you mean ${number}?`];
    const path = await draft();
    const ids = { agent_id: account.agentId, number_id: account.workspace.numberId };
    const call = await account.me.post('/api/v1/calls').send({ to_number: [written], ...ids });
    const added = await account.me.post(`${path}/contacts`).send({ contacts: [{ to_number: written }] });
    const listed = await account.me.post('/api/v1/do-not-call').send({ number: written });
    const sentences = [
      call.body.errors['to_number.0'][0],
      added.body.data.refusals[0].message,
      listed.body.errors.number[0],
    ] as string[];
    expect([call.status, added.status, listed.status]).toEqual([422, 201, 422]);
    expect(sentences.map((sentence) => sentence.match(/Did you mean .*/g) ?? [])).toEqual([
      suggestion,
      suggestion,
      suggestion,
    ]);
  });

  it('is read as people write it for forms, and in do-not-call lists', async () => {
    const parse = async (number: string) =>
      (await account.me.get('/api/v1/phone-numbers/parse').query({ number })).body.data as object;
    expect(await parse('0171/2345678')).toEqual({ number: '+491712345678', problem: null });
    expect(await parse('4711')).toEqual({ number: null, problem: 'The number is not a valid number in DE.' });
    const list = Buffer.from('Telefon;Grund\n030 999999;asked\n="+4930888888";\n12;\n');
    const fields = { columns: JSON.stringify({ Grund: 'reason' }) };
    const shown = await send('/api/v1/do-not-call/import/preview', list, 'list.csv', fields).expect(200);
    expect(shown.body.data).toMatchObject({ counts: { rows: 3, added: 2, unchanged: 0, refused: 1 } });
    const check = async (number: string) =>
      (await account.me.get('/api/v1/do-not-call/check').query({ number })).body.data as object;
    expect(await check('030 999999')).toMatchObject({ number: '+4930999999', allowed: true });
    const done = await send('/api/v1/do-not-call/import/file', list, 'list.csv', fields).expect(200);
    expect(done.body.data).toMatchObject({ added: 2, refused: 1, refused_rows: [{ line: 4 }] });
    expect(await check('030 999999')).toMatchObject({ allowed: false, entry: { reason: 'asked' } });
    const csv = await account.me
      .post('/api/v1/do-not-call/import?default_country=FR')
      .set('content-type', 'text/csv')
      .send('01 42 68 53 00\n');
    expect(csv.body.data).toMatchObject({ added: 1 });
    expect(await check('+33142685300')).toMatchObject({ reason: 'do_not_call' });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TestApi } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { aWorkspace, type Workspace } from '../support/factories.js';
import { BOUNDARY, fieldPart, FILE_END, fileHead, RawForm } from '../support/upload-form.js';

const LIMIT = 10_485_760;
const MB = Buffer.alloc(1_048_576, 'x');
const FIELDS = fieldPart('title', 'Terms') + fieldPart('source_type', 'file');

let api: TestApi;
let own: Workspace;
let path: string;

beforeAll(async () => {
  api = await TestApi.start();
  own = await aWorkspace(api.pool);
  path = `/api/v1/agents/${own.agentId}/knowledge-bases`;
});
afterAll(() => api.stop());

const form = (headers?: Record<string, string>) => new RawForm(api.port, path, own.token, headers);
/** Sizes of the files that are being received. */
const staged = () => {
  const folder = join(api.home, 'uploads');
  return readdirSync(folder).map((name) => statSync(join(folder, name)).size);
};
const noneStaged = () => eventually(staged, (sizes) => sizes.length === 0);
const stored = () => readdirSync(join(api.home, 'storage'), { recursive: true, withFileTypes: true });
const count = async () =>
  (await api.pool.query<{ n: number }>('SELECT count(*)::integer AS n FROM knowledge_bases')).rows[0]?.n;

/** A form with one file of `bytes` bytes and fields before or after it. */
async function sent(bytes: number, { last = '' } = {}) {
  const one = form();
  await one.write((last === '' ? FIELDS : '') + fileHead('terms.pdf'));
  for (let left = bytes; left > 0; left -= MB.length) await one.write(MB.subarray(0, Math.min(left, MB.length)));
  return one.end(last === '' ? FILE_END : `\r\n${last}--${BOUNDARY}--\r\n`);
}

describe('the upload of a file', () => {
  it('of exactly 10 MB is accepted, with the fields after it', async () => {
    const answer = await sent(LIMIT, { last: FIELDS });
    expect(answer).toMatchObject({ status: 201, body: { data: { file_size: LIMIT, file_name: 'terms.pdf' } } });
    expect(stored().filter((entry) => entry.isFile())).toHaveLength(1);
    await noneStaged();
  });

  it('is written to disk while it is received', async () => {
    const one = form();
    await one.write(FIELDS + fileHead('terms.pdf'));
    for (let megabyte = 0; megabyte < 5; megabyte++) await one.write(MB);
    await eventually(staged, ([size = 0]) => size >= 4 * MB.length);
    expect((await one.end(FILE_END)).status).toBe(201);
    await noneStaged();
  });

  it('of one byte more is rejected', async () => {
    const before = await count();
    const answer = await sent(LIMIT + 1);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual({ file: [expect.stringContaining('must not be greater than 10 MB')] });
    await noneStaged();
    expect(await count()).toBe(before);
  });

  it('with an excessive content-length is rejected before it is received', async () => {
    const one = form({ 'content-length': '1000000000' });
    one.request.flushHeaders();
    expect((await one.answer).body.errors).toHaveProperty('file');
    await new Promise((resolve) => one.request.once('close', resolve));
  });

  it('without an end is rejected and disconnected', async () => {
    const one = form();
    await one.write(FIELDS + fileHead('terms.pdf'));
    let written = 0;
    const closed = new Promise<true>((resolve) => one.request.once('close', () => resolve(true)));
    const taken = () =>
      one.write(MB).then(
        () => false,
        () => true,
      );
    const cut = (async () => {
      while (!(await Promise.race([taken(), closed]))) written += MB.length;
    })();
    expect((await one.answer).status).toBe(422);
    await cut;
    expect(written).toBeGreaterThan(LIMIT);
    await noneStaged();
  });

  it.each([
    ['before its file', FIELDS],
    ['in the header of its file', FIELDS + fileHead('terms.pdf').slice(0, 60)],
    ['in its file', `${FIELDS}${fileHead('terms.pdf')}%PDF-1.4`],
  ])('that is interrupted %s leaves nothing', async (_name, begun) => {
    const before = await count();
    const one = form();
    await one.write(begun);
    await eventually(staged, (sizes) => !begun.includes('%PDF') || sizes.length > 0);
    one.request.destroy();
    await noneStaged();
    expect(await count()).toBe(before);
  });

  it('is limited in number per account', async () => {
    const slow = [1, 2, 3, 4].map(() => form());
    await Promise.all(slow.map((one) => one.write(FIELDS + fileHead('terms.pdf') + 'x')));
    await eventually(staged, (sizes) => sizes.length === 4);
    const fifth = await api.as(own.token).post(path).field('title', 'x').attach('file', Buffer.from('x'), 'x.txt');
    expect([fifth.status, fifth.body]).toEqual([429, { message: expect.stringContaining('Only 4 files') }]);
    expect(fifth.headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-limit': '4', 'x-ratelimit-remaining': '0' });
    const answers = await Promise.all(slow.map((one) => one.end(FILE_END)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await sent(1)).status).toBe(201);
  });
});

describe('an upload form', () => {
  const EMPTY_FILE = fileHead('a.txt');
  const withFile = (head: string, fields = FIELDS) => `${fields}${head}content${FILE_END}`;

  it.each([
    ['with a name that is not Latin', withFile(fileHead('Verträge – 契約.pdf')), 'Verträge – 契約.pdf'],
    ['with a path as its name', withFile(fileHead('..\\\\..\\\\x/../y.txt')), 'y.txt'],
    [
      'with a name encoded by RFC 5987',
      withFile(fileHead('', "filename*=UTF-8''%E2%82%AC%20rates.csv")),
      '€ rates.csv',
    ],
    ['with an upper-case extension', withFile(fileHead('TERMS.PDF')), 'TERMS.PDF'],
    ['with line ends in its name', withFile(fileHead('a%0D%0Ab.md')), 'ab.md'],
  ])('is accepted: %s', async (_name, text, shown) => {
    const answer = await form().end(text);
    expect([answer.status, answer.body.data?.file_name]).toEqual([201, shown]);
  });

  it.each([
    ['without any field', `--${BOUNDARY}--\r\n`, ['title', 'source_type']],
    ['without a file', `${FIELDS}--${BOUNDARY}--\r\n`, ['file']],
    ['with an empty file', `${FIELDS}${EMPTY_FILE}${FILE_END}`, ['file']],
    ['with a file without a name', withFile(fileHead('')), ['file']],
    ['with a file of another type', withFile(fileHead('page.html')), ['file']],
    ['with a file without an extension', withFile(fileHead('pdf')), ['file']],
    ['with a text in the file field', FIELDS + fieldPart('file', 'text') + `--${BOUNDARY}--\r\n`, ['file']],
    ['with the file in another field', withFile(fileHead('a.txt').replace('"file"', '"document"')), ['file']],
    ['with two files', `${FIELDS}${EMPTY_FILE}x\r\n${EMPTY_FILE}y${FILE_END}`, ['file']],
    ['with a file and invalid fields', withFile(fileHead('a.exe'), fieldPart('title', '')), ['title', 'source_type']],
    [
      'with a file for source type text',
      withFile(EMPTY_FILE, FIELDS.replace('\r\nfile\r\n', '\r\ntext\r\n')),
      ['content', 'file'],
    ],
    ['with a null character', withFile(EMPTY_FILE, FIELDS.replace('Terms', 'a\0b')), ['title']],
    ['with a title that is not UTF-8', withFile(EMPTY_FILE, FIELDS.replace('Terms', 'K\ufffdln')), ['title']],
    ['with two titles', withFile(EMPTY_FILE, FIELDS + fieldPart('title', 'x')), ['title']],
    ['with a title of 3 MB', withFile(EMPTY_FILE, fieldPart('title', 'x'.repeat(3_000_000))), ['title']],
  ])('is rejected with 422: %s', async (_name, text, keys) => {
    const answer = await form().end(text);
    expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, keys]);
    await noneStaged();
  });

  it.each([
    ['without a boundary', { 'content-type': 'multipart/form-data' }, withFile(EMPTY_FILE), 400],
    ['that is truncated', {}, `${FIELDS}${EMPTY_FILE}x`, 400],
    ['without a body', {}, '', 400],
    ['with a hundred fields', {}, fieldPart('x', 'y').repeat(100), 400],
    ['of another media type', { 'content-type': `multipart/mixed; boundary=${BOUNDARY}` }, withFile(EMPTY_FILE), 415],
  ])('is rejected: %s', async (_name, headers, text, status) => {
    const answer = await form(headers).end(text);
    expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['message']]);
    await noneStaged();
  });

  it('can also contain a text or a URL', async () => {
    const text = fieldPart('title', 'T') + fieldPart('source_type', 'text') + fieldPart('content', 'Größe.');
    const answer = await form().end(`${text}--${BOUNDARY}--\r\n`);
    expect(answer).toMatchObject({ status: 201, body: { data: { status: 'completed', content: 'Größe.' } } });
  });

  it('with a field that is nested is refused by its name', async () => {
    const sent = api.as(own.token).post(path).field('title[a]', 'x').field('title', 'x').field('source_type', 'file');
    const { status, body } = await sent.attach('file', Buffer.from('x'), 'x.txt');
    expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([422, ['title']]);
  });

  it('is not accepted by other routes', async () => {
    const { body } = await api.as(own.token).post(path).send({ title: 'x', source_type: 'text', content: 'y' });
    const put = await api.as(own.token).put(`${path}/${body.data.id}`).field('title', 'y');
    expect(put.status).toBe(415);
    // Short enough to be sent before the connection is closed.
    expect((await api.as().post(path).attach('file', MB.subarray(0, 10_000), 'a.txt')).status).toBe(401);
  });
});

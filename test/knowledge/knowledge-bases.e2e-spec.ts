import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TestApi } from '../support/app.js';
import { aToken, anAgent, aWorkspace, type Workspace } from '../support/factories.js';

let api: TestApi;
let own: Workspace;
let path: string;

beforeAll(async () => {
  api = await TestApi.start();
  own = await aWorkspace(api.pool);
  path = `/api/v1/agents/${own.agentId}/knowledge-bases`;
});
afterAll(() => api.stop());

const TEXT = { title: 'Returns', source_type: 'text', content: 'Goods can be returned.\n\nWithin 30 days. 😀' };
const URL = { title: 'Hours', source_type: 'url', source_reference: 'https://example.com/hours?x=1' };

const post = (body: object, where = path) => api.as(own.token).post(where).send(body);
const get = (where: string) => api.as(own.token).get(where);
const made = async (body: object, where = path) => {
  const answer = await post(body, where);
  expect([answer.status, answer.body.message]).toEqual([201, 'Knowledge base created successfully.']);
  return answer.body.data as Record<string, unknown> & { id: number };
};
const upload = (name: string, content: string | Buffer = 'x', fields: Record<string, string> = {}) =>
  api
    .as(own.token)
    .post(path)
    .field({ title: 'Prices', source_type: 'file', ...fields })
    .attach('file', Buffer.from(content), name);
const chunks = async (id: number) =>
  (
    await api.pool.query<{ text: string; generation: number }>(
      'SELECT text, generation FROM knowledge_chunks WHERE knowledge_base_id = $1 ORDER BY generation, ordinal',
      [id],
    )
  ).rows;
const version = async () => {
  const text = 'SELECT knowledge_version AS v FROM agents WHERE id = $1';
  return Number((await api.pool.query<{ v: string }>(text, [own.agentId])).rows[0]?.v);
};
const stored = () => readdir(join(api.home, 'storage/knowledge', String(own.accountId)));

describe('a knowledge base', () => {
  it('of type text is completed in the response, with every field', async () => {
    const before = await version();
    const data = await made(TEXT);
    expect(data).toEqual({
      id: expect.any(Number),
      agent_id: own.agentId,
      agent_ids: [own.agentId],
      title: 'Returns',
      source_type: 'text',
      status: 'completed',
      is_active: true,
      content: TEXT.content,
      source_reference: null,
      file_name: null,
      file_size: null,
      file_type: null,
      word_count: 7,
      character_count: 41,
      chunk_count: expect.any(Number),
      vectors: null,
      processing_error: null,
      error_code: null,
      quality: 'good',
      quality_reason: null,
      stage: null,
      progress: 100,
      attempt: 0,
      crawl: null,
      pages: null,
      refresh_schedule: null,
      refresh: null,
      held_reason: null,
      language: null,
      next_refresh_at: null,
      last_refresh: null,
      created_at: expect.stringMatching(/\+00:00$/),
      updated_at: expect.stringMatching(/\+00:00$/),
    });
    expect(await chunks(data.id)).toHaveLength(data.chunk_count as number);
    expect(await version()).toBe(before + 1);
    expect((await get(`${path}/${data.id}`)).body).toEqual({ data });
  });

  it('of garbled text is completed, with a warning that says what to do, until its text is replaced', async () => {
    const garbled = 'Wkh zduudqwb fryhuv doo sduwv iru wzr bhduv iurp wkh gdb ri sxufkdvh. '.repeat(8);
    const data = await made({ ...TEXT, content: garbled });
    expect(data).toMatchObject({ status: 'completed', quality: 'suspect' });
    expect(data.quality_reason).toMatch(/^IMPLAUSIBLE_LETTERS: .+ (?:Export|Save) the document/);
    const { body } = await api.as(own.token).put(`${path}/${data.id}`).send({ content: TEXT.content });
    expect(body.data).toMatchObject({ quality: 'good', quality_reason: null });
  });

  it('of type url is pending, and its row alone announces it to workers', async () => {
    const data = await made({ ...URL, title: '  Hours ', is_active: false, unknown: 1 });
    expect(data).toMatchObject({ title: 'Hours', status: 'pending', is_active: true, content: null, word_count: 0 });
    expect(data).toMatchObject({ source_reference: URL.source_reference, progress: 0, chunk_count: 0 });
    const text = 'SELECT generation, serving, next_attempt_at <= now() AS due FROM knowledge_bases WHERE id = $1';
    expect((await api.pool.query(text, [data.id])).rows).toEqual([{ generation: 1, serving: null, due: true }]);
  });

  it('of type file is pending, with the file in the storage', async () => {
    const answer = await upload('Preise – 価格.CSV', 'a,b\n1,2\n');
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({
      status: 'pending',
      content: null,
      source_reference: null,
      file_name: 'Preise – 価格.CSV',
      file_size: 8,
      file_type: 'csv',
    });
    expect(await stored()).toEqual([expect.stringMatching(/^[0-9a-f-]{36}\.csv$/)]);
    expect(await readdir(join(api.home, 'uploads'))).toEqual([]);
  });

  it('can be created for an inactive agent', async () => {
    const idle = await anAgent(api.pool, own.accountId, { active: false });
    expect(await made(TEXT, `/api/v1/agents/${idle}/knowledge-bases`)).toMatchObject({ agent_id: idle });
  });

  it.each([
    [{}, { title: 'is required', source_type: 'is required' }],
    [{ ...TEXT, title: ' ' }, { title: 'is required' }],
    [{ ...TEXT, title: 1 }, { title: 'must be a string' }],
    [{ ...TEXT, title: 'x'.repeat(256) }, { title: 'must not be greater than 255 characters' }],
    [{ ...TEXT, source_type: 'pdf' }, { source_type: 'must be one of: text, file, url' }],
    [{ ...TEXT, source_type: ['text'] }, { source_type: 'must be one of' }],
    [{ ...TEXT, content: undefined }, { content: 'is required when source type is text' }],
    [{ ...TEXT, content: ' \n ' }, { content: 'is required when source type is text' }],
    [{ ...TEXT, content: { a: 1 } }, { content: 'must be a string' }],
    [{ ...TEXT, content: 'x'.repeat(500_001) }, { content: 'must not be greater than 500,000 characters' }],
    [{ ...TEXT, source_reference: 'https://example.com' }, { source_reference: 'is prohibited' }],
    [{ ...TEXT, file: { path: '/etc/passwd' } }, { file: 'is prohibited' }],
    [{ ...URL, source_reference: null }, { source_reference: 'is required when source type is url' }],
    [{ ...URL, source_reference: 1 }, { source_reference: 'must be a string' }],
    [{ ...URL, content: 'x' }, { content: 'is prohibited' }],
    [{ ...URL, source_reference: 'ftp://example.com/a' }, { source_reference: 'absolute http or https' }],
    [{ ...URL, source_reference: 'http://169.254.169.254/' }, { source_reference: 'internal address' }],
    [{ ...URL, source_reference: 'https://u:p@example.com/' }, { source_reference: 'user name' }],
    [{ ...URL, source_reference: `https://example.com/${'x'.repeat(2048)}` }, { source_reference: 'longer than 2048' }],
    [{ ...URL, crawl: { max_pages: 0 } }, { 'crawl.max_pages': 'must be between 1 and 500' }],
    [{ ...URL, crawl: { max_pages: 501 } }, { 'crawl.max_pages': 'must be between 1 and 500' }],
    [{ ...URL, crawl: { max_depth: 'x' } }, { 'crawl.max_depth': 'must be an integer' }],
    [{ ...URL, crawl: { include: 'x' } }, { 'crawl.include': 'must be an array' }],
    [{ ...URL, crawl: { exclude: ['docs'] } }, { 'crawl.exclude.0': 'begins with /' }],
    [{ ...URL, crawl: [] }, { crawl: 'must be an object' }],
    [{ ...URL, refresh: '* * * * *' }, { refresh: 'must not be more often than once an hour' }],
    [{ ...URL, refresh: 'sometimes' }, { refresh: 'cron expression' }],
    [
      { ...TEXT, crawl: {}, refresh: 'daily' },
      { crawl: 'is prohibited unless source type is url', refresh: 'is prohibited unless source type is url' },
    ],
    [{ title: 'x', source_type: 'file' }, { file: 'is required when source type is file' }],
    [
      { title: 'x', source_type: 'file', file: { path: '/etc/passwd', type: 'txt', bytes: 1 } },
      { file: 'must be a file' },
    ],
  ])('is rejected if invalid: %#', async (body, expected) => {
    const answer = await post(body);
    expect([answer.status, Object.keys(answer.body)]).toEqual([422, ['message', 'errors', 'codes', 'request_id']]);
    expect(Object.keys(answer.body.errors as object)).toEqual(Object.keys(expected));
    for (const [key, sentence] of Object.entries(expected)) expect(answer.body.errors[key][0]).toContain(sentence);
  });

  it('accepts a title of 255 characters of any script, and 500,000 characters of text', async () => {
    await made({ ...TEXT, title: '😀'.repeat(255) });
    const data = await made({ ...TEXT, content: 'ก'.repeat(499_998) + '\n\n' });
    expect(data).toMatchObject({ character_count: 500_000, status: 'completed' });
    const listed = (await get(`${path}?per_page=1`)).body.data[0];
    expect([listed.id, listed.content]).toEqual([data.id, null]);
    await api.as(own.token).delete(`${path}/${data.id}`);
  });

  it('of more than 2 MB of JSON is rejected with 413', async () => {
    const answer = await post({ ...TEXT, content: 'x'.repeat(2_100_000) });
    expect([answer.status, answer.body]).toEqual([
      413,
      { message: 'The request body must not be larger than 2,048 KB.' },
    ]);
  });

  it('is rejected if the agent already has 1,000', async () => {
    const full = await anAgent(api.pool, own.accountId);
    await api.pool.query(
      `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, status)
       SELECT $1, $2, 'x', 'text', 'completed' FROM generate_series(1, 999)`,
      [own.accountId, full],
    );
    const where = `/api/v1/agents/${full}/knowledge-bases`;
    const both = await Promise.all([post(URL, where), post(URL, where)]);
    expect(both.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 409]));
    const refused = both.find(({ status }) => status === 409);
    expect(refused?.body.message).toContain('has 1,000 knowledge bases');
  });
});

describe('a repeated creation with the same Idempotency-Key', () => {
  it('returns the first response for JSON', async () => {
    const send = (body: object, where = path) => post(body, where).set('Idempotency-Key', 'k-1');
    const [first, second] = await Promise.all([send(TEXT), send(TEXT)]);
    const third = await send(TEXT);
    expect(second.body).toEqual(first.body);
    expect(third.body).toEqual(first.body);
    expect(third.headers['idempotent-replayed']).toBe('true');
    expect((await send({ ...TEXT, title: 'Other' })).status).toBe(409);
    const other = await anAgent(api.pool, own.accountId);
    expect((await send(TEXT, `/api/v1/agents/${other}/knowledge-bases`)).status).toBe(409);
  });

  it('returns the first response for a file with the same name and content', async () => {
    const before = (await stored()).length;
    const first = await upload('a.txt', 'one').set('Idempotency-Key', 'k-2');
    const second = await upload('a.txt', 'one').set('Idempotency-Key', 'k-2');
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect((await upload('a.txt', 'two').set('Idempotency-Key', 'k-2')).status).toBe(409);
    expect(await stored()).toHaveLength(before + 1);
  });
});

describe('the list of knowledge bases', () => {
  it('is paged, newest first, and can be filtered by status, source and title', async () => {
    const agent = await anAgent(api.pool, own.accountId);
    const where = `/api/v1/agents/${agent}/knowledge-bases`;
    expect((await get(where)).body.data).toEqual([]);
    const text = await made({ ...TEXT, title: '100% Wool_care' }, where);
    const url = await made(URL, where);
    const file = await made({ ...TEXT, title: 'Prices' }, where);
    const ids = async (query: string) =>
      ((await get(`${where}?${query}`)).body.data as { id: number }[]).map(({ id }) => id);
    expect(await ids('')).toEqual([file.id, url.id, text.id]);
    expect(await ids('status=pending')).toEqual([url.id]);
    expect(await ids('status=completed&source_type=text')).toEqual([file.id, text.id]);
    expect(await ids('source_type=url&status=')).toEqual([url.id]);
    expect(await ids(`search=${encodeURIComponent('0% wool_')}`)).toEqual([text.id]);
    expect(await ids('search=%25')).toEqual([text.id]);
    expect(await ids('search=zzz')).toEqual([]);
    const page = (await get(`${where}?per_page=1&page=2&source_type=text`)).body;
    expect(page).toMatchObject({
      data: [{ id: text.id }],
      links: { first: expect.stringContaining('page=1'), next: null },
      meta: { current_page: 2, from: 2, last_page: 2, per_page: 1, to: 2, total: 2 },
    });
  });

  it.each(['status=done', 'source_type=pdf', 'per_page=0', 'per_page=101', 'per_page=x', 'page=0', 'search=%00'])(
    'refuses %s',
    async (query) => {
      const answer = await get(`${path}?${query}`);
      expect([answer.status, Object.keys(answer.body.errors as object)]).toEqual([422, [query.split('=')[0]]]);
    },
  );
});

describe('an update of a knowledge base', () => {
  it.each(['put', 'patch'] as const)('by %s changes the given fields', async (method) => {
    const { id } = await made(TEXT);
    const before = await version();
    const change = (body: object) => api.as(own.token)[method](`${path}/${id}`).send(body);
    const renamed = await change({ title: ' New ', content: null });
    expect([renamed.status, renamed.body.message]).toEqual([200, 'Knowledge base updated successfully.']);
    expect(renamed.body.data).toMatchObject({ title: 'New', content: TEXT.content, is_active: true });
    expect((await change({ is_active: false })).body.data).toMatchObject({ is_active: false, title: 'New' });
    expect(await version()).toBe(before + 2);
    const answer = await change({ content: 'One word more.' });
    expect(answer.body.data).toMatchObject({ content: 'One word more.', word_count: 3, status: 'completed' });
    expect(await chunks(id)).toEqual([{ text: 'One word more.', generation: 2 }]);
    expect((await change({})).status).toBe(200);
    expect(await version()).toBe(before + 3);
  });

  it.each([
    [{ title: '' }, 'title'],
    [{ title: 'x'.repeat(256) }, 'title'],
    [{ content: '' }, 'content'],
    [{ content: 7 }, 'content'],
    [{ is_active: 'yes' }, 'is_active'],
  ])('is rejected if invalid: %j', async (body, key) => {
    const { id } = await made(TEXT);
    const answer = await api.as(own.token).put(`${path}/${id}`).send(body);
    expect([answer.status, Object.keys(answer.body.errors as object)]).toEqual([422, [key]]);
  });

  it('cannot set the content of a file or URL', async () => {
    const { id } = await made(URL);
    const answer = await api.as(own.token).put(`${path}/${id}`).send({ content: 'x', title: 'y' });
    expect(answer.body.errors.content).toEqual([expect.stringContaining('created from a url')]);
    expect((await get(`${path}/${id}`)).body.data.title).toBe('Hours');
  });

  it('by two concurrent requests ends with one of both texts', async () => {
    const { id } = await made(TEXT);
    const texts = ['first', 'second'];
    await Promise.all(texts.map((content) => api.as(own.token).put(`${path}/${id}`).send({ content })));
    const { content } = (await get(`${path}/${id}`)).body.data;
    expect(await chunks(id)).toEqual([{ text: content, generation: 3 }]);
  });
});

describe('reprocessing', () => {
  const again = (id: number) => api.as(own.token).post(`${path}/${id}/reprocess`);

  it('a failed file begins a new generation', async () => {
    const { id } = (await upload('a.pdf')).body.data;
    const text = `UPDATE knowledge_bases SET status = 'failed', processing_error = 'EMPTY: x', error_code = 'EMPTY', attempt = 3,
      next_attempt_at = NULL WHERE id = $1`;
    await api.pool.query(text, [id]);
    const answer = await again(id);
    expect([answer.status, answer.body.message]).toEqual([200, 'Knowledge base is being processed again.']);
    expect(answer.body.data).toMatchObject({ status: 'pending', processing_error: null, error_code: null, attempt: 0 });
    const { rows } = await api.pool.query('SELECT generation FROM knowledge_bases WHERE id = $1', [id]);
    expect(rows).toEqual([{ generation: 2 }]);
  });

  it('is rejected with 409 while a worker holds the lease, but not after the lease expired', async () => {
    const { id } = await made(URL);
    const lease = (seconds: number) =>
      api.pool.query(
        `UPDATE knowledge_bases SET status = 'processing', lease_until = now() + $2 * interval '1 s' WHERE id = $1`,
        [id, seconds],
      );
    await lease(60);
    expect((await again(id)).status).toBe(409);
    await lease(-1);
    expect((await again(id)).body.data.status).toBe('pending');
    expect((await again(id)).status).toBe(200);
  });

  it('a text is complete in the response', async () => {
    const { id } = await made({ ...TEXT, content: 'One.' });
    expect((await again(id)).body.data).toMatchObject({ status: 'completed', content: 'One.' });
    expect(await chunks(id)).toEqual([{ text: 'One.', generation: 2 }]);
  });
});

describe('the deletion of a knowledge base', () => {
  it('deletes its passages and its file', async () => {
    const text = await made(TEXT);
    const file = (await upload('gone.md')).body.data;
    const files = (await stored()).length;
    const before = await version();
    for (const { id } of [text, file]) {
      const answer = await api.as(own.token).delete(`${path}/${id}`);
      expect([answer.status, answer.body]).toEqual([200, { message: 'Knowledge base deleted successfully.' }]);
      expect((await api.as(own.token).delete(`${path}/${id}`)).status).toBe(404);
      expect(await chunks(id)).toEqual([]);
    }
    expect(await stored()).toHaveLength(files - 1);
    expect(await version()).toBe(before + 2);
  });
});

describe('a knowledge base that does not exist', () => {
  it.each(['abc', '0', '01', '1e0', '0x1', '1.5', '-1', '2147483648', '99999999999', '999999', '%00'])(
    '%s is 404',
    async (id) => {
      for (const where of [`${path}/${id}`, `/api/v1/agents/${id}/knowledge-bases`]) {
        const answer = await get(where);
        expect([answer.status, Object.keys(answer.body)]).toEqual([404, ['message']]);
      }
    },
  );

  it.each([
    ['get', '', 'knowledge:read'],
    ['post', '', 'knowledge:write'],
    ['get', '/1', 'knowledge:read'],
    ['put', '/1', 'knowledge:write'],
    ['patch', '/1', 'knowledge:write'],
    ['delete', '/1', 'knowledge:write'],
    ['post', '/1/reprocess', 'knowledge:write'],
    ['post', '/search', 'knowledge:read'],
  ] as const)('%s %s needs the scope %s', async (method, rest, scope) => {
    const others = (['knowledge:read', 'knowledge:write', 'calls:write'] as const).filter((other) => other !== scope);
    const token = await aToken(api.pool, own.accountId, others);
    const answer = await api.as(token)[method](`${path}${rest}`);
    expect([answer.status, answer.body]).toEqual([403, { message: `The token lacks the scope ${scope}.` }]);
    expect((await api.as()[method](`${path}${rest}`)).status).toBe(401);
  });
});

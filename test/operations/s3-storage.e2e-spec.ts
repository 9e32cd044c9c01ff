import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { TestApi } from '../support/app.js';
import { aCall, aWorkspace, type Workspace } from '../support/factories.js';

let api: TestApi;
let own: Workspace;
let folder: string;
let server: S3rver;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-s3-'));
  const configureBuckets = [{ name: 'trunkline' }];
  server = new S3rver({ port: 0, address: '127.0.0.1', directory: folder, silent: true, configureBuckets });
  const { port } = await server.run();
  const STORAGE_URL = `s3://trunkline/pre?endpoint=http://127.0.0.1:${port}&path_style=true`;
  api = await TestApi.start({ STORAGE_URL, AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });
  own = await aWorkspace(api.pool);
});
afterAll(async () => {
  await api?.stop();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const bases = () => `/api/v1/agents/${own.agentId}/knowledge-bases`;

/** Uploads a text. @returns the id of the knowledge base, and the key of the file, which no request shows */
async function uploaded(text: string): Promise<{ id: number; key: string }> {
  const form = api.as(own.token).post(bases()).field({ title: 'Terms', source_type: 'file' });
  const { body } = await form.attach('file', Buffer.from(text), 'terms.txt').expect(201);
  const { rows } = await api.pool.query<{ key: string }>('SELECT file_key AS key FROM knowledge_bases WHERE id = $1', [
    body.data.id,
  ]);
  return { id: body.data.id as number, key: rows[0]?.key ?? '' };
}

/** What the bucket has under a key; undefined: nothing. */
async function inBucket(key: string): Promise<string | undefined> {
  const files = await readdir(folder, { recursive: true });
  const file = files.find((one) => one.endsWith(`/pre/${key}._S3rver_object`));
  return file === undefined ? undefined : readFile(join(folder, file), 'utf8');
}

describe('an installation with S3 storage', () => {
  it('stores an upload in the bucket and deletes it with its knowledge base', async () => {
    const { id, key } = await uploaded('0123456789');
    expect(await inBucket(key)).toBe('0123456789');
    await api.as(own.token).delete(`${bases()}/${id}`).expect(200);
    expect(await inBucket(key)).toBeUndefined();
  });

  it('serves a recording by its link, completely and in part, and deletes it with its call', async () => {
    // A file that is in the bucket stands for the recording.
    const { key } = await uploaded('0123456789');
    const id = await aCall(api.pool, own, { status: 'completed', recording_key: key, recording_bytes: 10 });
    const { recording_url: url } = (await api.as(own.token).get(`/api/v1/calls/${id}`)).body.data;
    const link = url.slice(url.indexOf('/api/'));
    const whole = await api.as().get(link).buffer();
    expect([whole.status, String(whole.body)]).toEqual([200, '0123456789']);
    const part = await api.as().get(link).set('Range', 'bytes=2-4');
    expect([part.status, String(part.body)]).toEqual([206, '234']);
    expect(part.headers['content-range']).toBe('bytes 2-4/10');
    await api.as(own.token).delete(`/api/v1/calls/${id}`).expect(200);
    expect(await inBucket(key)).toBeUndefined();
  });

  it('creates no knowledge base if the bucket rejects the file, and leaves nothing behind', async () => {
    await server.close();
    try {
      const before = (await api.as(own.token).get(bases())).body.meta.total as number;
      const form = api.as(own.token).post(bases()).field({ title: 'Terms', source_type: 'file' });
      const answer = await form.attach('file', Buffer.from('x'), 'terms.txt');
      expect([answer.status, Object.keys(answer.body)]).toEqual([503, ['message']]);
      expect((await api.as(own.token).get(bases())).body.meta.total).toBe(before);
      expect(await readdir(join(api.home, 'uploads'))).toEqual([]);
    } finally {
      await server.run();
    }
  });
});

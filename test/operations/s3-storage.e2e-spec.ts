import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStorage, type Storage } from '@app/storage';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { TestApi } from '../support/app.js';
import { aCall, aWorkspace, type Workspace } from '../support/factories.js';

let api: TestApi;
let own: Workspace;
let folder: string;
let server: S3rver;
let bucket: Storage;

beforeAll(async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });
  folder = await mkdtemp(join(tmpdir(), 'trunkline-s3-'));
  const configureBuckets = [{ name: 'trunkline' }];
  server = new S3rver({ port: 0, address: '127.0.0.1', directory: folder, silent: true, configureBuckets });
  const { port } = await server.run();
  const STORAGE_URL = `s3://trunkline/pre?endpoint=http://127.0.0.1:${port}&path_style=true`;
  bucket = openStorage({ STORAGE_URL, TRUNKLINE_HOME: folder });
  api = await TestApi.start({ STORAGE_URL });
  own = await aWorkspace(api.pool);
});
afterAll(async () => {
  await api.stop();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

describe('an installation with S3 storage', () => {
  it('stores an upload in the bucket and deletes it with its knowledge base', async () => {
    const path = `/api/v1/agents/${own.agentId}/knowledge-bases`;
    const form = api.as(own.token).post(path).field({ title: 'Terms', source_type: 'file' });
    const { id } = (await form.attach('file', Buffer.from('0123456789'), 'terms.txt')).body.data;
    const { rows } = await api.pool.query<{ file_key: string }>('SELECT file_key FROM knowledge_bases');
    const key = rows[0]?.file_key ?? '';
    expect(await bucket.size(key)).toBe(10);
    expect((await api.as(own.token).delete(`${path}/${id}`)).status).toBe(200);
    expect(await bucket.size(key)).toBeUndefined();
  });

  it('serves a recording by its link, completely and in part', async () => {
    const recording_key = `recordings/${own.accountId}/one.wav`;
    const local = join(folder, 'local.wav');
    await writeFile(local, '0123456789');
    await bucket.put(recording_key, local);
    const id = await aCall(api.pool, own, { status: 'completed', recording_key, recording_bytes: 10 });
    const { recording_url: url } = (await api.as(own.token).get(`/api/v1/calls/${id}`)).body.data;
    const link = url.slice(url.indexOf('/api/'));
    const whole = await api.as().get(link);
    expect([whole.status, String(whole.body)]).toEqual([200, '0123456789']);
    const part = await api.as().get(link).set('Range', 'bytes=2-4');
    expect([part.status, String(part.body)]).toEqual([206, '234']);
    expect(part.headers['content-range']).toBe('bytes 2-4/10');
    await api.as(own.token).delete(`/api/v1/calls/${id}`);
    expect(await bucket.size(recording_key)).toBeUndefined();
  });

  it('creates no knowledge base if the bucket rejects the file, and leaves nothing behind', async () => {
    await server.close();
    try {
      const path = `/api/v1/agents/${own.agentId}/knowledge-bases`;
      const form = api.as(own.token).post(path).field({ title: 'Terms', source_type: 'file' });
      const answer = await form.attach('file', Buffer.from('x'), 'terms.txt');
      expect([answer.status, Object.keys(answer.body)]).toEqual([503, ['message']]);
      expect((await api.as(own.token).get(path)).body.data).toEqual([]);
      expect(await readdir(join(api.home, 'uploads'))).toEqual([]);
    } finally {
      await server.run();
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import S3rver from 's3rver';
import { openStorage } from './open-storage.js';
import { closeStorageFolders } from './private-folders.js';
import type { Storage } from './storage.js';

let home: string;
let server: S3rver;
let endpoint: string;

beforeAll(async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });
  home = await mkdtemp(join(tmpdir(), 'trunkline-storage-'));
  const directory = join(home, 's3');
  server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    directory,
    silent: true,
    configureBuckets: [{ name: 'calls' }],
  });
  endpoint = `http://127.0.0.1:${(await server.run()).port}`;
});
afterAll(async () => {
  await server.close();
  await rm(home, { recursive: true, force: true });
});

const onDisk = () => openStorage({ TRUNKLINE_HOME: home });
const inBucket = (where = 'calls/a/prefix', at = endpoint) =>
  openStorage({ TRUNKLINE_HOME: home, STORAGE_URL: `s3://${where}?endpoint=${at}&path_style=true` });

async function aFile(content: string | Buffer): Promise<string> {
  const local = join(await mkdtemp(join(home, 'local-')), 'file');
  await writeFile(local, content);
  return local;
}

describe.each([
  ['on disk', onDisk],
  ['in S3', inBucket],
] as [string, () => Storage][])('files %s', (_name, opened) => {
  it('can be stored, read completely or in part, and deleted', async () => {
    const storage = opened();
    const local = await aFile('0123456789');
    await storage.put('recordings/1/a.wav', local);
    expect(existsSync(local)).toBe(false);
    expect(await storage.size('recordings/1/a.wav')).toBe(10);
    const whole = await storage.open('recordings/1/a.wav');
    expect(whole?.size).toBe(10);
    expect(await text(whole!.stream)).toBe('0123456789');
    const part = await storage.open('recordings/1/a.wav', { start: 2, end: 4 });
    expect(part?.size).toBe(10);
    expect(await text(part!.stream)).toBe('234');
    await storage.delete('recordings/1/a.wav');
    expect(await storage.open('recordings/1/a.wav')).toBeUndefined();
    expect(await storage.size('recordings/1/a.wav')).toBeUndefined();
  });

  it('can be empty or large', async () => {
    const storage = opened();
    await storage.put('empty', await aFile(''));
    expect(await storage.size('empty')).toBe(0);
    expect(await text((await storage.open('empty'))!.stream)).toBe('');
    const large = Buffer.alloc(10_485_760, 'trunkline ');
    await storage.put('large', await aFile(large));
    const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(hash(await buffer((await storage.open('large'))!.stream))).toBe(hash(large));
  });

  it('are replaced by a file with the same key', async () => {
    const storage = opened();
    await storage.put('twice', await aFile('first'));
    await storage.put('twice', await aFile('second'));
    expect(await text((await storage.open('twice'))!.stream)).toBe('second');
  });

  it('can be deleted twice', async () => {
    await expect(opened().delete('nothing')).resolves.toBeUndefined();
  });

  it.each(['../outside', '/../outside', 'a/../../outside', ''])(
    'are rejected if the key leads outside the storage: %j',
    async (key) => {
      await expect(opened().open(key)).rejects.toThrow('leaves the storage');
      await expect(opened().put(key, await aFile('x'))).rejects.toThrow('leaves the storage');
    },
  );
});

it.each([
  [(folder: string) => ({ TRUNKLINE_HOME: folder }), 'storage'],
  [(folder: string) => ({ TRUNKLINE_HOME: 'x', STORAGE_URL: `file:${folder}/b` }), 'b'],
  [(folder: string) => ({ TRUNKLINE_HOME: 'x', STORAGE_URL: `file://${folder}/c` }), 'c'],
])('the folder of files follows the environment', async (env, folder) => {
  await openStorage(env(home)).put('k', await aFile('x'));
  expect(existsSync(join(home, folder, 'k'))).toBe(true);
});

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('files on disk are private to the user of the service', () => {
  it('even if the umask and the original file allow all users to read', async () => {
    const before = process.umask(0);
    try {
      const [root, local] = [join(home, 'open'), await aFile('x')];
      await chmod(local, 0o666);
      await openStorage({ TRUNKLINE_HOME: home, STORAGE_URL: `file:${root}` }).put('recordings/1/a.wav', local);
      const modes = await Promise.all(
        ['', 'recordings', 'recordings/1', 'recordings/1/a.wav'].map((path) => modeOf(join(root, path))),
      );
      expect(modes).toEqual(['700', '700', '700', '600']);
    } finally {
      process.umask(before);
    }
  });

  it('after a start with a storage of an earlier release that others could read', async () => {
    const root = join(home, 'earlier');
    await mkdir(join(root, 'recordings/1'), { recursive: true });
    for (const path of ['', 'recordings']) await chmod(join(root, path), 0o755);
    await closeStorageFolders(root);
    expect([await modeOf(root), await modeOf(join(root, 'recordings'))]).toEqual(['700', '700']);
    await expect(closeStorageFolders(join(home, 'missing'))).resolves.toBeUndefined();
  });
});

describe('a storage in an S3 bucket', () => {
  it('stores files under the prefix', async () => {
    await inBucket('calls/b').put('k', await aFile('x'));
    expect(await inBucket('calls').size('b/k')).toBe(1);
    expect((await readdir(join(home, 's3/calls/b'))).some((name) => name.startsWith('k'))).toBe(true);
  });

  it('reports a missing bucket as an error, not as a missing file', async () => {
    const local = await aFile('x');
    await expect(inBucket('other').put('k', local)).rejects.toThrow('bucket does not exist');
    await expect(inBucket('other').open('k')).rejects.toThrow('bucket does not exist');
    expect(existsSync(local)).toBe(true);
  });

  it('fails at once if access is refused, and retries temporary errors', async () => {
    const answers = [403, 503, 503, 200];
    const lengths: (string | undefined)[] = [];
    const broken: Server = createServer((request, response) => {
      request.resume().once('end', () => {
        lengths.push(request.headers['content-length']);
        response.writeHead(answers[lengths.length - 1] ?? 500).end();
      });
    });
    await once(broken.listen(0, '127.0.0.1'), 'listening');
    const at = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
    const local = await aFile('content');
    await expect(inBucket('calls', at).put('k', local)).rejects.toThrow(/403|Unknown/i);
    expect(lengths).toEqual(['7']);
    await inBucket('calls', at).put('k', local);
    expect(lengths).toEqual(['7', '7', '7', '7']);
    expect(existsSync(local)).toBe(false);
    broken.closeAllConnections();
    broken.close();
  });
});

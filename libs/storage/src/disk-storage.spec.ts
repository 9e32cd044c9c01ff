import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DiskStorage } from './disk-storage.js';
import { openStorage } from './open-storage.js';

describe('files on disk', () => {
  let home: string;
  let storage: DiskStorage;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'trunkline-storage-'));
    storage = new DiskStorage(join(home, 'storage'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const put = async (key: string, content: string) => {
    const local = join(home, 'local');
    await writeFile(local, content);
    await storage.put(key, local);
    return local;
  };

  it('are moved in, read whole or in part, and deleted', async () => {
    const local = await put('recordings/1/a.wav', '0123456789');
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

  it('may be deleted twice', async () => {
    await expect(storage.delete('nothing')).resolves.toBeUndefined();
  });

  it.each(['../outside', '/../outside', 'a/../../outside', ''])('cannot leave the folder: %j', async (key) => {
    await expect(storage.open(key)).rejects.toThrow('leaves the storage');
  });

  it.each([
    [(folder: string) => ({ TRUNKLINE_HOME: folder }), 'storage'],
    [(folder: string) => ({ TRUNKLINE_HOME: 'x', STORAGE_URL: `file:${folder}/b` }), 'b'],
    [(folder: string) => ({ TRUNKLINE_HOME: 'x', STORAGE_URL: `file://${folder}/c` }), 'c'],
  ])('lie where the environment says', async (env, folder) => {
    const opened = openStorage(env(home));
    const local = join(home, 'local');
    await writeFile(local, 'x');
    await opened.put('k', local);
    expect(existsSync(join(home, folder, 'k'))).toBe(true);
  });
});

import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openUploadFolder, removeLeftParts, uploadFolder } from './private-folders.js';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'trunkline-uploads-'));
});
afterEach(() => rm(home, { recursive: true }));

async function aPart(name: string, minutesOld: number): Promise<void> {
  const path = join(uploadFolder(home), name);
  await writeFile(path, 'half a file');
  const at = new Date(Date.now() - minutesOld * 60_000);
  await utimes(path, at, at);
}

it('opening the upload folder removes partial files of killed processes and keeps those being written', async () => {
  const folder = await openUploadFolder(home);
  await aPart('killed.part', 7);
  await aPart('running.part', 4);
  expect(await openUploadFolder(home)).toBe(folder);
  expect(await readdir(folder)).toEqual(['running.part']);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

it('a machine without an upload folder has no partial files', async () => {
  await expect(removeLeftParts(uploadFolder(home))).resolves.toBeUndefined();
  expect(await readdir(home)).toEqual([]);
});

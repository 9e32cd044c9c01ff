import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openUploadFolder, removeLeftParts, uploadFolder } from './upload-folder.js';

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

it('removes the parts of killed processes when the folder is opened, and keeps those that are still being written', async () => {
  const folder = await openUploadFolder(home);
  await aPart('killed.part', 7);
  await aPart('running.part', 4);
  expect(await openUploadFolder(home)).toBe(folder);
  expect(await readdir(folder)).toEqual(['running.part']);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

it('finds no parts on a machine that takes no uploads', async () => {
  await expect(removeLeftParts(uploadFolder(home))).resolves.toBeUndefined();
  expect(await readdir(home)).toEqual([]);
});

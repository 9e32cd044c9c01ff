import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ScratchFolderService } from './scratch-folder.service.js';

let parent: string;
beforeEach(() => void (parent = mkdtempSync(join(tmpdir(), 'trunkline-scratch-'))));
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const opened = (): ScratchFolderService => {
  const scratch = new ScratchFolderService();
  scratch.open(parent);
  return scratch;
};

it('the scratch folder deletes files of dead processes and nothing else', async () => {
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  const names = [
    `trunkline-ingest-${dead}-x`,
    `trunkline-ingest-${process.pid}-last-start`,
    `trunkline-ingest-1-x`,
    'trunkline-other',
  ];
  for (const name of names) mkdirSync(join(parent, name));
  writeFileSync(join(parent, `trunkline-ingest-${dead}-x`, '1'), 'secret');
  const first = opened();
  const second = opened();
  expect(readdirSync(parent)).toHaveLength(4);
  expect(existsSync(join(parent, 'trunkline-ingest-1-x'))).toBe(true);
  await first.close();
  await second.close();
  expect(readdirSync(parent).sort()).toEqual(['trunkline-ingest-1-x', 'trunkline-other']);
});

it('a scratch file is deleted when its work ends, even with an error', async () => {
  const scratch = opened();
  let seen = '';
  const work = async (path: string): Promise<never> => {
    writeFileSync((seen = path), 'x');
    await Promise.resolve();
    throw new Error('broken');
  };
  await expect(scratch.withFile(work)).rejects.toThrow('broken');
  expect(existsSync(seen)).toBe(false);
  await scratch.close();
});

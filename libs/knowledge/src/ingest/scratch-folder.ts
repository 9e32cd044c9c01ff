import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';

const NAME = /^trunkline-ingest-(\d+)-/;

/** Of this process; a number on another folder may be ours, too (see isAnother). */
const open = new Set<string>();

/** Where a worker writes the document it processes. Named for the process, so that the next one can remove a dead one's files. */
@Injectable()
export class ScratchFolder {
  private folder: string | undefined;
  private files = 0;

  /** Removes the files of dead processes of this machine, too. */
  open(parent = tmpdir()): void {
    for (const name of readdirSync(parent)) {
      const pid = Number(NAME.exec(name)?.[1]);
      if (pid && !open.has(join(parent, name)) && !isAnother(pid))
        rmSync(join(parent, name), { recursive: true, force: true });
    }
    this.folder = mkdtempSync(join(parent, `trunkline-ingest-${process.pid}-`));
    open.add(this.folder);
  }

  /** Gives `work` the path of a file that is not there yet, and removes the file afterwards. */
  async withFile<T>(work: (path: string) => Promise<T>): Promise<T> {
    if (this.folder === undefined) throw new Error('The scratch folder is not open.');
    const path = join(this.folder, String(++this.files));
    try {
      return await work(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  async close(): Promise<void> {
    if (this.folder === undefined) return;
    open.delete(this.folder);
    await rm(this.folder, { recursive: true, force: true });
    this.folder = undefined;
  }
}

/** Our own number on a folder that is there before ours: in a container the process of the last start had it, too. */
function isAnother(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';

const NAME = /^trunkline-ingest-(\d+)-/;

/** Folders of this process; other folders may carry our process id as well (see isOtherProcess). */
const open = new Set<string>();

/**
 * The temporary folder for the documents of a worker. Its name contains the process id, so that later processes can
 * delete files of dead ones.
 */
@Injectable()
export class ScratchFolderService {
  private folder: string | undefined;
  private files = 0;

  /** Creates the folder and deletes the files of dead processes of this machine. */
  open(parent = tmpdir()): void {
    for (const name of readdirSync(parent)) {
      const pid = Number(NAME.exec(name)?.[1]);
      if (pid && !open.has(join(parent, name)) && !isOtherProcess(pid))
        rmSync(join(parent, name), { recursive: true, force: true });
    }
    this.folder = mkdtempSync(join(parent, `trunkline-ingest-${process.pid}-`));
    open.add(this.folder);
  }

  /** Calls `work` with the path of a new file and deletes the file afterwards. */
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

/** Our own process id in an older folder belongs to a previous start: in a container, ids repeat. */
function isOtherProcess(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const DAY_MS = 86_400_000;

/** Where recordings grow while the call lasts; a finished one moves to the storage. */
export class RecordingFiles {
  private constructor(private readonly folder: string) {}

  /** Makes the folder, and clears what a dialer that died left in it (no call lasts a day). */
  static async open(home: string): Promise<RecordingFiles> {
    const folder = join(home, 'tmp', 'recordings');
    await mkdir(folder, { recursive: true });
    const files = new RecordingFiles(folder);
    await files.removeLeftOvers();
    return files;
  }

  /** Of dialers that died, and of calls whose recording the storage did not take. */
  async removeLeftOvers(now = Date.now()): Promise<void> {
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      // Moved to the storage meanwhile, or removed by another dialer with the same home.
      const found = await stat(path).catch(() => undefined);
      if (found && now - found.mtimeMs > DAY_MS) await rm(path, { force: true });
    }
  }

  pathOf(callId: string): string {
    return join(this.folder, `${callId}.wav`);
  }

  static keyOf(accountId: number, callId: string): string {
    return `recordings/${accountId}/${callId}.wav`;
  }
}

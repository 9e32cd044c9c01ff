import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small disk in memory that can be filled. Only root may mount one. */
export class Tmpfs {
  private constructor(readonly folder: string) {}

  static mount(megabytes: number): Tmpfs {
    const folder = mkdtempSync(join(tmpdir(), 'trunkline-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', folder]);
    return new Tmpfs(folder);
  }

  /** Why there is none; undefined when there is. */
  static missing(): string | undefined {
    try {
      Tmpfs.mount(1).unmount();
      return undefined;
    } catch {
      return 'a tmpfs cannot be mounted here (root and CAP_SYS_ADMIN are needed)';
    }
  }

  /** A new folder there that others may enter. */
  place(name: string): string {
    const place = join(this.folder, name);
    mkdirSync(place, { mode: 0o711 });
    return place;
  }

  private get filler(): string {
    return join(this.folder, 'filler');
  }

  /** Not one byte is left. */
  fill(): void {
    const piece = Buffer.alloc(64 * 1024);
    for (let size = piece.length; size >= 1; size = size === 1 ? 0 : Math.max(1, size >> 4)) {
      for (;;) {
        try {
          writeFileSync(this.filler, piece.subarray(0, size), { flag: 'a' });
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          break;
        }
      }
    }
  }

  free(): void {
    rmSync(this.filler, { force: true });
  }

  unmount(): void {
    execFileSync('umount', [this.folder]);
    rmdirSync(this.folder);
  }
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small in-memory disk that can be filled. Mounting requires root. */
export class Tmpfs {
  private constructor(readonly folder: string) {}

  static mount(megabytes: number): Tmpfs {
    const folder = mkdtempSync(join(tmpdir(), 'trunkline-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', folder]);
    return new Tmpfs(folder);
  }

  /** Why a tmpfs is not available; undefined when it is. */
  static missing(): string | undefined {
    try {
      Tmpfs.mount(1).unmount();
      return undefined;
    } catch {
      return 'a tmpfs cannot be mounted here (root and CAP_SYS_ADMIN are needed)';
    }
  }

  /** A new folder on the disk that other users can enter. */
  place(name: string): string {
    const place = join(this.folder, name);
    mkdirSync(place, { mode: 0o711 });
    return place;
  }

  private get filler(): string {
    return join(this.folder, 'filler');
  }

  /** Fills the disk to the last byte. */
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

import { VERSION } from '@app/common';
import { RecordingFilesRepository } from '@app/calls';
import { InstallationRepository, type Sql } from '@app/database';
import { KnowledgeFilesRepository } from '@app/knowledge';
import { Storage } from '@app/storage';
import { Injectable } from '@nestjs/common';
import { createWriteStream, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Problem } from '../problem.js';
import { manifestFile, rowsFile, storedFile, type BackupManifest, type TableNote } from './backup-manifest.js';
import { BackupRepository } from './backup.repository.js';

type Snapshot = Pick<BackupManifest, 'taken_at' | 'key_fingerprint' | 'migrations' | 'tables'>;

/** `trunkline backup`. */
@Injectable()
export class BackupService {
  constructor(
    private readonly repository: BackupRepository,
    private readonly installation: InstallationRepository,
    private readonly recordings: RecordingFilesRepository,
    private readonly documents: KnowledgeFilesRepository,
    private readonly storage: Storage,
  ) {}

  /**
   * Writes a consistent snapshot of all rows, and the files that they refer to, into a new folder. Calls and deliveries continue meanwhile.
   * `withFiles: false` omits the files, for a storage with its own backups (bucket versions). Throws Problem when the folder is not empty.
   */
  async write(folder: string, { withFiles }: { withFiles: boolean }): Promise<BackupManifest> {
    if (existsSync(folder) && readdirSync(folder).length > 0) throw new Problem(`${folder} is not empty.`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { snapshot, keys } = await this.repository.snapshot(async (tx) => ({
      snapshot: await this.writeRows(tx, folder),
      keys: withFiles ? await this.fileKeys(tx) : [],
    }));
    const missing = await this.writeFiles(keys, folder);
    const manifest: BackupManifest = {
      format: 1,
      version: VERSION,
      ...snapshot,
      files: keys.filter((key) => !missing.includes(key)),
      missing_files: missing,
    };
    writeFileSync(manifestFile(folder), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    return manifest;
  }

  /** Storage keys of all recordings and documents. */
  private async fileKeys(tx: Sql): Promise<string[]> {
    return [...(await this.recordings.keys(tx)), ...(await this.documents.keys(tx))].toSorted();
  }

  private async writeRows(tx: Sql, folder: string): Promise<Snapshot> {
    const taken_at = new Date().toISOString();
    const key_fingerprint = await this.installation.keyFingerprint(tx);
    if (key_fingerprint === undefined)
      throw new Problem('No process has ever started on this database: there is nothing to back up.');
    const migrations = await this.repository.migrations(tx);
    const tables: TableNote[] = [];
    for (const table of await this.repository.tables(tx))
      tables.push({ ...table, rows: await this.writeTable(tx, table.name, folder) });
    return { taken_at, key_fingerprint, migrations, tables };
  }

  private async writeTable(tx: Sql, table: string, folder: string): Promise<number> {
    const file = rowsFile(folder, table);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const batches = this.repository.lines(table, tx);
    let count = 0;
    async function* text(): AsyncGenerator<string> {
      for await (const lines of batches) {
        count += lines.length;
        yield `${lines.join('\n')}\n`;
      }
    }
    await pipeline(Readable.from(text()), createGzip(), createWriteStream(file, { mode: 0o600 }));
    return count;
  }

  /** @returns keys without a file: deleted since the snapshot, or lost */
  private async writeFiles(keys: readonly string[], folder: string): Promise<string[]> {
    const missing: string[] = [];
    for (const key of keys) {
      const stored = await this.storage.open(key);
      if (!stored) {
        missing.push(key);
        continue;
      }
      const file = storedFile(folder, key);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      await pipeline(stored.stream, createWriteStream(file, { mode: 0o600 }));
    }
    return missing;
  }
}

import { databaseUrl, Encryption, type Env } from '@app/common';
import { migrate, migrationFiles, type Sql } from '@app/database';
import { ENV } from '@app/common/settings';
import { KnowledgeFilesRepository } from '@app/knowledge';
import { Storage } from '@app/storage';
import { Inject, Injectable } from '@nestjs/common';
import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createGunzip } from 'node:zlib';
import { Problem } from '../problem.js';
import { readManifest, rowsFile, storedFile, type BackupManifest, type TableNote } from './backup-manifest.js';
import { BackupRepository } from './backup.repository.js';

/** Rows of one INSERT. */
const BATCH = 500;

/** `trunkline restore`. */
@Injectable()
export class RestoreService {
  private readonly databaseUrl: string;

  constructor(
    private readonly repository: BackupRepository,
    private readonly documents: KnowledgeFilesRepository,
    private readonly encryption: Encryption,
    private readonly storage: Storage,
    @Inject(ENV) env: Env,
  ) {
    this.databaseUrl = databaseUrl(env);
  }

  /**
   * Restores a backup into an empty database: the schema of its release, the rows in one transaction, the files, and then the later
   * migrations. Throws Problem when the database has tables, the key differs, or the backup is from a newer release.
   */
  async restore(folder: string): Promise<BackupManifest> {
    const manifest = readManifest(folder);
    this.requireReadable(manifest);
    if (!(await this.repository.isEmpty()))
      throw new Problem('The database is not empty. Create a new database (CREATE DATABASE) and restore into it.');
    await migrate(this.databaseUrl, manifest.migrations);
    await this.repository.replaceAll(async (tx) => {
      // Rows that migrations insert are in the backup as well.
      for (const { name } of manifest.tables) await this.repository.clear(name, tx);
      for (const table of manifest.tables) await this.readTable(table, folder, tx);
      await this.documents.forgetVectors(tx);
    });
    await this.putFiles(manifest.files, folder);
    await migrate(this.databaseUrl);
    return manifest;
  }

  private requireReadable({ key_fingerprint: key, migrations, version }: BackupManifest): void {
    if (!this.encryption.fingerprints.includes(key))
      throw new Problem('SECRET_KEY is not the key that encrypts the secrets of this backup.');
    const own = migrationFiles().map(({ name }) => name);
    const unknown = migrations.filter((name) => !own.includes(name));
    if (unknown.length > 0)
      throw new Problem(
        `The backup is from a newer release (${version}): this release lacks the migrations ${unknown.join(', ')}.`,
      );
  }

  private async readTable(table: TableNote, folder: string, tx: Sql): Promise<void> {
    const lines = createInterface({ input: createReadStream(rowsFile(folder, table.name)).pipe(createGunzip()) });
    let count = 0;
    let batch: string[] = [];
    const put = async (): Promise<void> => {
      count += await this.repository.insert(table, batch, tx);
      batch = [];
    };
    for await (const line of lines) {
      batch.push(line);
      if (batch.length === BATCH) await put();
    }
    if (batch.length > 0) await put();
    if (count !== table.rows)
      throw new Problem(`${table.name} has ${count} rows in the backup instead of ${table.rows}.`);
    if (table.identity !== null) await this.repository.continueIdentity(table.name, table.identity, tx);
  }

  private async putFiles(keys: readonly string[], folder: string): Promise<void> {
    const scratch = await mkdtemp(join(tmpdir(), 'trunkline-restore-'));
    try {
      for (const key of keys) {
        // `put` moves its file, so the backup's file is copied first.
        const copy = join(scratch, 'file');
        await copyFile(storedFile(folder, key), copy);
        await this.storage.put(key, copy);
      }
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
}

import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';

const KEYS = { text: 'SELECT recording_key AS key FROM calls WHERE recording_key IS NOT NULL' };

/** The files of recordings, for a backup. */
@Injectable()
export class RecordingFilesRepository {
  constructor(private readonly database: Database) {}

  /** Storage keys of all recordings. */
  async keys(tx: Sql): Promise<string[]> {
    return (await this.database.rows<{ key: string }>(KEYS, [], tx)).map(({ key }) => key);
  }
}

import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';

const KEYS = { text: 'SELECT DISTINCT file_key AS key FROM knowledge_bases WHERE file_key IS NOT NULL' };

const FORGET_VECTORS = {
  text: `UPDATE knowledge_bases SET vectors_generation = NULL, vectors_ordinal = -1, vectors_backlog = true
    WHERE vectors_generation IS NOT NULL`,
};

/** The files of documents, for a backup, and what is derived from them. */
@Injectable()
export class KnowledgeFilesRepository {
  constructor(private readonly database: Database) {}

  /** Storage keys of all documents. */
  async keys(tx: Sql): Promise<string[]> {
    return (await this.database.rows<{ key: string }>(KEYS, [], tx)).map(({ key }) => key);
  }

  /** A worker creates pgvector's copy of the vectors again. */
  async forgetVectors(tx: Sql): Promise<void> {
    await this.database.rows(FORGET_VECTORS, [], tx);
  }
}

import { StorageQuotaService } from '@app/accounts';
import { InvalidFields, newId } from '@app/common';
import type { Sql } from '@app/database';
import { Storage } from '@app/storage';
import { Injectable } from '@nestjs/common';
import type { FileType } from './extract/document-formats.js';

/** A complete uploaded file; it is moved into the storage. */
export interface ReceivedFile {
  path: string;
  /** For people, see shownFileName. */
  name: string;
  type: FileType;
  bytes: number;
}

/** The files of knowledge bases, within the storage limit of their account. */
@Injectable()
export class DocumentFilesService {
  constructor(
    private readonly storage: Storage,
    private readonly quota: StorageQuotaService,
  ) {}

  /** Moves a file into the storage. Throws InvalidFields when it does not fit. @returns its key. */
  async store(accountId: number, { path, type, bytes }: ReceivedFile): Promise<string> {
    requireRoom(await this.quota.problem(accountId, bytes));
    const key = `knowledge/${accountId}/${newId()}.${type}`;
    await this.storage.put(key, path);
    return key;
  }

  /**
   * The last step of the transaction that has inserted the row of the file: concurrent uploads together never exceed the limit.
   * Throws InvalidFields.
   */
  async requireRoom(accountId: number, bytes: number, tx: Sql): Promise<void> {
    requireRoom(await this.quota.problemWithin(accountId, bytes, tx));
  }

  delete(key: string): Promise<void> {
    return this.storage.delete(key);
  }
}

function requireRoom(problem: string | undefined): void {
  if (problem !== undefined) throw new InvalidFields({ file: [`${problem} Delete files or recordings first.`] });
}

import { StorageQuotaService } from '@app/accounts';
import { type Acting, AuditService } from '@app/audit';
import { Conflict, InvalidFields, newId, NotFound } from '@app/common';
import { Database } from '@app/database';
import { WakeUpsService } from '@app/queue';
import { Storage } from '@app/storage';
import { Injectable } from '@nestjs/common';
import iconv from 'iconv-lite';
import { createReadStream } from 'node:fs';
import { CampaignContactsService } from '../campaign-contacts.service.js';
import { CampaignsService } from '../campaigns.service.js';
import type { DuplicateRule, ImportColumn } from './campaign-import.entity.js';
import { campaignImportView, type CampaignImportView } from './campaign-import.presenter.js';
import { CampaignImportsRepository, type Refusal } from './campaign-imports.repository.js';
import { type CsvFormat, csvFormatOf, csvRecords, UnreadableCsv } from './csv-records.js';
import { columnsOf } from './import-columns.js';

/** Imports of an account that wait or run. */
const MAX_UNFINISHED = 5;
/** Refused rows that are read at a time. */
const REFUSALS_AT_ONCE = 500;

/** A complete uploaded file; it is moved into the storage. */
interface ContactFile {
  path: string;
  name: string;
  bytes: number;
}

interface ImportRequest {
  /** Column -> field or null. */
  columns: Readonly<Record<string, unknown>>;
  duplicates: DuplicateRule;
  /** undefined: detected. */
  encoding?: string;
}

/** Imports of contacts from CSV files, for the API and the command line. A worker reads the rows: CampaignImportRunnerService. */
@Injectable()
export class CampaignImportsService {
  constructor(
    private readonly database: Database,
    private readonly imports: CampaignImportsRepository,
    private readonly campaigns: CampaignsService,
    private readonly contacts: CampaignContactsService,
    private readonly storage: Storage,
    private readonly quota: StorageQuotaService,
    private readonly audit: AuditService,
    private readonly wakeUps: WakeUpsService,
  ) {}

  /**
   * Checks the header of a file and leaves its rows to a worker. Throws NotFound, InvalidFields, and Conflict when the campaign has ended
   * or too many imports wait.
   */
  async begin(
    acting: Acting,
    campaignId: number,
    file: ContactFile,
    request: ImportRequest,
  ): Promise<CampaignImportView> {
    const { accountId, actor } = acting;
    await this.contacts.open(accountId, campaignId);
    const { format, columns } = await tableOf(file.path, request);
    const full = await this.quota.problem(accountId, file.bytes);
    if (full !== undefined) throw new InvalidFields({ file: [`${full} Delete files or recordings first.`] });
    const id = newId();
    const fileKey = `imports/${accountId}/${id}.csv`;
    const { duplicates } = request;
    await this.storage.put(fileKey, file.path);
    try {
      const row = await this.database.entityTransaction(async (tx) => {
        if ((await this.imports.unfinished(accountId, tx)) >= MAX_UNFINISHED)
          throw new Conflict(`${MAX_UNFINISHED} imports of the account are not completed yet. Wait for one to end.`);
        const names = { fileName: file.name, fileBytes: file.bytes, fileKey };
        const inserted = await this.imports.insert(
          { id, accountId, campaignId, ...names, ...format, columns, duplicates },
          tx,
        );
        const subject = { kind: 'campaign', id: campaignId };
        const details = { import_id: id, bytes: file.bytes, duplicates };
        await this.audit.record({ accountId, actor, action: 'campaign_import.created', subject, details }, tx);
        return inserted;
      });
      this.wakeUps.wake('contact-imports');
      return campaignImportView(row, campaignId);
    } catch (error) {
      await this.storage.delete(fileKey);
      throw error;
    }
  }

  /** @throws NotFound */
  async find(accountId: number, campaignId: number, id: string): Promise<CampaignImportView> {
    const found = await this.imports.find(accountId, campaignId, id);
    if (!found) throw new NotFound('Import');
    return campaignImportView(found, campaignId);
  }

  /** A page, newest first. Throws NotFound when the account has no such campaign. */
  async list(
    accountId: number,
    campaignId: number,
    place: { page: number; perPage: number },
  ): Promise<{ imports: CampaignImportView[]; total: number }> {
    await this.campaigns.find(accountId, campaignId);
    const [imports, total] = await this.imports.page(accountId, campaignId, place);
    return { imports: imports.map((one) => campaignImportView(one, campaignId)), total };
  }

  /** The stored refusals by line, some hundred at a time. Throws NotFound before the first ones. */
  async refusals(accountId: number, campaignId: number, id: string): Promise<AsyncGenerator<Refusal[]>> {
    await this.find(accountId, campaignId, id);
    return this.readRefusals(id);
  }

  private async *readRefusals(id: string): AsyncGenerator<Refusal[]> {
    let after = { line: 0, field: '' };
    for (;;) {
      const found = await this.imports.refusals(id, after, REFUSALS_AT_ONCE);
      if (found.length > 0) yield found;
      const last = found.at(-1);
      if (!last || found.length < REFUSALS_AT_ONCE) return;
      after = last;
    }
  }
}

/** Encoding, delimiter and columns of a file. Throws InvalidFields. */
async function tableOf(
  path: string,
  { columns: mapping, encoding }: ImportRequest,
): Promise<{ format: CsvFormat; columns: ImportColumn[] }> {
  if (encoding !== undefined && !isTextEncoding(encoding))
    throw new InvalidFields({ encoding: ['The encoding field must be the name of an encoding such as windows-1252.'] });
  const open = () => Promise.resolve(createReadStream(path));
  const format = await csvFormatOf(open, encoding?.toLowerCase());
  const { columns, errors } = columnsOf(await headerOf(path, format), mapping);
  if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
  return { format, columns };
}

/** iconv also has encodings of bytes as text. */
const isTextEncoding = (name: string): boolean =>
  iconv.encodingExists(name) && !/^(?:binary|base64|hex|base64url)$/i.test(name);

async function headerOf(path: string, format: CsvFormat): Promise<string[]> {
  try {
    for await (const { cells } of csvRecords(createReadStream(path), format)) return cells;
  } catch (error) {
    if (error instanceof UnreadableCsv) throw new InvalidFields({ file: [error.message] });
    throw error;
  }
  throw new InvalidFields({ file: ['The file field must not be an empty file.'] });
}

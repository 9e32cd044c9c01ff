import { AccountLimitsService, StorageQuotaService } from '@app/accounts';
import { type Acting, AuditService } from '@app/audit';
import { Conflict, InvalidFields, newId, NotFound, withCode } from '@app/common';
import { columnsOf, type TableRequest, withTable } from '@app/common/tables';
import { Database } from '@app/database';
import { WakeUpsService } from '@app/queue';
import { Storage } from '@app/storage';
import { Injectable } from '@nestjs/common';
import { stat } from 'node:fs/promises';
import { CampaignContactsService } from '../campaign-contacts.service.js';
import { CampaignsService } from '../campaigns.service.js';
import type { DuplicateRule, ImportColumn } from './campaign-import.entity.js';
import { campaignImportView, type CampaignImportView } from './campaign-import.presenter.js';
import { CampaignImportsRepository, type Refusal } from './campaign-imports.repository.js';
import { CONTACT_FIELDS } from './import-columns.js';

/** Imports of an account that wait or run. */
const MAX_UNFINISHED = 5;
/** Refused rows that are read at a time. */
const REFUSALS_AT_ONCE = 500;

/** A complete uploaded file, CSV or an Excel workbook; it is moved into the storage. */
interface ContactFile {
  path: string;
  name: string;
}

/** How the file of an import is read. */
export interface ImportRequest extends TableRequest {
  duplicates: DuplicateRule;
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
    private readonly limits: AccountLimitsService,
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
    await this.contacts.open(acting.accountId, campaignId);
    const upload = { accountId: acting.accountId, path: file.path };
    return withTable(upload, request.encoding, async ({ path, format, header }) => {
      const { columns, errors } = columnsOf(CONTACT_FIELDS, header, request.columns);
      if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
      return this.store(acting, campaignId, { ...file, path }, { ...request, ...format, columns });
    });
  }

  private async store(
    { accountId, actor }: Acting,
    campaignId: number,
    { path, name }: ContactFile,
    {
      encoding,
      delimiter,
      columns,
      duplicates,
      defaultCountry,
    }: Omit<ImportRequest, 'columns'> & { encoding: string; delimiter: string; columns: ImportColumn[] },
  ): Promise<CampaignImportView> {
    const { size: bytes } = await stat(path);
    const full = await this.quota.problem(accountId, bytes);
    if (full !== undefined)
      throw new InvalidFields({ file: [withCode('limit_reached', `${full} Delete files or recordings first.`)] });
    const country = defaultCountry ?? (await this.limits.defaultCountry(accountId));
    const id = newId();
    const fileKey = `imports/${accountId}/${id}.csv`;
    await this.storage.put(fileKey, path);
    try {
      const row = await this.database.entityTransaction(async (tx) => {
        if ((await this.imports.unfinished(accountId, tx)) >= MAX_UNFINISHED)
          throw new Conflict(`${MAX_UNFINISHED} imports of the account are not completed yet. Wait for one to end.`);
        const settings = { encoding, delimiter, columns, duplicates, defaultCountry: country };
        const inserted = await this.imports.insert(
          { id, accountId, campaignId, fileName: name, fileBytes: bytes, fileKey, ...settings },
          tx,
        );
        const subject = { kind: 'campaign', id: campaignId };
        const details = { import_id: id, bytes, duplicates };
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

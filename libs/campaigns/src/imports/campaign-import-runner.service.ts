import { Conflict, type Log, NotFound, UnitsAtWork } from '@app/common';
import { LOG, OWNER } from '@app/common/settings';
import { type CsvRecord, csvRecords, UnreadableTable } from '@app/common/tables';
import { WakeUpsService } from '@app/queue';
import { Storage } from '@app/storage';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type AddedContacts, CampaignContactsService, type ContactIntake } from '../campaign-contacts.service.js';
import { CampaignImportsRepository, type ImportRow, type Refusal } from './campaign-imports.repository.js';
import { importedContact, numberHint } from './import-columns.js';

const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
/** After a failure of the storage or the database. */
const AGAIN_MS = 15_000;
/** Claims without a single new row: the worker died each time. */
const MAX_ATTEMPTS = 5;
/** Rows of one transaction: it holds the counters of the campaign for some milliseconds. */
const BATCH = 500;
const MAX_ROWS = 1_000_000;
/** Stored refusals of one import. */
const MAX_REFUSALS = 10_000;
const KEPT_DAYS = 30;

/** Another worker has the import, or its campaign was deleted. */
class ImportLost extends Error {}

/** The import cannot go on. `message`: code, sentence and remedy. */
class ImportProblem extends Error {}

/**
 * Turns the rows of uploaded files into contacts. Any number of processes may run it: the row of an import counts the rows that are done in
 * the transactions that add their contacts, so that after a crash each row is imported once.
 */
@Injectable()
export class CampaignImportRunnerService implements OnModuleDestroy {
  private readonly units = new UnitsAtWork();
  private lastAccount = 0;

  constructor(
    private readonly imports: CampaignImportsRepository,
    private readonly contacts: CampaignContactsService,
    private readonly storage: Storage,
    private readonly wakeUps: WakeUpsService,
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  /** Returns the current imports to the queue. */
  stop(): Promise<void> {
    return this.units.stop();
  }

  /** Reads the rows of the next import. @returns whether one was due */
  importNext(): Promise<boolean> {
    return this.units.do(async () => {
      const claim = await this.imports.claim(this.owner, LEASE_MS, this.lastAccount);
      if (!claim) return false;
      this.lastAccount = claim.accountId;
      this.wakeUps.wakeNext('contact-imports');
      await this.run(claim);
      return true;
    });
  }

  /** Deletes imports that ended 30 days ago. */
  deleteOld(): Promise<void> {
    return this.imports.deleteOld(KEPT_DAYS);
  }

  private async run(claim: ImportRow): Promise<void> {
    const ids = { import_id: claim.id, account_id: claim.accountId, campaign_id: claim.campaignId };
    const began = performance.now();
    try {
      if (claim.status === 'processing' && claim.campaignId !== null) {
        const problem = await this.process(claim);
        await this.imports.end(claim, problem ?? null);
        const fields = { ...ids, problem, ms: Math.round(performance.now() - began) };
        this.log.info(fields, problem === undefined ? 'contacts were imported' : 'an import of contacts failed');
      }
      if (claim.fileKey !== null) await this.storage.delete(claim.fileKey);
      await this.imports.fileDeleted(claim);
    } catch (err) {
      if (err instanceof ImportLost)
        return this.log.info(ids, 'an import was dropped: it was taken over or its campaign was deleted');
      const isStopping = this.units.isStopping;
      if (!isStopping) this.log.error({ ...ids, err }, 'an import of contacts failed and is retried');
      await this.imports.release(claim, isStopping ? 0 : AGAIN_MS);
    }
  }

  /** @returns why the import cannot go on; undefined: it is complete. */
  private async process(claim: ImportRow): Promise<string | undefined> {
    if (claim.attempts > MAX_ATTEMPTS)
      return `ATTEMPTS_EXHAUSTED: The import failed ${MAX_ATTEMPTS} times after row ${claim.rows}. Import the rows after it from another file.`;
    try {
      await this.importRows(claim);
      return undefined;
    } catch (error) {
      if (error instanceof ImportProblem) return error.message;
      if (error instanceof UnreadableTable)
        return `FILE_CORRUPT: ${error.message} Correct the file and import it again; rows that were added are merged.`;
      if (error instanceof Conflict) return `CAMPAIGN_ENDED: ${error.message}`;
      if (error instanceof NotFound) throw new ImportLost();
      throw error;
    }
  }

  private async importRows(claim: ImportRow): Promise<void> {
    const file = claim.fileKey === null ? undefined : await this.storage.open(claim.fileKey);
    if (!file) throw new ImportProblem('FILE_MISSING: The uploaded file is no longer there. Import it again.');
    const run: RunningImport = { claim, bytes: 0, rows: 0, renewedAt: performance.now() };
    const intake = await this.contacts.open(claim.accountId, claim.campaignId!);
    const records = csvRecords(file.stream, claim, (bytes) => (run.bytes = bytes));
    let isHeader = true;
    let batch: CsvRecord[] = [];
    for await (const record of records) {
      if (isHeader) isHeader = false;
      else if (++run.rows <= claim.rows) await this.keep(run);
      else {
        if (run.rows > MAX_ROWS)
          throw new ImportProblem(
            `TOO_MANY_ROWS: The file has more than ${MAX_ROWS.toLocaleString('en-US')} rows. Import the rows from line ${record.line} in another file, into another campaign.`,
          );
        batch.push(record);
        if (batch.length < BATCH) continue;
        await this.add(run, intake, batch);
        batch = [];
      }
    }
    if (batch.length > 0) await this.add(run, intake, batch);
  }

  /** Renews the lease while rows are skipped that an earlier worker has imported. */
  private async keep(run: RunningImport): Promise<void> {
    if (this.units.isStopping) throw new Error('the process is ending');
    if (performance.now() - run.renewedAt < RENEW_MS) return;
    if (!(await this.imports.renew(run.claim, LEASE_MS))) throw new ImportLost();
    run.renewedAt = performance.now();
  }

  private async add(run: RunningImport, intake: ContactIntake, batch: readonly CsvRecord[]): Promise<void> {
    await this.keep(run);
    const { claim } = run;
    const defaults = { zone: intake.campaign.schedule.time_zone, country: claim.defaultCountry };
    const contacts = batch.map(({ cells }) => importedContact(claim.columns, cells, defaults));
    const progress = claim.fileBytes > 0 ? Math.min(99, Math.floor((100 * run.bytes) / claim.fileBytes)) : 0;
    const advance = async (
      { added, merged, refused }: AddedContacts,
      tx: Parameters<typeof this.imports.advance>[4],
    ) => {
      const refusals = refused.map(({ index, field, message }): Refusal => {
        const hint = field === 'to_number' ? numberHint(contacts[index]!.to_number, claim.defaultCountry) : undefined;
        return { line: batch[index]!.line, field, reason: hint ?? message };
      });
      const counts = { rows: batch.length, added, merged, refused: refused.length, progress };
      const limits = { leaseMs: LEASE_MS, mostRefusals: MAX_REFUSALS };
      if (!(await this.imports.advance(claim, counts, refusals, limits, tx))) throw new ImportLost();
    };
    await this.contacts.addBatch(intake, contacts, claim.duplicates, 0, advance);
    claim.rows += batch.length;
    run.renewedAt = performance.now();
  }
}

interface RunningImport {
  /** `rows` counts on with the row in the database. */
  claim: ImportRow;
  bytes: number;
  /** Rows that were read. */
  rows: number;
  /** Start of the last renewal of the lease. */
  renewedAt: number;
}

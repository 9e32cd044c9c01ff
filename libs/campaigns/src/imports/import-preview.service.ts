import { AccountLimitsService, readWrittenNumber } from '@app/accounts';
import { previewTable, type RowOutcome, type TablePreview, withTable } from '@app/common/tables';
import { Injectable } from '@nestjs/common';
import { CampaignContactsService } from '../campaign-contacts.service.js';
import type { ImportRequest } from './campaign-imports.service.js';
import { CONTACT_FIELDS, importedContact, numberHint } from './import-columns.js';

const COUNTS = ['added', 'merged'] as const;

/** What an import of contacts would do. */
export type ImportPreview = TablePreview<(typeof COUNTS)[number]>;

/** Shows what an import of contacts would do, without adding anything. */
@Injectable()
export class ImportPreviewService {
  constructor(
    private readonly contacts: CampaignContactsService,
    private readonly limits: AccountLimitsService,
  ) {}

  /** Throws NotFound, InvalidFields for a file that cannot be read, and Conflict when the campaign has ended. */
  async preview(accountId: number, campaignId: number, path: string, request: ImportRequest): Promise<ImportPreview> {
    const intake = await this.contacts.open(accountId, campaignId);
    const country = request.defaultCountry ?? (await this.limits.defaultCountry(accountId));
    const defaults = { zone: intake.campaign.schedule.time_zone, country };
    const known = new Set<string>();
    return withTable({ accountId, path }, request.encoding, (table) =>
      previewTable(table, {
        fields: CONTACT_FIELDS,
        mapping: request.columns,
        country,
        variables: (intake.found.agent_variables ?? []).map(({ name }) => name),
        isNumber: (cell) => 'number' in readWrittenNumber(cell, country),
        counts: COUNTS,
        check: async (columns, rows) => {
          const contacts = rows.map(({ cells }) => importedContact(columns, cells, defaults));
          const outcomes = await this.contacts.checkBatch(intake, contacts, request.duplicates, known);
          return outcomes.map((outcome, index): RowOutcome => {
            const number = contacts[index]!.to_number;
            if (typeof outcome === 'string') return { count: outcome, number };
            const { field, message } = outcome;
            return { field, message: (field === 'to_number' ? numberHint(number, country) : undefined) ?? message };
          });
        },
      }),
    );
  }
}

import { TranscriptSearchService } from '@app/analytics';
import { CallAnalysesService } from '@app/call-analysis';
import { CallRetentionService } from '@app/calls';
import { CampaignContactsService } from '@app/campaigns';
import { Database } from '@app/database';
import { ToolInvocationsService } from '@app/tools';
import { WebhookRetentionService } from '@app/webhooks';
import { Injectable } from '@nestjs/common';

/** Deletes transcripts beyond their retention, and what other features keep of what was said. */
@Injectable()
export class TranscriptRetentionService {
  constructor(
    private readonly database: Database,
    private readonly calls: CallRetentionService,
    private readonly search: TranscriptSearchService,
    private readonly contacts: CampaignContactsService,
    private readonly analyses: CallAnalysesService,
    private readonly invocations: ToolInvocationsService,
    private readonly webhooks: WebhookRetentionService,
  ) {}

  /** One chunk, in one transaction: no feature keeps words that another one has forgotten. @returns the number of calls. */
  deleteExpired(): Promise<number> {
    return this.database.transaction(async (tx) => {
      const calls = await this.calls.lockExpiredTranscripts(tx);
      if (calls.length === 0) return 0;
      const ids = calls.map(({ id }) => id);
      const contacts = calls.flatMap(({ contactId }) => contactId ?? []);
      await this.search.forget(ids, tx);
      if (contacts.length > 0) await this.contacts.forgetAnalyses(contacts, tx);
      await this.analyses.deleteOfCalls(ids, tx);
      await this.invocations.deleteOfCalls(ids, tx);
      await this.webhooks.deleteTranscripts(ids, tx);
      await this.calls.deleteTranscripts(ids, tx);
      return calls.length;
    });
  }
}

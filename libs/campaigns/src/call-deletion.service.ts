import type { Acting } from '@app/audit';
import { CallsService } from '@app/calls';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CampaignContactsRepository } from './campaign-contacts.repository.js';

/** Deletes calls, and what the contacts of campaigns quote of them. */
@Injectable()
export class CallDeletionService {
  constructor(
    private readonly database: Database,
    private readonly calls: CallsService,
    private readonly contacts: CampaignContactsRepository,
  ) {}

  /**
   * Removes a call that has ended, with its recording, transcript and webhooks. Throws NotFound, or Conflict while the call is active. The
   * recording is deleted first: after a crash in between, a second request deletes the rest.
   */
  async delete(acting: Acting, callId: string): Promise<void> {
    await this.calls.deleteRecording(acting.accountId, callId);
    await this.database.transaction(async (tx) => {
      const contactId = await this.calls.deleteWithin(acting, callId, tx);
      if (contactId !== null) await this.contacts.forgetAnalyses([contactId], callId, tx);
    });
  }
}

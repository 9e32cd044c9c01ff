import { type Acting, AuditService } from '@app/audit';
import { Conflict, NotFound } from '@app/common';
import { Database } from '@app/database';
import { WakeUpsService } from '@app/queue';
import { Injectable } from '@nestjs/common';
import { CallProgressService } from './progress/call-progress.service.js';
import type { CallRow } from './call.entity.js';
import { CallsRepository } from './calls.repository.js';
import { isActive } from './domain/call-state.js';

@Injectable()
export class CallCancellationService {
  constructor(
    private readonly database: Database,
    private readonly calls: CallsRepository,
    private readonly progress: CallProgressService,
    private readonly audit: AuditService,
    private readonly wakeUps: WakeUpsService,
  ) {}

  /**
   * Cancels a call: a queued call ends at once; the dialer of any other call hangs up within half a second (CANCEL before the
   * answer, BYE after it). Returns the current state of the call. Throws NotFound, and Conflict when the call has already ended.
   */
  async cancel({ accountId, actor }: Acting, callId: string): Promise<CallRow> {
    const cancelled = await this.database.transaction(async (tx) => {
      const call = await this.calls.lockToCancel(accountId, callId, tx);
      if (!call) return undefined;
      if (!isActive(call.status)) throw new Conflict('The call has already ended and cannot be cancelled.');
      const subject = { kind: 'call', id: callId };
      await this.audit.record({ accountId, actor, action: 'call.cancelled', subject }, tx);
      if (call.owner === null) {
        const ending = { change: 'cancelled', at: new Date(), cause: 'cancelled', endedBy: 'api' } as const;
        return this.progress.end(call, ending, tx);
      }
      await this.calls.requestCancel(callId, tx);
      return call;
    });
    if (!cancelled) throw new NotFound('Call');
    this.wakeUps.wake('webhooks');
    if (cancelled.campaign_id !== null) this.wakeUps.wake('campaigns');
    return cancelled;
  }
}

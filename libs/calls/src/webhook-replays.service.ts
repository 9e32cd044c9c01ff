import type { Acting } from '@app/audit';
import { InvalidFields, noRecord } from '@app/common';
import type { ListCursor } from '@app/database';
import { type RangeReplay, type ReplayRange, WebhookDeliveriesService } from '@app/webhooks';
import { Injectable } from '@nestjs/common';
import { CallsRepository } from './calls.repository.js';

/** Replays the webhooks of a period, or of one call in it. */
@Injectable()
export class WebhookReplaysService {
  constructor(
    private readonly calls: CallsRepository,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  /** The oldest first, 10,000 at most. Throws InvalidFields when the range names a call that the account does not have. */
  async replay(acting: Acting, range: ReplayRange, cursor?: ListCursor): Promise<RangeReplay> {
    if (range.callId !== undefined && !(await this.calls.find(acting.accountId, range.callId)))
      throw new InvalidFields({ call_id: [noRecord('call', range.callId)] });
    return this.deliveries.replayRange(acting, range, cursor);
  }
}

import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { type RetentionPeriod, WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { WebhookHostsRepository } from '../dispatch/webhook-hosts.repository.js';

/** Deletes data beyond its retention; a bounded number of rows per call. */
@Injectable()
export class WebhookRetentionService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly hosts: WebhookHostsRepository,
  ) {}

  /** Deliveries beyond the retention of their account, 1,000 at most. @returns their number. */
  deleteExpiredDeliveries(periods: readonly RetentionPeriod[]): Promise<number> {
    return this.deliveries.deleteExpired(periods);
  }

  /** Deletes the deliveries whose bodies contain what was said in the calls. */
  deleteTranscripts(callIds: readonly string[], tx: Sql): Promise<void> {
    return this.deliveries.deleteTranscripts(callIds, tx);
  }

  /** Deletes attempts older than 30 days, 2,000 at most. @returns their number. */
  deleteOldAttempts(): Promise<number> {
    return this.deliveries.purgeAttempts();
  }

  /** Deletes endpoints without a request for 30 days, and breakers without a report for a day. */
  async purge(): Promise<void> {
    await this.endpoints.purge();
    await this.hosts.purge();
  }
}

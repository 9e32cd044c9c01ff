import { Injectable } from '@nestjs/common';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
import { WebhookHostsRepository } from './webhook-hosts.repository.js';

/** Deletes what accounts or the service keep only for a time; a bounded number of rows per call. */
@Injectable()
export class WebhookRetentionService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly hosts: WebhookHostsRepository,
  ) {}

  /** Deliveries that are older than their account keeps them, 1,000 at most. @returns how many there were. */
  deleteExpiredDeliveries(): Promise<number> {
    return this.deliveries.deleteExpired();
  }

  /** Attempts older than 30 days, endpoints without a request for 30 days, breakers without a report for a day. */
  async purge(): Promise<void> {
    await this.deliveries.purgeAttempts();
    await this.endpoints.purge();
    await this.hosts.purge();
  }
}

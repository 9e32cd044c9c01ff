import { type Acting, AuditService } from '@app/audit';
import { NotFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { DisabledReason } from '../domain/endpoint-health.js';
import type { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import { type EndpointFilter, type EndpointState, WebhookEndpointsRepository } from './webhook-endpoints.repository.js';

/** An endpoint in the API and in `trunkline webhooks endpoints`. */
export interface WebhookEndpoint {
  id: number;
  url: string;
  /** Nothing is sent to a disabled endpoint: its deliveries end as `dead` and can be replayed when it is enabled. */
  state: EndpointState;
  disabled_at: Date | null;
  /** `gone`: it answered 410. `failing`: all attempts of 120 hours failed. */
  disabled_reason: DisabledReason | null;
  /** Since when all attempts fail; null while it works. */
  first_failure_at: Date | null;
  last_failure_at: Date | null;
  /** Exact to a minute. */
  last_success_at: Date | null;
  /** Of the last answer that was stored; null when there was none. */
  last_status: number | null;
}

/** The URLs that an account's webhooks go to, and their health. */
@Injectable()
export class WebhookEndpointsService {
  constructor(
    private readonly database: Database,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly audit: AuditService,
  ) {}

  /** Endpoints with a request in the last 30 days, and disabled ones; newest first. */
  async list(accountId: number, filter: EndpointFilter): Promise<{ endpoints: WebhookEndpoint[]; total: number }> {
    const [found, total] = await this.endpoints.list(accountId, filter);
    return { endpoints: found.map(shown), total };
  }

  /**
   * Allows webhooks to the endpoint again and restarts the count of failing hours; dispatchers notice with their next claim. Deliveries
   * that ended meanwhile stay `dead` until they are replayed. Throws NotFound when the account has no such endpoint.
   */
  async enable({ accountId, actor }: Acting, id: number): Promise<WebhookEndpoint> {
    const enabled = await this.database.entityTransaction(async (tx) => {
      const endpoint = await this.endpoints.enable(accountId, id, tx.manager);
      if (!endpoint) throw new NotFound('Webhook endpoint');
      const subject = { kind: 'webhook_endpoint', id };
      await this.audit.record({ accountId, actor, action: 'webhook_endpoint.enabled', subject }, tx);
      return endpoint;
    });
    return shown(enabled);
  }
}

const shown = (endpoint: WebhookEndpointEntity): WebhookEndpoint => ({
  id: endpoint.id,
  url: endpoint.url,
  state: endpoint.disabledAt === null ? 'active' : 'disabled',
  disabled_at: endpoint.disabledAt,
  disabled_reason: endpoint.disabledReason,
  first_failure_at: endpoint.failingSince,
  last_failure_at: endpoint.lastFailureAt,
  last_success_at: endpoint.lastSuccessAt,
  last_status: endpoint.lastStatus,
});

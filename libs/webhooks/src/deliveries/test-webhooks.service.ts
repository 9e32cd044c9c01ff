import { type Acting, AuditService } from '@app/audit';
import { Encryption, type Env, InvalidFields } from '@app/common';
import { Database } from '@app/database';
import { egressUrlRules, type UrlRules, urlFault } from '@app/egress';
import { WakeUpsService } from '@app/queue';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { type StoredWebhook, testRecord } from '../domain/delivery-record.js';
import { headerErrors, sealHeaders, type WebhookHeader } from '../domain/webhook-headers.js';
import { type DeliveryRow, deliveryView, type DeliveryView } from '../presenters/delivery.presenter.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookOutboxRepository } from './webhook-outbox.repository.js';

interface TestedUrl {
  url: string;
  method: string;
  headers: WebhookHeader[];
}

/** `POST /webhooks/test`: sends a signed event once, the way all webhooks are sent. */
@Injectable()
export class TestWebhooksService {
  private readonly rules: UrlRules;

  constructor(
    private readonly database: Database,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly outbox: WebhookOutboxRepository,
    private readonly encryption: Encryption,
    private readonly audit: AuditService,
    private readonly wakeUps: WakeUpsService,
    @Inject(ENV) env: Env,
  ) {
    this.rules = egressUrlRules(env);
  }

  /** Throws InvalidFields when the URL or a header is not allowed. */
  async sendToUrl(acting: Acting, target: TestedUrl): Promise<DeliveryView> {
    return this.send(acting, this.webhookTo(target), null);
  }

  /** `agentId`: of the agent whose webhook it is; null: it is a URL. */
  async send({ accountId, actor }: Acting, target: StoredWebhook, agentId: number | null): Promise<DeliveryView> {
    const row = await this.database.transaction(async (tx): Promise<DeliveryRow | undefined> => {
      const record = testRecord(accountId, target, agentId);
      const { id } = record;
      await this.outbox.writeSingle(record, tx);
      const subject = { kind: 'webhook_delivery', id };
      await this.audit.record(
        { accountId, actor, action: 'webhook.tested', subject, details: { agent_id: agentId } },
        tx,
      );
      return this.deliveries.find(accountId, id, tx);
    });
    if (!row) throw new Error('The test webhook was not stored.');
    this.wakeUps.wake('webhooks');
    return deliveryView(row);
  }

  private webhookTo({ url, method, headers }: TestedUrl): StoredWebhook {
    const ofUrl = urlFault(url, this.rules);
    const problems = [...(ofUrl ? [['url', ofUrl] as const] : []), ...headerErrors('headers', headers)];
    if (problems.length > 0) {
      throw new InvalidFields(Object.fromEntries(problems.map(([field, problem]) => [field, [problem]])));
    }
    const sealed = sealHeaders(this.encryption, headers);
    return { url, method, ...(sealed && { headers_sealed: sealed }) };
  }
}

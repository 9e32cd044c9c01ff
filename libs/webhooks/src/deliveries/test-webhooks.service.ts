import { type Acting, AuditService } from '@app/audit';
import { Encryption, type Env, InvalidFields } from '@app/common';
import { Database } from '@app/database';
import { egressUrlRules, type UrlRules, urlProblem } from '@app/egress';
import { WakeUpsService } from '@app/queue';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import type { StoredWebhook } from '../domain/delivery-record.js';
import { headerErrors, sealHeaders, type WebhookHeader } from '../domain/webhook-headers.js';
import { type DeliveryRow, deliveryView, type DeliveryView } from '../presenters/delivery.presenter.js';
import { type AgentWebhook, WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';

/** The target of a test: a URL, or one of an agent's webhooks. */
export type TestTarget =
  { url: string; method: string; headers: WebhookHeader[] } | { agentId: number; webhook: AgentWebhook };

/** `POST /webhooks/test`: sends a signed event once, the way all webhooks are sent. */
@Injectable()
export class TestWebhooksService {
  private readonly rules: UrlRules;

  constructor(
    private readonly database: Database,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly encryption: Encryption,
    private readonly audit: AuditService,
    private readonly wakeUps: WakeUpsService,
    @Inject(ENV) env: Env,
  ) {
    this.rules = egressUrlRules(env);
  }

  /** Throws InvalidFields when the target is not allowed, or when the account's agent has no such webhook. */
  async send({ accountId, actor }: Acting, target: TestTarget): Promise<DeliveryView> {
    const webhook = 'agentId' in target ? await this.webhookOf(accountId, target) : this.webhookTo(target);
    const agentId = 'agentId' in target ? target.agentId : null;
    const row = await this.database.transaction(async (tx): Promise<DeliveryRow | undefined> => {
      const id = await this.deliveries.insertTest({ accountId, agentId, target: webhook }, tx);
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

  private webhookTo({ url, method, headers }: Exclude<TestTarget, { agentId: number }>): StoredWebhook {
    const ofUrl = urlProblem(url, this.rules);
    const problems = [...(ofUrl ? [['url', ofUrl] as const] : []), ...headerErrors('headers', headers)];
    if (problems.length > 0) {
      throw new InvalidFields(Object.fromEntries(problems.map(([field, problem]) => [field, [problem]])));
    }
    const sealed = sealHeaders(this.encryption, headers);
    return { url, method, ...(sealed && { headers_sealed: sealed }) };
  }

  private async webhookOf(
    accountId: number,
    { agentId, webhook }: Extract<TestTarget, { agentId: number }>,
  ): Promise<StoredWebhook> {
    const webhooks = await this.deliveries.webhooksOfAgent(accountId, agentId);
    if (!webhooks) throw new InvalidFields({ agent_id: ['The selected agent id is invalid.'] });
    const target = webhooks[webhook];
    if (!target)
      throw new InvalidFields({
        webhook: ['The agent has no such webhook. Give it one, or name a url.'],
      });
    return target;
  }
}

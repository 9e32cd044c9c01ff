import type { Acting } from '@app/audit';
import { InvalidFields, noRecord, withCode } from '@app/common';
import { type DeliveryView, type StoredWebhook, TestWebhooksService } from '@app/webhooks';
import { Injectable } from '@nestjs/common';
import type { AgentEntity } from './agent.entity.js';
import { AgentsRepository } from './agents.repository.js';

export const AGENT_WEBHOOKS = ['call_status', 'post_call', 'pre_call'] as const;
export type AgentWebhook = (typeof AGENT_WEBHOOKS)[number];

const WEBHOOK_OF: Record<AgentWebhook, (agent: AgentEntity) => StoredWebhook | null> = {
  call_status: (agent) => agent.callStatusWebhook,
  post_call: (agent) => agent.postCallWebhook,
  pre_call: (agent) => agent.preCallWebhook,
};

/** Tests the webhooks of agents. */
@Injectable()
export class AgentTestWebhooksService {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly tests: TestWebhooksService,
  ) {}

  /** Sends a signed event to a webhook of an agent. Throws InvalidFields when the account's agent has no such webhook. */
  async send(acting: Acting, { agentId, webhook }: { agentId: number; webhook: AgentWebhook }): Promise<DeliveryView> {
    const agent = await this.agents.find({ accountId: acting.accountId, agentId });
    if (!agent) throw new InvalidFields({ agent_id: [noRecord('agent', agentId)] });
    const target = WEBHOOK_OF[webhook](agent);
    if (!target)
      throw new InvalidFields({
        webhook: [withCode('not_found', 'The agent has no such webhook. Give it one, or name a url.')],
      });
    return this.tests.send(acting, target, agentId);
  }
}

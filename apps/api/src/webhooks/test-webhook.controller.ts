import { type Acting, writeAudit } from '@app/audit';
import { Encryption } from '@app/common';
import type { UrlRules } from '@app/egress';
import { inTransaction } from '@app/database';
import { WakeUps } from '@app/queue';
import { deliveryRow, deliveryView, testTarget, writeTestDelivery } from '@app/webhooks';
import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Pool } from 'pg';
import { Actor } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ApiErrors } from '../http/api-errors.js';
import { DeliveryWithMessageDto } from './delivery.dto.js';
import { testOrderOf, TestWebhookDto } from './test-webhook.dto.js';
import { WEBHOOK_URL_RULES } from './url-rules.js';

const EXAMPLES = {
  url: { summary: 'A URL', value: { url: 'https://example.com/hooks/call-status' } },
  agent: { summary: 'A webhook of an agent that has one', value: { agent_id: 1, webhook: 'call_status' } },
};

@ApiTags('Webhooks')
@Controller('api/v1/webhooks')
export class TestWebhookController {
  constructor(
    private readonly pool: Pool,
    private readonly encryption: Encryption,
    private readonly wakeUps: WakeUps,
    @Inject(WEBHOOK_URL_RULES) private readonly rules: UrlRules,
  ) {}

  @Post('test')
  @HttpCode(202)
  @Scopes('webhooks:write')
  @ApiOperation({
    operationId: 'testWebhook',
    summary: 'Send a test webhook',
    description:
      'Sends a signed event of type `test` the way all webhooks go, once: what fails is not tried again. `GET /webhook-deliveries/{id}` tells what came of it, the answer included.',
  })
  @ApiBody({ type: TestWebhookDto, examples: EXAMPLES })
  @ApiResponse({ status: 202, type: DeliveryWithMessageDto, description: 'It is on its way.' })
  @ApiErrors(400, 413, 415, 422)
  async test(@Actor() { accountId, actor }: Acting, @Body() body: TestWebhookDto): Promise<DeliveryWithMessageDto> {
    const order = testOrderOf(body);
    const target = await testTarget(this.pool, accountId, order, { rules: this.rules, encryption: this.encryption });
    const agentId = 'agentId' in order ? order.agentId : null;
    const row = await inTransaction(this.pool, async (tx) => {
      const id = await writeTestDelivery(tx, { accountId, agentId, target });
      const subject = { kind: 'webhook_delivery', id };
      await writeAudit(tx, { accountId, actor, action: 'webhook.tested', subject, details: { agent_id: agentId } });
      return deliveryRow(tx, accountId, id);
    });
    this.wakeUps.wake('webhooks');
    return { message: 'The test webhook will be sent.', data: deliveryView(row) };
  }
}

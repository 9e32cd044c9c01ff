import { AgentTestWebhooksService } from '@app/agents';
import type { Acting } from '@app/audit';
import { TestWebhooksService } from '@app/webhooks';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { DeliveryWithMessageDto } from './deliveries.dto.js';
import { testTargetOf, TestWebhookDto } from './test-webhook.dto.js';

const EXAMPLES = {
  url: { summary: 'A URL', value: { url: 'https://example.com/hooks/call-status' } },
  agent: { summary: 'A webhook of an agent', value: { agent_id: 1, webhook: 'call_status' } },
};

@ApiTags('Webhooks')
@Controller('api/v1/webhooks')
export class TestWebhookController {
  constructor(
    private readonly tests: TestWebhooksService,
    private readonly agents: AgentTestWebhooksService,
  ) {}

  @Post('test')
  @HttpCode(202)
  @Scopes('webhooks:write')
  @ApiOperation({
    operationId: 'testWebhook',
    summary: 'Send a test webhook',
    description:
      'Sends a signed webhook of the type `test`. A failed test is not retried. `GET /webhook-deliveries/{id}` returns the result with the response of the receiver.',
  })
  @ApiBody({ type: TestWebhookDto, examples: EXAMPLES })
  @ApiResponse({ status: 202, type: DeliveryWithMessageDto, description: 'The test webhook will be sent.' })
  @ApiErrors(400, 413, 415, 422)
  async test(@Actor() acting: Acting, @Body() body: TestWebhookDto): Promise<DeliveryWithMessageDto> {
    const target = testTargetOf(body);
    const data = await ('agentId' in target ? this.agents.send(acting, target) : this.tests.sendToUrl(acting, target));
    return { message: 'The test webhook will be sent.', data };
  }
}

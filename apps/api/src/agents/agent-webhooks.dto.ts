import { agentRequest, type AgentSettingsView, type AgentWebhookView } from '@app/agents';
import { ApiProperty } from '@nestjs/swagger';
import { SchemaDto } from '../http/validation/schema-dto.js';

const { post_call_webhook: postCall, call_status_webhook: callStatus, pre_call_webhook: preCall } = agentRequest.shape;

class AgentWebhookHeaderDto extends SchemaDto(postCall.unwrap().unwrap().shape.headers, {
  key: 'X-Team',
  value: 'support',
}) {}

const EXAMPLES = { url: 'https://example.com/hooks/calls', method: 'POST', headers: AgentWebhookHeaderDto };

export class AgentWebhookInputDto extends SchemaDto(postCall, EXAMPLES) {}

/** `GET` is a method of `post_call_webhook` only. */
export class AgentStatusWebhookInputDto extends SchemaDto(callStatus, EXAMPLES) {}

export class AgentPreCallWebhookInputDto extends SchemaDto(preCall, { ...EXAMPLES, on_error: 'continue' }) {}

/** A webhook with masked headers. */
export class AgentWebhookDto implements AgentWebhookView {
  @ApiProperty({
    type: 'string',
    format: 'uri',
    maxLength: 2048,
    description: 'URL that receives the webhook.',
    example: 'https://example.com/hooks/calls',
  })
  url: string;

  @ApiProperty({ type: 'string', description: 'HTTP method.', example: 'POST' })
  method: string;

  @ApiProperty({ type: [AgentWebhookHeaderDto], description: 'Headers; their values are masked.' })
  headers: AgentWebhookHeaderDto[];
}

const ON_ERROR = ['continue', 'skip'] as const;

export class AgentPreCallWebhookDto
  extends AgentWebhookDto
  implements NonNullable<AgentSettingsView['pre_call_webhook']>
{
  @ApiProperty({
    type: 'string',
    enum: ON_ERROR,
    description:
      'What happens if the webhook fails or its answer is invalid: the call goes on, or ends as `cancelled`.',
    example: 'continue',
  })
  on_error: (typeof ON_ERROR)[number];
}

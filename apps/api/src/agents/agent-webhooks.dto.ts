import type { AgentSettingsView, AgentWebhookView } from '@app/agents';
import { MASK } from '@app/webhooks';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const ON_ERROR = ['continue', 'skip'] as const;

class AgentWebhookHeaderDto {
  @ApiProperty({ type: 'string', maxLength: 128, description: 'Name of the header.', example: 'X-Team' })
  key: string;

  @ApiProperty({
    type: 'string',
    maxLength: 2048,
    description: `Value of the header. Values are encrypted at rest and returned as \`${MASK}\`. In an update, \`${MASK}\` keeps the stored value if the webhook keeps its scheme, host and port.`,
    example: 'support',
  })
  value: string;
}

const WEBHOOK_URL = {
  type: 'string',
  format: 'uri',
  maxLength: 2048,
  description: 'URL that receives the webhook.',
  example: 'https://example.com/hooks/calls',
} as const;

/** A webhook with masked headers. */
export class AgentWebhookDto implements AgentWebhookView {
  @ApiProperty(WEBHOOK_URL)
  url: string;

  @ApiProperty({ type: 'string', description: 'HTTP method.', example: 'POST' })
  method: string;

  @ApiProperty({ type: [AgentWebhookHeaderDto], description: 'Headers; their values are masked.' })
  headers: AgentWebhookHeaderDto[];
}

/** A webhook in a request. */
export class AgentWebhookInputDto {
  @ApiProperty(WEBHOOK_URL)
  url: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['POST', 'GET', 'PUT', 'PATCH'],
    default: 'POST',
    description: 'HTTP method. `GET` only for `post_call_webhook`.',
    example: 'POST',
  })
  method?: string;

  @ApiPropertyOptional({
    type: [AgentWebhookHeaderDto],
    maxItems: 20,
    description: 'Headers that are sent with the webhook.',
  })
  headers?: AgentWebhookHeaderDto[];
}

const ON_ERROR_FIELD = {
  type: 'string',
  enum: ON_ERROR,
  default: 'continue',
  description: 'What happens if the webhook fails or its answer is invalid: the call goes on, or ends as `cancelled`.',
  example: 'continue',
} as const;

export class AgentPreCallWebhookDto
  extends AgentWebhookDto
  implements NonNullable<AgentSettingsView['pre_call_webhook']>
{
  @ApiProperty(ON_ERROR_FIELD)
  on_error: (typeof ON_ERROR)[number];
}

export class AgentPreCallWebhookInputDto extends AgentWebhookInputDto {
  @ApiPropertyOptional(ON_ERROR_FIELD)
  on_error?: (typeof ON_ERROR)[number];
}

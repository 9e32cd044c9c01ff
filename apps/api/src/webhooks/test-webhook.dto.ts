import { AGENT_WEBHOOKS, type AgentWebhook } from '@app/agents';
import { InvalidFields, withCode } from '@app/common';
import type { WebhookHeader } from '@app/webhooks';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import { WebhookHeaderDto } from '../calls/requests/create-calls.dto.js';
import { IsObjectList, IsOptionalOrBlank, IsRecordId, must, Trimmed } from '../http/validation/field-validators.js';

const METHODS = ['POST', 'GET', 'PUT', 'PATCH'] as const;
const MAX_URL = 2048;

/** Either a `url`, or an agent and one of its webhooks. */
export class TestWebhookDto {
  @ApiPropertyOptional({
    type: 'string',
    maxLength: MAX_URL,
    nullable: true,
    description: 'URL that receives the test.',
    example: 'https://example.com/hooks/call-status',
  })
  @IsOptionalOrBlank()
  @MaxLength(MAX_URL, { message: must.beShort(MAX_URL) })
  @IsString({ message: must.beText })
  @Trimmed()
  url?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    enum: METHODS,
    nullable: true,
    default: 'POST',
    description: 'HTTP method for `url`.',
    example: 'POST',
  })
  @IsOptionalOrBlank()
  @IsIn(METHODS, { message: must.beOneOf })
  method?: (typeof METHODS)[number] | null;

  @ApiPropertyOptional({
    type: [WebhookHeaderDto],
    maxItems: 20,
    nullable: true,
    description: 'Request headers for `url`.',
  })
  @IsOptional()
  @IsObjectList()
  @ValidateNested({ each: true })
  @Type(() => WebhookHeaderDto)
  headers?: WebhookHeaderDto[] | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'ID of the agent whose webhook is tested with its method and headers, instead of `url`.',
  })
  @IsOptionalOrBlank()
  @IsRecordId()
  agent_id?: number | null;

  @ApiPropertyOptional({
    type: 'string',
    enum: AGENT_WEBHOOKS,
    nullable: true,
    default: 'call_status',
    description: 'Webhook of the agent, for `agent_id`.',
  })
  @IsOptionalOrBlank()
  @IsIn(AGENT_WEBHOOKS, { message: must.beOneOf })
  webhook?: AgentWebhook | null;
}

/** The target of a test: a URL, or one of an agent's webhooks. */
type TestTarget =
  { url: string; method: string; headers: WebhookHeader[] } | { agentId: number; webhook: AgentWebhook };

/** Throws InvalidFields without a target, or with two. */
export function testTargetOf({ url, method, headers, agent_id: agentId, webhook }: TestWebhookDto): TestTarget {
  const hasUrl = url !== undefined && url !== null;
  const hasAgent = agentId !== undefined && agentId !== null;
  if (hasUrl && hasAgent) {
    throw new InvalidFields({
      agent_id: [withCode('not_allowed', 'The agent id field is prohibited when url is present.')],
    });
  }
  if (hasAgent) return { agentId, webhook: webhook ?? 'call_status' };
  if (!hasUrl)
    throw new InvalidFields({ url: [withCode('missing', 'The url field is required when agent id is not present.')] });
  return { url, method: method ?? 'POST', headers: (headers ?? []).map(({ key, value }) => ({ key, value })) };
}

import { type CreateCallsCommand, MAX_METADATA_BYTES, parseDestination, type WebhookOverride } from '@app/calls';
import { MAX_VALUE_LENGTH } from '@app/agents';
import { SELECTED_AT_MOST } from '@app/knowledge';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsString, MaxLength, ValidateIf, ValidateNested } from 'class-validator';
import { AgentOverridesDto } from './agent-overrides.dto.js';
import {
  CallWindowDto,
  IsNotBefore,
  IsTimeZone,
  NOT_BEFORE,
  requestedSchedule,
  TIME_ZONE,
} from './call-schedule.dto.js';
import { DestinationDto, VARIABLES } from './call-values.dto.js';
import {
  AsSent,
  BlankToNull,
  IsObjectList,
  IsOneObject,
  IsOptionalOrBlank,
  IsRecordId,
  IsRecordIdList,
  must,
  Trimmed,
} from '../../http/validation/field-validators.js';
import {
  destinationsOf,
  IsDestinations,
  IsE164,
  IsMetadata,
  IsVariables,
  needsTrunk,
  ReadsDestinations,
  TRUNK_REQUIRED,
} from './call-validators.js';

const POST_CALL_METHODS = ['POST', 'GET', 'PUT', 'PATCH'] as const;
const CALL_STATUS_METHODS = ['POST', 'PUT', 'PATCH'] as const;
const MAX_URL = 2048;

export class WebhookHeaderDto {
  @ApiProperty({ type: 'string', description: 'Header name, at most 128 characters.', example: 'X-Team' })
  @IsString({ message: must.beText })
  key: string;

  @ApiProperty({ type: 'string', description: 'Header value, at most 2,048 bytes.', example: 'support' })
  @ValidateIf((header: WebhookHeaderDto) => header.value !== '')
  @IsString({ message: must.beText })
  value: string;
}

/** Absent, null and blank fields take the agent's setting or the default. */
@ApiExtraModels(DestinationDto)
export class CreateCallsDto {
  @ApiProperty({
    description:
      'Destination: an E.164 number (spaces, hyphens and parentheses are removed) or a SIP URI `sip:user@host[:port][;transport=udp|tcp|tls][;user=phone]`. A string creates one call. An array creates one call per element, all or none; by default at most 100. An element may be an object with its own `metadata`, `variables`, `not_before` and `time_zone`; its errors are keyed `to_number.<index>.<field>`.',
    oneOf: [
      { type: 'string', maxLength: 255 },
      {
        type: 'array',
        items: { oneOf: [{ type: 'string', maxLength: 255 }, { $ref: getSchemaPath(DestinationDto) }] },
        minItems: 1,
      },
    ],
    example: 'sip:answer@127.0.0.1:5070',
  })
  @ReadsDestinations()
  @IsDestinations()
  to_number: string | (string | DestinationDto)[];

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'ID of the agent that handles the calls. The agent must be active.',
    example: 1,
  })
  @IsRecordId()
  agent_id: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'ID of the phone number to call from. The number must be active.',
    example: 1,
  })
  @IsRecordId()
  number_id: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description:
      'ID of the SIP trunk that carries the calls. The trunk must be active. Required if any destination is an E.164 number.',
    example: 1,
  })
  @BlankToNull()
  @ValidateIf((dto: CreateCallsDto) => (dto.trunk_id ?? null) !== null || needsTrunk(dto))
  @IsRecordId({ missing: TRUNK_REQUIRED })
  trunk_id?: number | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    default: false,
    description:
      'Whether to reject duplicates in `to_number`, reported by index, instead of calling them repeatedly. Phone numbers are compared without punctuation, hosts of SIP URIs case-insensitively.',
    example: true,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  reject_duplicates?: boolean | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    default: true,
    description: 'Whether to record the calls.',
    example: true,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  record?: boolean | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    default: false,
    description:
      'Whether to withhold the number from the called party (CLIR, RFC 3323 and RFC 3325): From is `anonymous@anonymous.invalid` with `Privacy: id`. A trunk with `assert_identity` still receives the number in P-Asserted-Identity, which most carriers require.',
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  anonymous?: boolean | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `Custom JSON object, stored with the calls and included in their webhooks; at most ${MAX_METADATA_BYTES} bytes.`,
    example: { customer: 'c-4711' },
  })
  @AsSent()
  @IsOptional()
  @IsMetadata()
  metadata?: Record<string, unknown> | null;

  @ApiPropertyOptional({
    ...VARIABLES,
    description: `Values of the agent's variables, which its texts use as \`{{name}}\`: text, numbers or booleans of at most ${MAX_VALUE_LENGTH.toLocaleString('en-US')} characters. A variable without a value here takes it from \`metadata\`, then its default. A required variable without a value is an error on \`metadata.<name>\`.`,
    example: { customer_name: 'Ada' },
  })
  @AsSent()
  @IsOptional()
  @IsVariables()
  variables?: Record<string, string | number | boolean> | null;

  @ApiPropertyOptional({
    ...NOT_BEFORE,
    description:
      'Earliest time at which the calls are dialled: ISO 8601 with `Z` or an offset, at most 366 days ahead. Until then a call is `pending` with `scheduled_for`, and can be cancelled. A past time has no effect.',
  })
  @IsOptionalOrBlank()
  @IsNotBefore()
  not_before?: string | null;

  @ApiPropertyOptional({
    type: CallWindowDto,
    nullable: true,
    description:
      'Local times at which the calls may be dialled. A call outside of them stays `pending` until the next window opens, also when its window closes while it waits in the queue.',
  })
  @IsOptional()
  @IsOneObject()
  @ValidateNested()
  @Type(() => CallWindowDto)
  window?: CallWindowDto | null;

  @ApiPropertyOptional({
    ...TIME_ZONE,
    description:
      'IANA time zone of `window`. Defaults to the time zones of the number; a number in several zones is called while the window is open in all of them. Required with `window` for destinations without a known time zone, such as SIP URIs and toll-free numbers.',
  })
  @IsOptionalOrBlank()
  @IsTimeZone()
  time_zone?: string | null;

  @ApiPropertyOptional({
    type: AgentOverridesDto,
    nullable: true,
    description:
      'Settings of the agent that these calls replace. Absent and null fields keep the setting of the agent.',
  })
  @IsOptional()
  @IsOneObject()
  @ValidateNested()
  @Type(() => AgentOverridesDto)
  agent_overrides?: AgentOverridesDto | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', minimum: 1 },
    maxItems: SELECTED_AT_MOST,
    nullable: true,
    description:
      'IDs of the knowledge bases that the agent uses in these calls, own or shared ones of the agent, each active. Absent or null: all. An empty array: none.',
    example: [1],
  })
  @IsOptionalOrBlank()
  @IsRecordIdList(SELECTED_AT_MOST)
  knowledge_base_ids?: number[] | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: MAX_URL,
    nullable: true,
    description: 'URL of the post-call webhook. Overrides the setting of the agent for these calls.',
    example: 'https://example.com/hooks/post-call',
  })
  @IsOptionalOrBlank()
  @MaxLength(MAX_URL, { message: must.beShort(MAX_URL) })
  @IsString({ message: must.beText })
  @Trimmed()
  post_call_webhook_url?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    enum: POST_CALL_METHODS,
    nullable: true,
    description: 'HTTP method of the post-call webhook. Defaults to the setting of the agent, then to POST.',
    example: 'POST',
  })
  @IsOptionalOrBlank()
  @IsIn(POST_CALL_METHODS, { message: must.beOneOf })
  post_call_webhook_method?: string | null;

  @ApiPropertyOptional({
    type: [WebhookHeaderDto],
    maxItems: 20,
    nullable: true,
    description:
      'Headers of the post-call webhook, which replace the headers of the agent. Headers of the agent are sent only to the scheme, host and port of its URL.',
  })
  @IsOptional()
  @IsObjectList()
  @ValidateNested({ each: true })
  @Type(() => WebhookHeaderDto)
  post_call_webhook_headers?: WebhookHeaderDto[] | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: MAX_URL,
    nullable: true,
    description: 'URL of the call-status webhooks. Overrides the setting of the agent for these calls.',
    example: 'https://example.com/hooks/call-status',
  })
  @IsOptionalOrBlank()
  @MaxLength(MAX_URL, { message: must.beShort(MAX_URL) })
  @IsString({ message: must.beText })
  @Trimmed()
  call_status_webhook_url?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    enum: CALL_STATUS_METHODS,
    nullable: true,
    description: 'HTTP method of the call-status webhooks. Defaults to the setting of the agent, then to POST.',
    example: 'POST',
  })
  @IsOptionalOrBlank()
  @IsIn(CALL_STATUS_METHODS, { message: must.beOneOf })
  call_status_webhook_method?: string | null;

  @ApiPropertyOptional({
    type: [WebhookHeaderDto],
    maxItems: 20,
    nullable: true,
    description:
      'Headers of the call-status webhooks, which replace the headers of the agent. Headers of the agent are sent only to the scheme, host and port of its URL.',
  })
  @IsOptional()
  @IsObjectList()
  @ValidateNested({ each: true })
  @Type(() => WebhookHeaderDto)
  call_status_webhook_headers?: WebhookHeaderDto[] | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    description: 'Whether the agent can transfer the calls. Requires a transfer number here or on the agent.',
    example: false,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  enable_call_transfer?: boolean | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 40,
    nullable: true,
    description: 'E.164 number to which calls are transferred. Overrides the setting of the agent.',
    example: '+15550002222',
  })
  @IsOptionalOrBlank()
  @IsE164({ message: must.beE164 })
  transfer_phone_number?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'ID of the phone number shown to the destination of a transfer. Overrides the setting of the agent.',
    example: 1,
  })
  @IsOptionalOrBlank()
  @IsRecordId()
  transfer_caller_id_number_id?: number | null;
}

/** The command of a validated request; null means absent. */
export function toCreateCallsCommand(dto: CreateCallsDto, traceParent?: string): CreateCallsCommand {
  return {
    destinations: destinationsOf(dto).map(valid),
    rejectDuplicates: dto.reject_duplicates ?? false,
    agentId: dto.agent_id,
    numberId: dto.number_id,
    trunkId: dto.trunk_id ?? undefined,
    schedule: requestedSchedule(dto),
    columns: {
      record: dto.record ?? true,
      metadata: dto.metadata ?? null,
      variables: dto.variables ?? null,
      knowledge_base_ids: dto.knowledge_base_ids ?? null,
    },
    overrides: {
      postCallWebhook: webhookOf(
        dto.post_call_webhook_url,
        dto.post_call_webhook_method,
        dto.post_call_webhook_headers,
      ),
      callStatusWebhook: webhookOf(
        dto.call_status_webhook_url,
        dto.call_status_webhook_method,
        dto.call_status_webhook_headers,
      ),
      transfer: {
        enabled: dto.enable_call_transfer ?? undefined,
        phoneNumber: dto.transfer_phone_number ? valid(parseDestination(dto.transfer_phone_number)).address : undefined,
        callerIdNumberId: dto.transfer_caller_id_number_id ?? undefined,
      },
      anonymous: dto.anonymous ?? false,
    },
    agentOverrides: dto.agent_overrides ?? undefined,
    traceParent,
  };
}

function valid<T extends { kind: string }>(destination: T): Exclude<T, { kind: 'wrong' }> {
  if (destination.kind === 'wrong') throw new Error('A destination was not validated.');
  return destination as Exclude<T, { kind: 'wrong' }>;
}

const webhookOf = (
  url?: string | null,
  method?: string | null,
  headers?: WebhookHeaderDto[] | null,
): WebhookOverride => ({
  url: url ?? undefined,
  method: method ?? undefined,
  headers: headers?.map(({ key, value }) => ({ key, value })),
});

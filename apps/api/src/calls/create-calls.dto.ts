import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsString, MaxLength, ValidateIf, ValidateNested } from 'class-validator';
import { AsSent } from '../http/transforms.js';
import { IsObjectList } from '../http/validators.js';
import { BlankToNull, IsOptionalOrBlank } from '../http/transforms.js';
import { must } from '../http/validation-messages.js';
import { IsRecordId } from '../http/validators.js';
import { Trimmed } from '../http/transforms.js';
import {
  IsDestinations,
  IsE164,
  IsMetadata,
  MAX_METADATA_BYTES,
  needsTrunk,
  TRUNK_REQUIRED,
} from './call-validators.js';

const POST_CALL_METHODS = ['POST', 'GET', 'PUT', 'PATCH'] as const;
const CALL_STATUS_METHODS = ['POST', 'PUT', 'PATCH'] as const;
const MAX_URL = 2048;

export class WebhookHeaderDto {
  @ApiProperty({ type: 'string', description: 'Name of the header, at most 128 characters.', example: 'X-Team' })
  @IsString({ message: must.beText })
  key: string;

  @ApiProperty({ type: 'string', description: 'Its value, at most 2,048 bytes.', example: 'support' })
  @ValidateIf((header: WebhookHeaderDto) => header.value !== '')
  @IsString({ message: must.beText })
  value: string;
}

/** Every field that is absent, null or blank takes the agent's setting, or the default. Unknown fields are ignored. */
export class CreateCallsDto {
  @ApiProperty({
    description:
      'Whom to call: an E.164 number (spaces, hyphens and parentheses are removed) or a SIP URI `sip:user@host[:port][;transport=udp|tcp|tls][;user=phone]`. A string creates one call, an array one call per element (100 at most unless configured otherwise), all or none.',
    oneOf: [
      { type: 'string', maxLength: 255 },
      { type: 'array', items: { type: 'string', maxLength: 255 }, minItems: 1 },
    ],
    example: 'sip:answer@127.0.0.1:5070',
  })
  @IsDestinations()
  to_number: string | string[];

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'The agent that handles the calls; must be active.',
    example: 1,
  })
  @IsRecordId()
  agent_id: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'The phone number to call from; must be active.',
    example: 1,
  })
  @IsRecordId()
  number_id: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'The SIP trunk to call over; must be active. Required when any destination is an E.164 number.',
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
      'Refuse destinations that `to_number` names twice, by their index, instead of calling each of them twice. Numbers are compared without punctuation, the hosts of SIP URIs in either case.',
    example: true,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  reject_duplicates?: boolean | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    default: true,
    description: 'Record the calls.',
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
      'Hides the number from the called party (CLIR, RFC 3323 and RFC 3325): From is `anonymous@anonymous.invalid` with `Privacy: id`. A trunk with `assert_identity` still receives the number in P-Asserted-Identity, which most carriers require.',
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  anonymous?: boolean | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `Anything of yours, kept with the calls and sent in their webhooks; at most ${MAX_METADATA_BYTES} bytes of JSON.`,
    example: { customer: 'c-4711' },
  })
  @AsSent()
  @IsOptional()
  @IsMetadata()
  metadata?: Record<string, unknown> | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: MAX_URL,
    nullable: true,
    description: "Where the post-call webhook goes; overrides the agent's for these calls.",
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
    description: 'Its HTTP method; POST when neither the request nor the agent has one.',
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
      "Headers it is sent with, instead of the agent's. The agent's are sent only to the scheme, host and port of the agent's URL.",
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
    description: "Where the call-status webhooks go; overrides the agent's for these calls.",
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
    description: 'Their HTTP method; POST when neither the request nor the agent has one.',
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
      "Headers they are sent with, instead of the agent's. The agent's are sent only to the scheme, host and port of the agent's URL.",
  })
  @IsOptional()
  @IsObjectList()
  @ValidateNested({ each: true })
  @Type(() => WebhookHeaderDto)
  call_status_webhook_headers?: WebhookHeaderDto[] | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    description: 'Whether the agent may transfer the calls; needs a transfer number here or on the agent.',
    example: false,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  enable_call_transfer?: boolean | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 40,
    nullable: true,
    description: "E.164 number that calls are transferred to, instead of the agent's.",
    example: '+15550002222',
  })
  @IsOptionalOrBlank()
  @IsE164({ message: must.beE164 })
  transfer_phone_number?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: "The account's phone number that the recipient of a transfer sees, instead of the agent's.",
    example: 1,
  })
  @IsOptionalOrBlank()
  @IsRecordId()
  transfer_caller_id_number_id?: number | null;
}

/** Bodies that work in the demo workspace, where agent, number and trunk are 1 and the trunk leads to the sandbox phone. */
export const CREATE_CALLS_EXAMPLES = {
  one: {
    summary: 'One call to the sandbox phone',
    value: { to_number: 'sip:answer@127.0.0.1:5070', agent_id: 1, number_id: 1, trunk_id: 1 },
  },
  several: {
    summary: 'Two calls in one request',
    value: {
      to_number: ['sip:answer@127.0.0.1:5070', 'sip:busy@127.0.0.1:5070'],
      agent_id: 1,
      number_id: 1,
      trunk_id: 1,
      record: false,
      metadata: { campaign: 'spring' },
    },
  },
  number: {
    summary: 'A phone number, over a trunk, with webhooks of its own',
    value: {
      to_number: '+1 (555) 000-2222',
      agent_id: 1,
      number_id: 1,
      trunk_id: 1,
      call_status_webhook_url: 'https://example.com/hooks/call-status',
      post_call_webhook_url: 'https://example.com/hooks/post-call',
      post_call_webhook_headers: [{ key: 'X-Team', value: 'support' }],
    },
  },
};

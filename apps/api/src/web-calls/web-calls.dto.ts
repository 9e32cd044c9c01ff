import { MAX_VALUE_LENGTH } from '@app/agents';
import { type LiveWebKey, MAX_METADATA_BYTES, type WebCallCommand } from '@app/calls';
import { type FieldErrors, InvalidFields, withCode } from '@app/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsInt, IsOptional, Max, Min, ValidateNested } from 'class-validator';
import { AgentOverridesDto } from '../calls/requests/agent-overrides.dto.js';
import { IsMetadata, IsVariables } from '../calls/requests/call-validators.js';
import { VARIABLES } from '../calls/requests/call-values.dto.js';
import { time } from '../http/responses/api-time.js';
import { WarningDto } from '../http/responses/warning.dto.js';
import { AsSent, IsOneObject, IsOptionalOrBlank, IsRecordId, must } from '../http/validation/field-validators.js';

const MAX_SECONDS = 7_200;
const MIN_SECONDS = 10;

/** Absent and null fields take the agent's setting or the default. */
export class CreateWebCallDto {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'ID of the agent that handles the call. The agent must be active. A web key names its agent.',
    example: 1,
  })
  @IsRecordId()
  agent_id: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description:
      'Version of the agent, drafts too. Absent: the current version, or the canary for its share of the calls. Not with a web key.',
    example: 1,
  })
  @IsOptionalOrBlank()
  @IsRecordId()
  version?: number | null;

  @ApiPropertyOptional({
    ...VARIABLES,
    description: `Values of the agent's variables, as in \`POST /calls\`: text, numbers or booleans of at most ${MAX_VALUE_LENGTH.toLocaleString('en-US')} characters. With a web key, only those that it allows.`,
    example: { customer_name: 'Ada' },
  })
  @AsSent()
  @IsOptional()
  @IsVariables()
  variables?: Record<string, string | number | boolean> | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `Custom JSON object, stored with the call and included in its webhooks; at most ${MAX_METADATA_BYTES} bytes. Not with a web key.`,
    example: { customer: 'c-4711' },
  })
  @AsSent()
  @IsOptional()
  @IsMetadata()
  metadata?: Record<string, unknown> | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    default: true,
    description: 'Whether to record the call. Not with a web key.',
    example: true,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  record?: boolean | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: MIN_SECONDS,
    maximum: MAX_SECONDS,
    nullable: true,
    description: 'Maximum length of the call in seconds, within that of the agent and of the web key.',
    example: 300,
  })
  @IsOptionalOrBlank()
  @Min(MIN_SECONDS, { message: must.beBetween(MIN_SECONDS, MAX_SECONDS) })
  @Max(MAX_SECONDS, { message: must.beBetween(MIN_SECONDS, MAX_SECONDS) })
  @IsInt({ message: must.beInteger })
  max_seconds?: number | null;

  @ApiPropertyOptional({
    type: AgentOverridesDto,
    nullable: true,
    description: 'Settings of the agent that this call replaces, as in `POST /calls`. Not with a web key.',
  })
  @IsOptional()
  @IsOneObject()
  @ValidateNested()
  @Type(() => AgentOverridesDto)
  agent_overrides?: AgentOverridesDto | null;
}

export const CREATE_WEB_CALL_EXAMPLES = {
  short: { summary: 'The defaults', value: { agent_id: 1 } },
  draft: {
    summary: 'A version with other texts, at most a minute',
    value: {
      agent_id: 1,
      version: 1,
      agent_overrides: { greeting: 'Hello, this is ACME.' },
      max_seconds: 60,
    },
  },
};

export const toWebCallCommand = (dto: CreateWebCallDto, traceParent?: string): WebCallCommand => ({
  agentId: dto.agent_id,
  version: dto.version ?? undefined,
  columns: {
    record: dto.record ?? true,
    metadata: dto.metadata ?? null,
    variables: dto.variables ?? null,
    knowledge_base_ids: null,
  },
  agentOverrides: dto.agent_overrides ?? undefined,
  maxSeconds: dto.max_seconds ?? undefined,
  traceParent,
});

const NOT_OF_PAGES = ['version', 'metadata', 'record', 'agent_overrides'] as const;

/** Throws InvalidFields for what a page may not choose. */
export function requireAllowed(dto: CreateWebCallDto, key: LiveWebKey): void {
  const problems: FieldErrors = {};
  const refuse = (field: string): void => {
    problems[field] = [withCode('not_allowed', `The ${field} field must not be given with this web key.`)];
  };
  if (dto.agent_id !== key.agent_id) refuse('agent_id');
  for (const field of NOT_OF_PAGES) if ((dto[field] ?? null) !== null) refuse(field);
  const allowed = new Set(key.variables_allowed);
  for (const name of Object.keys(dto.variables ?? {})) if (!allowed.has(name)) refuse(`variables.${name}`);
  if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
}

class WebCallDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'Unique identifier of the call.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11',
  })
  call_id: string;

  @ApiProperty({
    type: 'string',
    description:
      'Address of the WebSocket that the page opens, with the subprotocols `trunkline.v1` and `token.<token>`.',
    example: 'wss://voice.example.com/api/v1/web-calls/019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11/audio',
  })
  url: string;

  @ApiProperty({
    type: 'string',
    description: 'Opens one connection.',
    example: 'vC3fYq0h2mJ8b1xT6kD9sLw4zPnR7aUe',
  })
  token: string;

  @ApiProperty(
    time('End of the token. A call that no page opened until then ends as `no_answer` with `not_connected`.'),
  )
  expires_at: string;
}

export class WebCallCreatedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Web call created successfully.' })
  message: string;

  @ApiProperty({ type: WebCallDto, description: 'The call and its connection.' })
  data: WebCallDto;

  @ApiPropertyOptional({
    type: [WarningDto],
    description: 'Why the call will fail as things are. Absent: nothing is known.',
  })
  warnings?: WarningDto[];
}

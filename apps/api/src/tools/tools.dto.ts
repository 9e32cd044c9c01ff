import { type JsonSchema, schemaProblems } from '@app/json-schema';
import {
  ACTIONS_PER_TOOL,
  DEFAULT_TIMEOUT_SECONDS,
  DESCRIPTION_LENGTH,
  type NewAction,
  type NewTool,
  NO_PARAMETERS,
  RESERVED_NAMES,
  TOOL_NAME,
  type ToolChanges,
  type ToolView,
} from '@app/tools';
import { ApiProperty, ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsNotIn,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { time } from '../http/responses/api-time.js';
import {
  AsSent,
  IsObjectList,
  IsOptionalOrBlank,
  IsRecordIdList,
  must,
  Trimmed,
  ValidateParts,
} from '../http/validation/field-validators.js';
import { EnumFilter, TextFilter } from '../http/validation/list-filters.js';
import { ListLinksDto, PageMetaDto, PageQueryDto } from '../http/responses/pagination.js';
import { toBehaviour, ToolBehaviourDto, ToolBehaviourFields } from './tool-behaviour.dto.js';
import { CreateWebhookActionDto, WebhookActionDto } from './webhook-actions.dto.js';

const STATES = ['active', 'inactive'] as const;
const MAX_SEARCH = 255;

export class ListToolsDto extends PageQueryDto {
  @EnumFilter(STATES, 'Active tools, which the agent can use, or inactive tools.')
  status?: (typeof STATES)[number];

  @TextFilter('search', MAX_SEARCH, 'Tools whose name contains this text (case-insensitive).')
  search?: string;
}

const MAX_AGENTS = 100;
const AGENT_IDS = {
  type: 'array',
  items: { type: 'integer', minimum: 1 },
  maxItems: MAX_AGENTS,
  description:
    'IDs of further agents of the account that use the tool. An update replaces the list; `[]` ends the sharing. Only the path of the owning agent changes and deletes a tool; when the owner is deleted, another agent becomes it.',
  example: [2, 3],
} as const;

const SNAKE_CASE =
  'The name field must be in snake_case: a lower-case letter, then at most 63 letters, digits and underscores.';

/** The JSON Schema of the arguments of a tool; errors are reported by their path in the schema. */
const IsToolSchema = (): PropertyDecorator => ValidateParts('isToolSchema', (value) => schemaProblems(value));

/** Null fields are treated as absent, which is their default. */
export class CreateToolDto extends ToolBehaviourFields {
  @ApiProperty({
    type: 'string',
    pattern: TOOL_NAME.source,
    minLength: 1,
    maxLength: 64,
    description: `Name of the tool, unique among the tools of the agent; not ${RESERVED_NAMES.join(', ')}.`,
    example: 'book_table',
  })
  @IsNotIn(RESERVED_NAMES, { message: 'The name is that of a built-in tool.' })
  @Matches(TOOL_NAME, { message: SNAKE_CASE })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  name: string;

  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: DESCRIPTION_LENGTH,
    description: 'Description by which the agent decides when to use the tool.',
    example: 'Books a table. Use it when the caller has named the day and the number of guests.',
  })
  @MaxLength(DESCRIPTION_LENGTH, { message: must.beShort(DESCRIPTION_LENGTH) })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  @Trimmed()
  description: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'JSON Schema (draft 2020-12, 2019-09 or 07) of the arguments: an object schema of at most 16 KB, with at most 256 schemas in 8 levels and 100 properties, `$ref` only to its own `$defs`, and patterns without look-around and back-references. Without it, the tool takes no arguments.',
    example: {
      type: 'object',
      properties: {
        date: { type: 'string', format: 'date', description: 'The day, as 2026-05-24.' },
        guests: { type: 'integer', minimum: 1, maximum: 12, description: 'How many come.' },
      },
      required: ['date', 'guests'],
    },
  })
  @AsSent()
  @IsOptional()
  @IsToolSchema()
  parameters?: JsonSchema | null;

  @ApiPropertyOptional({
    type: 'boolean',
    default: true,
    nullable: true,
    description: 'Whether the agent can use the tool.',
    example: true,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  is_active?: boolean | null;

  @ApiPropertyOptional({
    type: [CreateWebhookActionDto],
    maxItems: ACTIONS_PER_TOOL,
    nullable: true,
    description: 'Requests sent when the tool is invoked, in this order.',
  })
  @IsOptional()
  @IsObjectList()
  @ValidateNested({ each: true })
  @Type(() => CreateWebhookActionDto)
  webhook_actions?: CreateWebhookActionDto[] | null;

  @ApiPropertyOptional({ ...AGENT_IDS, nullable: true })
  @IsOptionalOrBlank()
  @IsRecordIdList(MAX_AGENTS)
  agent_ids?: number[] | null;
}

/** Absent fields stay unchanged, and so do null ones, except for those of the behaviour, where null is the default. */
export class UpdateToolDto extends PartialType(OmitType(CreateToolDto, ['webhook_actions'] as const)) {
  @ApiPropertyOptional({
    type: [CreateWebhookActionDto],
    maxItems: ACTIONS_PER_TOOL,
    nullable: true,
    description: 'New list of requests. It replaces all existing actions, with new IDs. An empty list removes them.',
  })
  @IsOptional()
  @IsObjectList()
  @ValidateNested({ each: true })
  @Type(() => CreateWebhookActionDto)
  webhook_actions?: CreateWebhookActionDto[] | null;
}

const id = (description: string) => ({ type: 'integer', description, example: 1 }) as const;

class ToolOfMcpServerDto {
  @ApiProperty(id('ID of the MCP server.'))
  server_id: number;

  @ApiProperty({ type: 'string', description: 'Name of the MCP server.', example: 'shop' })
  server: string;

  @ApiProperty({ type: 'string', description: 'Name of the tool on the server.', example: 'findOrder' })
  name: string;
}

class ToolDto extends ToolBehaviourDto implements ToolView {
  @ApiProperty(id('Unique identifier.'))
  id: number;

  @ApiProperty(id('ID of the agent that owns the tool.'))
  agent_id: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    description: 'IDs of all agents that use the tool, the owner included.',
    example: [1, 2, 3],
  })
  agent_ids: number[];

  @ApiProperty({ type: 'string', maxLength: 64, description: 'Name of the tool.', example: 'book_table' })
  name: string;

  @ApiProperty({
    type: 'string',
    description: 'Description by which the agent decides when to use the tool.',
    example: 'Books a table. Use it when the caller has named the day and the number of guests.',
  })
  description: string;

  @ApiProperty({ type: 'boolean', description: 'Whether the agent can use the tool.', example: true })
  is_active: boolean;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema of the arguments.',
    example: { type: 'object', properties: { date: { type: 'string', format: 'date' } }, required: ['date'] },
  })
  parameters: JsonSchema;

  @ApiProperty({ type: [WebhookActionDto], description: 'Requests sent when the tool is invoked, in this order.' })
  webhook_actions: WebhookActionDto[];

  @ApiProperty({
    type: ToolOfMcpServerDto,
    nullable: true,
    description:
      'The MCP server that defines the tool; null for own tools. Such a tool has no actions, and only `is_active` and the fields of its behaviour in the conversation (`say_before` to `confirm`) can be changed.',
  })
  mcp: ToolOfMcpServerDto | null;

  @ApiProperty(time('Time of creation.'))
  created_at: string;

  @ApiProperty(time('Time of the last change.'))
  updated_at: string;
}

export class FoundToolDto {
  @ApiProperty({ type: ToolDto, description: 'The tool.' })
  data: ToolDto;
}

export class ToolWithMessageDto extends FoundToolDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Tool created successfully.' })
  message: string;
}

export class ToolDeletedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Tool deleted successfully.' })
  message: string;
}

export class ToolListDto {
  @ApiProperty({ type: [ToolDto], description: 'The tools on this page, newest first.' })
  data: ToolDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

export const toNewTool = (body: CreateToolDto): NewTool => ({
  name: body.name,
  description: body.description,
  isActive: body.is_active ?? true,
  parameters: body.parameters ?? NO_PARAMETERS,
  actions: (body.webhook_actions ?? []).map(toNewAction),
  behaviour: toBehaviour(body),
  agentIds: body.agent_ids ?? [],
});

export function toToolChanges(body: UpdateToolDto): ToolChanges {
  const behaviour = toBehaviour(body);
  return {
    name: body.name ?? undefined,
    description: body.description ?? undefined,
    isActive: body.is_active ?? undefined,
    parameters: body.parameters ?? undefined,
    actions: body.webhook_actions ? body.webhook_actions.map(toNewAction) : undefined,
    behaviour: Object.keys(behaviour).length > 0 ? behaviour : undefined,
    agentIds: body.agent_ids ?? undefined,
  };
}

const toNewAction = (given: CreateWebhookActionDto): NewAction => ({
  name: given.name,
  url: given.url,
  method: given.method ?? 'POST',
  payload: given.payload ?? null,
  headers: given.headers ?? null,
  queryParams: given.query_params ?? null,
  waitResponse: given.wait_response ?? true,
  timeoutMs: (given.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000,
});

const DATE = { type: 'string', format: 'date', description: 'The day, as 2026-05-24.' };

/** JSON bodies for Swagger UI. */
export const CREATE_TOOL_EXAMPLES = {
  two: {
    summary: 'Two requests: one awaited, one queued',
    value: {
      name: 'book_table',
      description: 'Books a table. Use it when the caller has named the day and the number of guests.',
      parameters: {
        type: 'object',
        properties: {
          date: DATE,
          guests: { type: 'integer', minimum: 1, maximum: 12, description: 'How many come.' },
        },
        required: ['date', 'guests'],
      },
      webhook_actions: [
        {
          name: 'book',
          url: 'https://example.com/bookings/{{args.date}}',
          payload: { guests: '{{args.guests}}', note: 'By phone, {{call.to_number}}' },
          headers: { Authorization: 'Bearer 4f1c9a' },
          timeout_seconds: 20,
        },
        { name: 'tell_the_kitchen', url: 'https://example.com/hooks/kitchen', wait_response: false },
      ],
    },
  },
  query: {
    summary: 'A lookup with GET',
    value: {
      name: 'free_tables',
      description: 'Tells which tables are free on a day.',
      parameters: { type: 'object', properties: { date: DATE }, required: ['date'] },
      webhook_actions: [
        {
          name: 'look_up',
          url: 'https://example.com/tables',
          method: 'GET',
          query_params: { on: '{{args.date}}', lang: '{{metadata.language}}' },
        },
      ],
    },
  },
};

export const UPDATE_TOOL_EXAMPLES = {
  description: {
    summary: 'A new description',
    value: { description: 'Books a table for up to twelve guests.' },
  },
  actions: {
    summary: 'A new list of requests',
    value: { webhook_actions: [{ name: 'book', url: 'https://example.com/bookings/{{args.date}}' }] },
  },
};

import { type CodedProblem, withCode } from '@app/common';
import type { JsonSchema } from '@app/json-schema';
import {
  DEFAULT_TIMEOUT_SECONDS,
  type GivenHeader,
  MAX_TIMEOUT_SECONDS,
  MCP_SERVER_NAME,
  MCP_SERVER_STATES,
  MCP_TOOL_NAME_LENGTH,
  MCP_TOOLS_PER_SERVER,
  type McpServerChanges,
  type McpServerState,
  type McpServerView,
  MIN_TIMEOUT_SECONDS,
  type NewMcpServer,
} from '@app/tools';
import { MASK } from '@app/webhooks';
import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';
import { time } from '../http/responses/api-time.js';
import { AsSent, IsOptionalOrBlank, must, Trimmed, ValidateParts } from '../http/validation/field-validators.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';
import { IsHeaders } from './webhook-actions.dto.js';

const MAX_URL = 2048;

/** Names of tools: texts, each once. */
const IsToolNames = (): PropertyDecorator =>
  ValidateParts('isToolNames', (value, property) => {
    if (!Array.isArray(value))
      return { [property]: [withCode('wrong_type', `The ${property} field must be an array.`)] };
    if (value.length > MCP_TOOLS_PER_SERVER)
      return {
        [property]: [
          withCode('too_many', `The ${property} field must not have more than ${MCP_TOOLS_PER_SERVER} items.`),
        ],
      };
    const wrong = value.flatMap((name: unknown, index): [string, CodedProblem[]][] => {
      const path = `${property}.${index}`;
      if (typeof name !== 'string' || name === '' || name.length > MCP_TOOL_NAME_LENGTH)
        return [
          [
            path,
            [
              withCode(
                'invalid_format',
                `The ${path} field must be a string of 1 to ${MCP_TOOL_NAME_LENGTH} characters.`,
              ),
            ],
          ],
        ];
      return value.indexOf(name) < index ? [[path, [withCode('duplicate', `The ${path} field repeats a name.`)]]] : [];
    });
    return Object.fromEntries(wrong);
  });

/** Null fields are treated as absent. */
export class CreateMcpServerDto {
  @ApiProperty({
    type: 'string',
    pattern: MCP_SERVER_NAME.source,
    minLength: 1,
    maxLength: 32,
    description:
      'Name of the server, unique among the servers of the agent. It precedes the name of a tool whose own name is taken or reserved.',
    example: 'shop',
  })
  @Matches(MCP_SERVER_NAME, {
    message:
      'The name field must be in snake_case: a lower-case letter, then at most 31 letters, digits and underscores.',
  })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  name: string;

  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: MAX_URL,
    description: 'HTTP or HTTPS URL of the server (MCP over streamable HTTP) with a public address.',
    example: 'https://example.com/mcp',
  })
  @MaxLength(MAX_URL, { message: must.beShort(MAX_URL) })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  @Trimmed()
  url: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: {
      oneOf: [
        { type: 'string' },
        { type: 'object', required: ['value'], properties: { value: { type: 'string' }, secret: { type: 'boolean' } } },
      ],
    },
    nullable: true,
    description: `Headers by name, at most 20: a value, or \`{"value": "…", "secret": true}\`. All values are encrypted at rest and sent only to the host of \`url\`. Secret values are returned as \`${MASK}\`; headers such as Authorization and X-Api-Key are secret unless \`secret\` is false. In an update, \`${MASK}\` keeps the stored value if the host stays the same.`,
    example: { Authorization: 'Bearer 4f1c9a' },
  })
  @AsSent()
  @IsOptional()
  @IsHeaders()
  headers?: Record<string, GivenHeader> | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: MCP_TOOL_NAME_LENGTH },
    maxItems: MCP_TOOLS_PER_SERVER,
    uniqueItems: true,
    nullable: true,
    description: `Names on the server of the tools that the agent may use. Null: all, at most ${MCP_TOOLS_PER_SERVER}.`,
    example: ['find_order'],
  })
  @IsOptional()
  @IsToolNames()
  tools?: string[] | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: MIN_TIMEOUT_SECONDS,
    maximum: MAX_TIMEOUT_SECONDS,
    default: DEFAULT_TIMEOUT_SECONDS,
    nullable: true,
    description: 'Time limit of one tool call in seconds, and of reading the list of tools.',
    example: DEFAULT_TIMEOUT_SECONDS,
  })
  @IsOptionalOrBlank()
  @Min(MIN_TIMEOUT_SECONDS, { message: must.beBetween(MIN_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS) })
  @Max(MAX_TIMEOUT_SECONDS, { message: must.beBetween(MIN_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS) })
  @IsInt({ message: must.beInteger })
  timeout_seconds?: number | null;
}

/** Absent fields stay unchanged. */
export class UpdateMcpServerDto extends PartialType(CreateMcpServerDto) {}

const id = (description: string) => ({ type: 'integer', description, example: 1 }) as const;

class PinnedToolDto {
  @ApiProperty(id('ID of the tool, as in the tools of the agent.'))
  tool_id: number;

  @ApiProperty({ type: 'string', description: 'Name of the tool for the agent.', example: 'find_order' })
  name: string;

  @ApiProperty({ type: 'string', description: 'Name of the tool on the server.', example: 'findOrder' })
  mcp_name: string;

  @ApiProperty({ type: 'string', description: 'Pinned description.', example: 'Finds an order by its number.' })
  description: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Pinned JSON Schema of the arguments.',
    example: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
  })
  parameters: JsonSchema;
}

class McpChangeDto {
  @ApiProperty({ type: 'string', description: 'Name of the tool on the server.', example: 'findOrder' })
  tool: string;

  @ApiProperty({
    type: 'string',
    enum: ['added', 'changed', 'removed'],
    description: 'Kind of change.',
    example: 'changed',
  })
  change: 'added' | 'changed' | 'removed';

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'Differences in description and schema, at most 20.',
    example: ['parameters.properties.order.type: "string" became "integer"'],
  })
  differences: string[];
}

class SkippedToolDto {
  @ApiProperty({ type: 'string', description: 'Name of the tool on the server.', example: 'draw' })
  name: string;

  @ApiProperty({
    type: 'string',
    description: 'Why agents cannot use it.',
    example: 'The input schema must be an object.',
  })
  reason: string;
}

class McpServerDto implements McpServerView {
  @ApiProperty(id('Unique identifier.'))
  id: number;

  @ApiProperty(id('ID of the agent that uses the server.'))
  agent_id: number;

  @ApiProperty({ type: 'string', maxLength: 32, description: 'Name of the server.', example: 'shop' })
  name: string;

  @ApiProperty({ type: 'string', description: 'URL of the server.', example: 'https://example.com/mcp' })
  url: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    description: `Headers of every request; secret values are \`${MASK}\`.`,
    example: { Authorization: MASK },
  })
  headers: Record<string, string> | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: 'Names on the server of the tools that the agent may use; null: all.',
    example: ['findOrder'],
  })
  tools: string[] | null;

  @ApiProperty({ type: 'integer', description: 'Time limit of one tool call in seconds.', example: 10 })
  timeout_seconds: number;

  @ApiProperty({
    type: 'string',
    enum: MCP_SERVER_STATES,
    description:
      'Result of the last check. `changed`: the server lists other tools than the pinned ones, see `changes`. `unreachable`: see `error`.',
    example: 'connected',
  })
  state: McpServerState;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why the last check failed.', example: null })
  error: string | null;

  @ApiProperty({ type: [PinnedToolDto], description: 'The tools that the agent uses, as they were pinned.' })
  pinned_tools: PinnedToolDto[];

  @ApiProperty({ type: [McpChangeDto], description: 'Differences from the pinned tools at the last check.' })
  changes: McpChangeDto[];

  @ApiProperty({ type: [SkippedToolDto], description: 'Tools of the server that agents cannot use.' })
  skipped_tools: SkippedToolDto[];

  @ApiProperty(time('Time of the last check.'))
  checked_at: string;

  @ApiProperty(time('Time of creation.'))
  created_at: string;

  @ApiProperty(time('Time of the last change.'))
  updated_at: string;
}

export class FoundMcpServerDto {
  @ApiProperty({ type: McpServerDto, description: 'The MCP server.' })
  data: McpServerDto;
}

export class McpServerWithMessageDto extends FoundMcpServerDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'MCP server created successfully.' })
  message: string;
}

export class McpServerDeletedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'MCP server deleted successfully.' })
  message: string;
}

export class McpServerListDto {
  @ApiProperty({ type: [McpServerDto], description: 'The MCP servers on this page, newest first.' })
  data: McpServerDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

export const toNewMcpServer = (body: CreateMcpServerDto): NewMcpServer => ({
  name: body.name,
  url: body.url,
  headers: body.headers ?? null,
  tools: body.tools ?? null,
  timeoutMs: (body.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000,
});

/** Null clears `headers` and `tools`; other null fields are treated as absent. */
export const toMcpServerChanges = (body: UpdateMcpServerDto): McpServerChanges => ({
  name: body.name ?? undefined,
  url: body.url ?? undefined,
  headers: body.headers,
  tools: body.tools,
  timeoutMs: typeof body.timeout_seconds === 'number' ? body.timeout_seconds * 1_000 : undefined,
});

export const UPDATE_MCP_SERVER_EXAMPLES = {
  timeout: { summary: 'A longer time limit', value: { timeout_seconds: 30 } },
  name: { summary: 'A new name', value: { name: 'orders' } },
};

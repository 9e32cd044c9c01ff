import {
  ACTION_METHODS,
  ACTION_NAME_LENGTH,
  type ActionMethod,
  DEFAULT_TIMEOUT_SECONDS,
  type GivenHeader,
  MASK,
  MAX_TIMEOUT_SECONDS,
  MIN_TIMEOUT_SECONDS,
  PAYLOAD_BYTES,
  QUERY_PARAMS,
  type QueryValue,
} from '@app/tools';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import { AsSent, IsOptionalOrBlank, Trimmed } from '../http/transforms.js';
import { must } from '../http/validation-messages.js';
import { IsHeaders, IsJsonObject } from './json-fields.js';

const MAX_URL = 2048;

/** A request that the tool sends when it is invoked. */
export class CreateWebhookActionDto {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: ACTION_NAME_LENGTH,
    description: 'What it does, unlike those of the other actions: the agent gets its result under this name.',
    example: 'book',
  })
  @MaxLength(ACTION_NAME_LENGTH, { message: must.beShort(ACTION_NAME_LENGTH) })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  @Trimmed()
  name: string;

  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: MAX_URL,
    description:
      'Where the request goes: http or https, to a public address. Placeholders such as `{{args.city}}` may stand in its path and query.',
    example: 'https://example.com/bookings/{{args.date}}',
  })
  @MaxLength(MAX_URL, { message: must.beShort(MAX_URL) })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  @Trimmed()
  url: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: ACTION_METHODS,
    default: 'POST',
    nullable: true,
    description: 'Its HTTP method.',
    example: 'POST',
  })
  @IsOptionalOrBlank()
  @IsIn(ACTION_METHODS, { message: must.beOneOf })
  method?: ActionMethod | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `The JSON body, at most ${PAYLOAD_BYTES} bytes, with placeholders; a text that is exactly one placeholder becomes its value with its type. Null: POST, PUT and PATCH send \`{tool, arguments, call_id, agent_id}\`, GET and DELETE the arguments as query.`,
    example: { date: '{{args.date}}', guests: '{{args.guests}}', caller: '{{call.to_number}}' },
  })
  @AsSent()
  @IsOptional()
  @IsJsonObject()
  payload?: Record<string, unknown> | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: {
      oneOf: [
        { type: 'string' },
        {
          type: 'object',
          required: ['value'],
          properties: { value: { type: 'string' }, secret: { type: 'boolean' } },
        },
      ],
    },
    nullable: true,
    description: `Headers by name, at most 20: a value, or \`{"value": "…", "secret": true}\`. All values are encrypted at rest; secret ones (also those of names such as Authorization and X-Api-Key unless \`secret\` is false) are answered as \`${MASK}\`. In an update \`${MASK}\` keeps the stored value while the action keeps its name and host.`,
    example: { Authorization: 'Bearer 4f1c9a', 'X-Team': 'front-desk' },
  })
  @AsSent()
  @IsOptional()
  @IsHeaders()
  headers?: Record<string, GivenHeader> | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `What is appended to the query of the URL, at most ${QUERY_PARAMS} parameters: texts (with placeholders), numbers, booleans, null, or arrays of them.`,
    example: { source: 'phone', lang: '{{metadata.language}}' },
  })
  @AsSent()
  @IsOptional()
  @IsJsonObject()
  query_params?: Record<string, QueryValue> | null;

  @ApiPropertyOptional({
    type: 'boolean',
    default: true,
    nullable: true,
    description:
      'Whether the agent waits for the answer, which is its result. Otherwise the request is queued, and tried again like a webhook.',
    example: true,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  wait_response?: boolean | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: MIN_TIMEOUT_SECONDS,
    maximum: MAX_TIMEOUT_SECONDS,
    default: DEFAULT_TIMEOUT_SECONDS,
    nullable: true,
    description: 'How long the agent waits for the answer.',
    example: 10,
  })
  @IsOptionalOrBlank()
  @Min(MIN_TIMEOUT_SECONDS, { message: must.beBetween(MIN_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS) })
  @Max(MAX_TIMEOUT_SECONDS, { message: must.beBetween(MIN_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS) })
  @IsInt({ message: must.beInteger })
  timeout_seconds?: number | null;
}

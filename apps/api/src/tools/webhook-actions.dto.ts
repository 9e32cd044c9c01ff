import { type FieldErrors, withCode } from '@app/common';
import {
  ACTION_METHODS,
  ACTION_NAME_LENGTH,
  type ActionMethod,
  DEFAULT_TIMEOUT_SECONDS,
  type GivenHeader,
  MAX_TIMEOUT_SECONDS,
  MIN_TIMEOUT_SECONDS,
  PAYLOAD_BYTES,
  QUERY_PARAMS,
  type QueryValue,
  type ToolView,
} from '@app/tools';
import { MASK } from '@app/webhooks';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import { AsSent, IsOptionalOrBlank, must, Trimmed, ValidateParts } from '../http/validation/field-validators.js';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectProblems = (value: unknown, property: string): FieldErrors =>
  isObject(value) ? {} : { [property]: [withCode('wrong_type', `The ${property} field must be an object.`)] };

/** A free-form JSON object. */
const IsJsonObject = (): PropertyDecorator => ValidateParts('isJsonObject', objectProblems);

/** Headers by name: a value, or `{value, secret}`. */
export const IsHeaders = (): PropertyDecorator =>
  ValidateParts('isHeaders', (value, property) => {
    if (!isObject(value)) return objectProblems(value, property);
    const wrong = Object.keys(value).filter((name) => !isGivenHeader(value[name]));
    return Object.fromEntries(
      wrong.map((name) => {
        const path = `${property}.${name}`;
        return [
          path,
          [
            withCode(
              'wrong_type',
              `The ${path} field must be a string, or an object of value (string) and secret (boolean).`,
            ),
          ],
        ];
      }),
    );
  });

function isGivenHeader(given: unknown): given is GivenHeader {
  if (typeof given === 'string') return true;
  if (!isObject(given)) return false;
  return typeof given['value'] === 'string' && ['undefined', 'boolean'].includes(typeof given['secret']);
}

const MAX_URL = 2048;

/** A request sent when the tool is invoked. */
export class CreateWebhookActionDto {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: ACTION_NAME_LENGTH,
    description: 'Name of the action, unique in the tool. The agent receives the result under this name.',
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
      'HTTP or HTTPS URL with a public address. Path and query can contain placeholders such as `{{args.city}}`.',
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
    description: 'HTTP method of the request.',
    example: 'POST',
  })
  @IsOptionalOrBlank()
  @IsIn(ACTION_METHODS, { message: must.beOneOf })
  method?: ActionMethod | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `JSON body of at most ${PAYLOAD_BYTES} bytes, with placeholders. A string that consists of one placeholder is replaced by the value with its type. Null: POST, PUT and PATCH send \`{tool, arguments, call_id, agent_id}\`, GET and DELETE send the arguments as query.`,
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
    description: `Headers by name, at most 20: a value, or \`{"value": "…", "secret": true}\`. All values are encrypted at rest. Secret values are returned as \`${MASK}\`; headers such as Authorization and X-Api-Key are secret unless \`secret\` is false. In an update, \`${MASK}\` keeps the stored value if the action keeps its name and host.`,
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
    description: `Parameters appended to the query of the URL, at most ${QUERY_PARAMS}: strings (with placeholders), numbers, booleans, null, or arrays of them.`,
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
      'Whether the agent waits for the response and receives it as the result. Otherwise the request is queued and retried like a webhook.',
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
    description: 'Maximum time in seconds that the agent waits for the response.',
    example: 10,
  })
  @IsOptionalOrBlank()
  @Min(MIN_TIMEOUT_SECONDS, { message: must.beBetween(MIN_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS) })
  @Max(MAX_TIMEOUT_SECONDS, { message: must.beBetween(MIN_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS) })
  @IsInt({ message: must.beInteger })
  timeout_seconds?: number | null;
}

const object = (description: string, example: object | null) =>
  ({ type: 'object', additionalProperties: true, nullable: true, description, example }) as const;

type ActionView = ToolView['webhook_actions'][number];

export class WebhookActionDto implements ActionView {
  @ApiProperty({
    type: 'integer',
    description: 'Unique identifier. It changes when the list of actions is replaced.',
    example: 1,
  })
  id: number;

  @ApiProperty({
    type: 'string',
    description: 'Name of the action. The agent receives the result under this name.',
    example: 'book',
  })
  name: string;

  @ApiProperty({
    type: 'string',
    maxLength: 2048,
    description: 'URL of the request, with placeholders.',
    example: 'https://example.com/bookings/{{args.date}}',
  })
  url: string;

  @ApiProperty({ type: 'string', enum: ACTION_METHODS, description: 'HTTP method of the request.', example: 'POST' })
  method: ActionView['method'];

  @ApiProperty(object('JSON body with placeholders. Null if the arguments are sent.', { date: '{{args.date}}' }))
  payload: Record<string, unknown> | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    description: 'Headers by name. Secret values are returned as `********`.',
    example: { Authorization: '********', 'X-Team': 'front-desk' },
  })
  headers: Record<string, string> | null;

  @ApiProperty(object('Parameters appended to the query of the URL.', { source: 'phone' }))
  query_params: ActionView['query_params'];

  @ApiProperty({ type: 'boolean', description: 'Whether the agent waits for the response.', example: true })
  wait_response: boolean;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 120,
    description: 'Maximum time in seconds that the agent waits for the response.',
    example: 10,
  })
  timeout_seconds: number;
}

import { MAX_METADATA_BYTES } from '@app/calls';
import type { ActionError, ActionOutcome, ToolRun } from '@app/tools';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional } from 'class-validator';
import { IsMetadata } from '../calls/requests/call-validators.js';
import { AsSent } from '../http/validation/field-validators.js';

const INVOCATION_ID = '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33';
const ACTION_ID = '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c34';

export class InvokeToolDto {
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Arguments of the tool, validated against its `parameters`. Defaults to `{}`.',
    example: { date: '2026-05-24', guests: 4 },
  })
  @AsSent()
  @IsOptional()
  @IsObject({ message: 'The arguments field must be an object.' })
  arguments?: Record<string, unknown> | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `Metadata for \`{{metadata.…}}\` placeholders, in place of the metadata of a call; at most ${MAX_METADATA_BYTES} bytes of JSON. \`{{call.…}}\` placeholders have no value.`,
    example: { customer: 'c-4711' },
  })
  @AsSent()
  @IsOptional()
  @IsMetadata()
  metadata?: Record<string, unknown> | null;
}

class ActionErrorDto {
  @ApiProperty({
    type: 'string',
    enum: [
      'invalid_arguments',
      'unusable_value',
      'request_too_large',
      'blocked_address',
      'not_signed',
      'busy',
      'timeout',
      'connection_failed',
      'http_error',
      'answer_too_large',
      'unreadable_answer',
      'aborted',
      'tool_error',
      'protocol_error',
    ] satisfies ActionError['code'][],
    description: 'Error code.',
    example: 'http_error',
  })
  code: ActionError['code'];

  @ApiProperty({
    type: 'string',
    description: 'Error message.',
    example: 'The endpoint answered with status 503.',
  })
  message: string;

  @ApiPropertyOptional({ type: 'integer', description: 'HTTP status of the response, if there was one.', example: 503 })
  status?: number;

  @ApiPropertyOptional({
    type: 'string',
    description: 'First 500 characters of an error response.',
    example: 'Try later.',
  })
  answer?: string;
}

class InvokedActionDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'Value of the `webhook-id` and `Idempotency-Key` headers.',
    example: ACTION_ID,
  })
  id: string;

  @ApiProperty({ type: 'string', description: 'Name of the action.', example: 'weather' })
  name: string;

  @ApiProperty({ type: 'string', description: 'HTTP method of the request.', example: 'POST' })
  method: string;

  @ApiProperty({
    type: 'string',
    enum: ['succeeded', 'failed', 'queued'],
    description: 'Outcome of the action. `queued`: not awaited; delivered with retries.',
    example: 'succeeded',
  })
  outcome: ActionOutcome['outcome'];

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the response. Null without a response.',
    example: 200,
  })
  status: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Milliseconds from the request to the last byte of the response. Null if nothing was sent.',
    example: 84,
  })
  latency_ms: number | null;

  @ApiProperty({ type: ActionErrorDto, nullable: true, description: 'Error of a failed action, otherwise null.' })
  error: ActionErrorDto | null;
}

class ToolRunDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'Unique identifier of the invocation.',
    example: INVOCATION_ID,
  })
  invocation_id: string;

  @ApiProperty({ type: 'boolean', description: 'Whether no action failed.', example: true })
  ok: boolean;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'Result for the agent, at most 8,000 characters of JSON: for each action name its response, `{queued: true}` or `{error}`.',
    example: { weather: { celsius: 21 } },
  })
  result: Record<string, unknown>;

  @ApiProperty({ type: [InvokedActionDto], description: 'Results of the actions, in their order in the tool.' })
  actions: InvokedActionDto[];
}

export class InvokedToolDto {
  @ApiProperty({ type: ToolRunDto, description: 'The invocation.' })
  data: ToolRunDto;
}

export const invokedView = ({ invocationId, ok, result, actions }: ToolRun): ToolRunDto => ({
  invocation_id: invocationId,
  ok,
  result,
  actions: actions.map(({ latencyMs, ...action }) => ({ ...action, latency_ms: latencyMs })),
});

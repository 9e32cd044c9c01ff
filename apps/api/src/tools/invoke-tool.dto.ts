import type { ActionError, ActionOutcome, ToolRun } from '@app/tools';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional } from 'class-validator';
import { IsMetadata, MAX_METADATA_BYTES } from '../calls/call-validators.js';
import { AsSent } from '../http/transforms.js';

const INVOCATION_ID = '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33';
const ACTION_ID = '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c34';

export class InvokeToolDto {
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'What the agent would invoke the tool with; checked against its `parameters`. Absent: `{}`.',
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
    description: `In place of the metadata of a call, for \`{{metadata.…}}\`; at most ${MAX_METADATA_BYTES} bytes of JSON. \`{{call.…}}\` is missing.`,
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
    ] satisfies ActionError['code'][],
    description: 'What went wrong.',
    example: 'http_error',
  })
  code: ActionError['code'];

  @ApiProperty({
    type: 'string',
    description: 'The same as a sentence.',
    example: 'The endpoint answered with status 503.',
  })
  message: string;

  @ApiPropertyOptional({ type: 'integer', description: 'Of the answer, when there was one.', example: 503 })
  status?: number;

  @ApiPropertyOptional({
    type: 'string',
    description: 'The first 500 characters of an answer that was an error.',
    example: 'Try later.',
  })
  answer?: string;
}

class InvokedActionDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'What was sent as `webhook-id` and `Idempotency-Key`.',
    example: ACTION_ID,
  })
  id: string;

  @ApiProperty({ type: 'string', description: 'The action.', example: 'weather' })
  name: string;

  @ApiProperty({ type: 'string', description: 'Of its request.', example: 'POST' })
  method: string;

  @ApiProperty({
    type: 'string',
    enum: ['succeeded', 'failed', 'queued'],
    description: '`queued`: it is not waited for, and delivered with retries.',
    example: 'succeeded',
  })
  outcome: ActionOutcome['outcome'];

  @ApiProperty({ type: 'integer', nullable: true, description: 'HTTP status; null without an answer.', example: 200 })
  status: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Milliseconds from the request to the last byte of its answer; null when nothing was sent.',
    example: 84,
  })
  latency_ms: number | null;

  @ApiProperty({ type: ActionErrorDto, nullable: true, description: 'Null unless it failed.' })
  error: ActionErrorDto | null;
}

class ToolRunDto {
  @ApiProperty({ type: 'string', format: 'uuid', description: 'Names this invocation.', example: INVOCATION_ID })
  invocation_id: string;

  @ApiProperty({ type: 'boolean', description: 'No action failed.', example: true })
  ok: boolean;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'What the agent would get, at most 8,000 characters of JSON: by name of the action its answer, `{queued: true}`, or `{error}`.',
    example: { weather: { celsius: 21 } },
  })
  result: Record<string, unknown>;

  @ApiProperty({ type: [InvokedActionDto], description: 'In list order.' })
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

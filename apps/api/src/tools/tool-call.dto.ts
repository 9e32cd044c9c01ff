import { ApiProperty } from '@nestjs/swagger';

export class ToolCallAttemptDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of this try.', example: 1 })
  attempt: number;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When it was sent.',
    example: '2026-01-02T03:04:09.100+00:00',
  })
  at: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'HTTP status; null without an answer.', example: 200 })
  status: number | null;

  @ApiProperty({ type: 'integer', description: 'Milliseconds to the last byte of the answer.', example: 84 })
  latency_ms: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'What went wrong, as a sentence.', example: null })
  error: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The first 2,000 characters of the answer.',
    example: '{"celsius":21}',
  })
  answer: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'As sent; values of the headers that were given with the action are redacted.',
    example: { 'webhook-id': '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c34', 'x-api-key': '[redacted]' },
  })
  request_headers: Record<string, string>;
}

class ToolCallActionDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'What was sent as `webhook-id` and `Idempotency-Key`.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c34',
  })
  id: string;

  @ApiProperty({ type: 'string', description: 'The action.', example: 'weather' })
  name: string;

  @ApiProperty({ type: 'string', description: 'Of its request.', example: 'POST' })
  method: string;

  @ApiProperty({
    type: 'string',
    description: 'Of its request, without the query.',
    example: 'https://example.com/weather',
  })
  url: string;

  @ApiProperty({
    type: 'string',
    enum: ['succeeded', 'failed', 'queued'],
    description: '`queued`: it is not waited for, and neither delivered nor given up yet.',
    example: 'succeeded',
  })
  outcome: 'succeeded' | 'failed' | 'queued';

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: '`{code, message}` of an action that failed, as the agent got it.',
    example: null,
  })
  error: unknown;

  @ApiProperty({
    type: [ToolCallAttemptDto],
    description: 'One when it was waited for, up to 13 when it was queued, none when its request could not be made.',
  })
  attempts: ToolCallAttemptDto[];
}

export class ToolCallDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'Names the invocation; also in the post-call webhook.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33',
  })
  invocation_id: string;

  @ApiProperty({ type: 'integer', description: 'The tool, which may have been deleted since.', example: 1 })
  tool_id: number;

  @ApiProperty({ type: 'string', description: 'Its name when it was invoked.', example: 'get_weather' })
  tool: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The same as in the post-call webhook.',
    example: 'call_8Zk2',
  })
  tool_call_id: string | null;

  @ApiProperty({
    type: 'string',
    enum: ['call', 'invoke', 'simulation'],
    description: 'Where it was invoked.',
    example: 'call',
  })
  source: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What it was invoked with.',
    example: { city: 'Bonn' },
  })
  arguments: unknown;

  @ApiProperty({ type: 'boolean', nullable: true, description: 'No action failed; null until it ends.', example: true })
  ok: boolean | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'What the agent got, by name of the action; null until it ends.',
    example: { weather: { celsius: 21 } },
  })
  result: unknown;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When it was invoked.',
    example: '2026-01-02T03:04:09.098+00:00',
  })
  started_at: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Null while it runs. When the process that ran it dies, it is ended as failed after ten minutes.',
    example: '2026-01-02T03:04:09.190+00:00',
  })
  ended_at: string | null;

  @ApiProperty({ type: [ToolCallActionDto], description: 'In list order.' })
  actions: ToolCallActionDto[];
}

export class ToolCallListDto {
  @ApiProperty({ type: [ToolCallDto], description: 'Oldest first.' })
  data: ToolCallDto[];
}

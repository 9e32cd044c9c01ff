import {
  type Assignment,
  type ConfirmationEvidence,
  INVOCATION_STATES,
  type InvocationFilter,
  type InvocationState,
  type ListedInvocationView,
} from '@app/tools';
import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsRecordId, parseDateOrTime } from '../http/validation/field-validators.js';
import {
  CallIdFilter,
  EnumFilter,
  FromTimeFilter,
  IntegerFromText,
  ToTimeFilter,
} from '../http/validation/list-filters.js';
import { ListLinksDto, ListMetaDto, ListQueryDto } from '../http/responses/pagination.js';

export class ToolCallAttemptDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of the attempt.', example: 1 })
  attempt: number;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time at which the request was sent.',
    example: '2026-01-02T03:04:09.100+00:00',
  })
  at: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the response. Null without a response.',
    example: 200,
  })
  status: number | null;

  @ApiProperty({ type: 'integer', description: 'Milliseconds to the last byte of the response.', example: 84 })
  latency_ms: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'Error message.', example: null })
  error: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'First 2,000 characters of the response.',
    example: '{"celsius":21}',
  })
  answer: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Request headers as sent. Values of the headers of the action are redacted.',
    example: { 'webhook-id': '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c34', 'x-api-key': '[redacted]' },
  })
  request_headers: Record<string, string>;
}

class ToolCallActionDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'Value of the `webhook-id` and `Idempotency-Key` headers.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c34',
  })
  id: string;

  @ApiProperty({ type: 'string', description: 'Name of the action.', example: 'weather' })
  name: string;

  @ApiProperty({ type: 'string', description: 'HTTP method of the request.', example: 'POST' })
  method: string;

  @ApiProperty({
    type: 'string',
    description: 'URL of the request, without the query.',
    example: 'https://example.com/weather',
  })
  url: string;

  @ApiProperty({
    type: 'string',
    enum: ['succeeded', 'failed', 'queued'],
    description: 'Outcome of the action. `queued`: not awaited, and neither delivered nor abandoned yet.',
    example: 'succeeded',
  })
  outcome: 'succeeded' | 'failed' | 'queued';

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: '`{code, message}` of a failed action, as returned to the agent.',
    example: null,
  })
  error: unknown;

  @ApiProperty({
    type: [ToolCallAttemptDto],
    description:
      'Requests of the action: one if it was awaited, up to 13 if it was queued, none if no request could be sent.',
  })
  attempts: ToolCallAttemptDto[];
}

export class RecordedAssignmentDto implements Assignment {
  @ApiProperty({ type: 'string', description: 'Name of the variable.', example: 'booking_id' })
  name: string;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }],
    nullable: true,
    description: 'The value; null if there was none.',
    example: 'b-4711',
  })
  value: Assignment['value'];

  @ApiProperty({
    type: 'string',
    enum: ['missing', 'not_a_value', 'too_long'],
    nullable: true,
    description:
      'Why there is no value. `missing`: nothing is at the pointer, or null. `not_a_value`: an object or a list. `too_long`: a text of more than 1,000 characters.',
    example: null,
  })
  problem: Assignment['problem'];
}

class ConfirmationDto implements ConfirmationEvidence {
  @ApiProperty({
    type: 'string',
    description: 'What the user said or pressed after the arguments had been read back.',
    example: 'Yes, please.',
  })
  words: string;

  @ApiProperty({ type: 'integer', description: 'Time in milliseconds since the answer.', example: 21_400 })
  at_ms: number;
}

class ProgressNoteDto {
  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of the note.',
    example: '2026-01-02T03:04:12.100+00:00',
  })
  at: string;

  @ApiProperty({ type: 'string', description: 'The note.', example: 'The kitchen was asked.' })
  text: string;
}

class ToolCallDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'Unique identifier of the invocation, also used in the post-call webhook.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33',
  })
  invocation_id: string;

  @ApiProperty({ type: 'integer', description: 'ID of the tool, which may have been deleted since.', example: 1 })
  tool_id: number;

  @ApiProperty({
    type: 'string',
    description: 'Name of the tool at the time of the invocation.',
    example: 'get_weather',
  })
  tool: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'ID of the tool call, as in the post-call webhook.',
    example: 'call_8Zk2',
  })
  tool_call_id: string | null;

  @ApiProperty({
    type: 'string',
    enum: ['call', 'invoke', 'simulation'],
    description: 'Origin of the invocation.',
    example: 'call',
  })
  source: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Arguments of the invocation.',
    example: { city: 'Bonn' },
  })
  arguments: unknown;

  @ApiProperty({
    type: 'boolean',
    nullable: true,
    description: 'Whether no action failed. Null until the invocation ends.',
    example: true,
  })
  ok: boolean | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Result returned to the agent, by action name. Null until the invocation ends.',
    example: { weather: { celsius: 21 } },
  })
  result: unknown;

  @ApiProperty({
    type: [RecordedAssignmentDto],
    nullable: true,
    description: 'Variables that the answer set (`assign` of the tool). Null: none.',
  })
  assigned: RecordedAssignmentDto[] | null;

  @ApiProperty({
    type: ConfirmationDto,
    nullable: true,
    description: 'How the user agreed (`confirm` of the tool). Null: the tool needs no confirmation.',
  })
  confirmation: ConfirmationDto | null;

  @ApiProperty({
    type: [ProgressNoteDto],
    description: 'Notes of progress of a background tool, oldest first (`POST …/tool-callbacks/{token}`).',
  })
  progress: ProgressNoteDto[];

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of the invocation.',
    example: '2026-01-02T03:04:09.098+00:00',
  })
  started_at: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description:
      'Time at which the invocation ended. Null while it is running. If its process dies, it ends as failed after ten minutes.',
    example: '2026-01-02T03:04:09.190+00:00',
  })
  ended_at: string | null;

  @ApiProperty({ type: [ToolCallActionDto], description: 'Actions, in their order in the tool.' })
  actions: ToolCallActionDto[];
}

export class ToolCallListDto {
  @ApiProperty({ type: [ToolCallDto], description: 'Tool calls, oldest first.' })
  data: ToolCallDto[];
}

const CALL_ID = '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11';

export class ListInvocationsDto extends ListQueryDto {
  @CallIdFilter('Invocations')
  call_id?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'Invocations of the tool with this ID.' })
  @IntegerFromText()
  @IsOptional()
  @IsRecordId()
  tool_id?: number;

  @EnumFilter(INVOCATION_STATES, 'Invocations in this state.')
  state?: InvocationState;

  @FromTimeFilter('Invocations')
  date_from?: string;

  @ToTimeFilter('Invocations')
  date_to?: string;
}

export const invocationFilterOf = (dto: ListInvocationsDto): InvocationFilter => ({
  callId: dto.call_id,
  toolId: dto.tool_id,
  state: dto.state,
  from: dto.date_from === undefined ? undefined : parseDateOrTime(dto.date_from, 'start'),
  to: dto.date_to === undefined ? undefined : parseDateOrTime(dto.date_to, 'end'),
});

class RecordedInvocationDto extends PickType(ToolCallDto, [
  'invocation_id',
  'tool_id',
  'tool',
  'tool_call_id',
  'started_at',
  'ended_at',
] as const) {
  @ApiProperty({ type: 'integer', description: 'ID of the agent, which may have been deleted since.', example: 1 })
  agent_id: number;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'ID of the call. Null outside of calls.',
    example: CALL_ID,
  })
  call_id: string | null;
}

class ListedInvocationDto extends RecordedInvocationDto implements ListedInvocationView {
  @ApiProperty({
    type: 'string',
    enum: ['call', 'invoke', 'simulation'],
    description: 'Origin of the invocation.',
    example: 'call',
  })
  source: ListedInvocationView['source'];

  @ApiProperty({
    type: 'string',
    enum: INVOCATION_STATES,
    description:
      'State of the invocation. `failed`: an awaited action failed, or the process died, which is detected after ten minutes.',
    example: 'succeeded',
  })
  state: InvocationState;
}

export class InvocationListDto {
  @ApiProperty({ type: [ListedInvocationDto], description: 'The invocations on this page, newest first.' })
  data: ListedInvocationDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: ListMetaDto, description: 'Position of this page in the list.' })
  meta: ListMetaDto;
}

/** An invocation with its requests. */
class ToolInvocationDto extends ToolCallDto {
  @ApiProperty({ type: 'integer', description: 'ID of the agent, which may have been deleted since.', example: 1 })
  agent_id: number;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'ID of the call. Null outside of calls.',
    example: CALL_ID,
  })
  call_id: string | null;
}

export class FoundInvocationDto {
  @ApiProperty({ type: ToolInvocationDto, description: 'The invocation.' })
  data: ToolInvocationDto;
}

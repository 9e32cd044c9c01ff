import { ANSWERED_BY, CALL_DIRECTIONS, CALL_ENDED_BY, CALL_STATUSES, type CallView } from '@app/calls';
import { HANGUP_CAUSES } from '@app/telephony';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { TransferDto } from './transfer.dto.js';

const ID = '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11';
const time = (description: string, example: string | null) =>
  ({ type: 'string', format: 'date-time', nullable: true, description, example }) as const;

/** A call in the response to its creation. */
export class ReducedCallDto {
  @ApiProperty({ type: 'string', format: 'uuid', description: 'Unique identifier of the call.', example: ID })
  call_id: string;

  @ApiProperty({ type: 'string', enum: CALL_STATUSES, description: 'State of the call.', example: 'pending' })
  status: CallView['status'];

  @ApiProperty({
    type: 'string',
    description:
      'Destination: an E.164 number without punctuation, or a SIP URI. Of an inbound call, the number of yours that was called.',
    example: 'sip:answer@127.0.0.1:5070',
  })
  to_number: string;

  @ApiProperty({
    type: 'string',
    description:
      "The account's phone number that calls. Of an inbound call, the caller: an E.164 number, the digits as the carrier gave them, a SIP URI, or `anonymous`.",
    example: '+15550001111',
  })
  from_number: string;

  @ApiProperty({
    type: 'string',
    description: 'Name of the agent, as it was when the call was created.',
    example: 'Receptionist',
  })
  agent: string;
}

/** One call. */
export class CallDto extends ReducedCallDto implements CallView {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Seconds from the answer to the end, or so far. Null if the call was not answered.',
    example: 12,
  })
  duration_seconds: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'The same in minutes, with two decimals.', example: 0.2 })
  duration_minutes: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Total cost in USD. Null if not completed.',
    example: 0.0042,
  })
  cost: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'The part of `cost` that real-time AI processing took, in USD. Null if not completed.',
    example: 0.0012,
  })
  realtime_cost: number | null;

  @ApiProperty(time('When the first INVITE left. Null while the call waits in line.', '2026-01-02T03:04:05.678+00:00'))
  started_at: string | null;

  @ApiProperty(time('Null if the call was not answered.', '2026-01-02T03:04:08.012+00:00'))
  answered_at: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...ANSWERED_BY, null],
    nullable: true,
    description:
      'The answering party: `human`, `machine`, or `unknown` when it could not be detected. Null before the detection, if the call was not answered, and when the agent does not detect answering machines.',
    example: 'human',
  })
  answered_by: CallView['answered_by'];

  @ApiProperty(time('Null while the call is still in progress.', '2026-01-02T03:04:20.345+00:00'))
  ended_at: string | null;

  @ApiProperty({
    type: 'string',
    format: 'uri',
    nullable: true,
    description:
      'Download link of the recording (stereo WAV: left the callee, right the agent), without a token; it lives one hour. Null if recording is disabled or unavailable, or `recording_deleted_at` says so.',
    example: `http://localhost:3000/api/v1/recordings/${ID}?expires=1767326645&signature=Zm9vYmFy`,
  })
  recording_url: string | null;

  @ApiProperty(
    time(
      'When the recording was deleted because the account keeps recordings for so many days only. Null: it was not.',
      null,
    ),
  )
  recording_deleted_at: string | null;

  @ApiProperty(
    time(
      'When the transcript was deleted (with summary, tool calls and keys pressed) because the account keeps it for so many days only. Null: it was not.',
      null,
    ),
  )
  transcript_deleted_at: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...HANGUP_CAUSES, null],
    nullable: true,
    description: 'Why the call ended. Null while it is in progress.',
    example: 'normal_clearing',
  })
  hangup_cause: string | null;

  @ApiProperty({
    type: 'string',
    enum: CALL_DIRECTIONS,
    description: '`outbound`: placed by the agent; `inbound`: received on one of your numbers.',
    example: 'outbound',
  })
  direction: CallView['direction'];

  @ApiProperty({ type: 'integer', description: 'The agent.', example: 1 })
  agent_id: number;

  @ApiProperty({ type: 'integer', description: 'The phone number.', example: 1 })
  number_id: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The SIP trunk; null: dialled directly.',
    example: null,
  })
  trunk_id: number | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The `metadata` of the creation.',
    example: { customer: 'c-4711' },
  })
  metadata: Record<string, unknown> | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When the call was created.',
    example: '2026-01-02T03:04:05.432+00:00',
  })
  created_at: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The SIP response that refused the call; null when it was answered, or when there was none.',
    example: null,
  })
  sip_code: number | null;

  @ApiProperty({
    type: 'string',
    enum: [...CALL_ENDED_BY, null],
    nullable: true,
    description: 'The party that ended the call; `api`: it was cancelled. Null while it is in progress.',
    example: 'callee',
  })
  ended_by: CallView['ended_by'];

  @ApiProperty({ type: [TransferDto], description: 'The transfers of the call, oldest first.' })
  transfers: TransferDto[];
}

export class CallWithMessageDto {
  @ApiProperty({ type: CallDto, description: 'The call.' })
  data: CallDto;

  @ApiProperty({ type: 'string', description: 'The result.', example: 'Call cancellation requested.' })
  message: string;
}

export class CallDeletedDto {
  @ApiProperty({ type: 'string', description: 'The result.', example: 'Call deleted successfully.' })
  message: string;
}

const link = (description: string) =>
  ({ type: 'string', format: 'uri', nullable: true, description, example: null }) as const;

export class ListLinksDto {
  @ApiProperty(link('The first page; null in a list by cursor.'))
  first: string | null;

  @ApiProperty(link('The last page; null in a list by cursor.'))
  last: string | null;

  @ApiProperty(link('The page before, or null.'))
  prev: string | null;

  @ApiProperty(link('The page after, or null.'))
  next: string | null;
}

/** Of lists by page alone. */
export class PageMetaDto {
  @ApiProperty({ type: 'integer', description: 'Number of this page.', example: 1 })
  current_page: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Number of its first record.', example: 1 })
  from: number | null;

  @ApiProperty({ type: 'integer', description: 'Number of the last page.', example: 1 })
  last_page: number;

  @ApiProperty({ type: 'string', description: 'URL of the list.', example: 'http://localhost:3000/api/v1/agents' })
  path: string;

  @ApiProperty({ type: 'integer', description: 'Records per page.', example: 15 })
  per_page: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Number of its last record.', example: 1 })
  to: number | null;

  @ApiProperty({ type: 'integer', description: 'Records in the whole list.', example: 1 })
  total: number;
}

/** A list by cursor has `path`, `per_page` and the two cursors; a list by page has the others. */
export class ListMetaDto {
  @ApiPropertyOptional({ type: 'integer', description: 'Number of this page.', example: 1 })
  current_page?: number;

  @ApiPropertyOptional({ type: 'integer', nullable: true, description: 'Number of its first record.', example: 1 })
  from?: number | null;

  @ApiPropertyOptional({ type: 'integer', description: 'Number of the last page.', example: 1 })
  last_page?: number;

  @ApiProperty({ type: 'string', description: 'URL of the list.', example: 'http://localhost:3000/api/v1/calls' })
  path: string;

  @ApiProperty({ type: 'integer', description: 'Records per page.', example: 15 })
  per_page: number;

  @ApiPropertyOptional({ type: 'integer', nullable: true, description: 'Number of its last record.', example: 1 })
  to?: number | null;

  @ApiPropertyOptional({ type: 'integer', description: 'Records in the whole list: exact up to 10,000.', example: 1 })
  total?: number;

  @ApiPropertyOptional({
    type: 'boolean',
    description: 'Present and true when `total` and `last_page` are estimates.',
    example: true,
  })
  total_is_estimate?: boolean;

  @ApiPropertyOptional({ type: 'string', nullable: true, description: '`cursor` of the records after these.' })
  next_cursor?: string | null;

  @ApiPropertyOptional({ type: 'string', nullable: true, description: '`cursor` of the records before these.' })
  prev_cursor?: string | null;
}

export class CallListDto {
  @ApiProperty({ type: [CallDto], description: 'The calls of this page, newest first.' })
  data: CallDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Neighbouring pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: ListMetaDto, description: 'Where this page lies in the list.' })
  meta: ListMetaDto;
}

@ApiExtraModels(ReducedCallDto)
export class CallCreatedDto {
  @ApiProperty({
    type: 'string',
    description: 'The result; with an array, the number of calls.',
    example: 'Call initiated successfully.',
  })
  message: string;

  @ApiProperty({
    description: 'The call; an array of calls, in the order of `to_number`, when that was an array.',
    oneOf: [{ $ref: getSchemaPath(ReducedCallDto) }, { type: 'array', items: { $ref: getSchemaPath(ReducedCallDto) } }],
  })
  data: ReducedCallDto | ReducedCallDto[];
}

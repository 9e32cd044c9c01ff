import type { TranscriptMatch } from '@app/analytics';
import {
  ANSWERED_BY,
  CALL_CHANNELS,
  CALL_DIRECTIONS,
  CALL_ENDED_BY,
  CALL_STATUSES,
  type CallFailure,
  type CallView,
} from '@app/calls';
import { HANGUP_CAUSES } from '@app/telephony';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import {
  AnsweringMachineDto,
  CallDisclosureDto,
  CallGuardrailHitDto,
  CallRecordingConsentDto,
} from './answering-machine.dto.js';
import { nullableTime } from '../http/responses/api-time.js';
import { ListLinksDto, ListMetaDto } from '../http/responses/pagination.js';
import { WarningDto } from '../http/responses/warning.dto.js';
import { CallScheduleDto } from './requests/call-schedule.dto.js';
import { TransferDto } from './call-transfer.dto.js';

const ID = '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11';

/** A call in the response to its creation. */
export class ReducedCallDto {
  @ApiProperty({ type: 'string', format: 'uuid', description: 'Unique identifier of the call.', example: ID })
  call_id: string;

  @ApiProperty({ type: 'string', enum: CALL_STATUSES, description: 'Status of the call.', example: 'pending' })
  status: CallView['status'];

  @ApiProperty({
    type: 'string',
    description:
      'Destination: an E.164 number without punctuation, or a SIP URI. For an inbound call, the phone number of the account that was called.',
    example: 'sip:answer@127.0.0.1:5070',
  })
  to_number: string;

  @ApiProperty({
    type: 'string',
    description:
      'Phone number of the account from which the call is placed. For an inbound call, the caller: an E.164 number, the digits sent by the carrier, a SIP URI, or `anonymous`.',
    example: '+15550001111',
  })
  from_number: string;

  @ApiProperty({
    type: 'string',
    description: 'Name of the agent at the time the call was created.',
    example: 'Receptionist',
  })
  agent: string;
}

/** Why a call failed. */
export class CallFailureDto implements CallFailure {
  @ApiProperty({ type: 'string', enum: HANGUP_CAUSES, description: 'Same as `hangup_cause`.', example: 'no_response' })
  code: string;

  @ApiProperty({
    type: 'string',
    description: 'What happened and what to do, as a sentence. It may change; programs use `code`.',
    example:
      'The carrier sent no response. Check the address of the trunk, and that its firewall and yours let the SIP messages pass.',
  })
  message: string;
}

/** One call. */
export class CallDto extends ReducedCallDto implements CallView {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Seconds from the answer to the end of the call, or to now while it is in progress. Null if the call was not answered.',
    example: 12,
  })
  duration_seconds: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'Duration in minutes, with two decimals.', example: 0.2 })
  duration_minutes: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Total cost in USD. Null unless the call is completed.',
    example: 0.0042,
  })
  cost: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Part of `cost` for real-time AI processing, in USD. Null unless the call is completed.',
    example: 0.0012,
  })
  realtime_cost: number | null;

  @ApiProperty(
    nullableTime('Time of the first INVITE. Null while the call is queued.', '2026-01-02T03:04:05.678+00:00'),
  )
  started_at: string | null;

  @ApiProperty(nullableTime('Time of the answer. Null if the call was not answered.', '2026-01-02T03:04:08.012+00:00'))
  answered_at: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...ANSWERED_BY, null],
    nullable: true,
    description:
      'The answering party: `human`, `machine`, or `unknown` if detection was inconclusive. Every automatic party is a `machine`: voicemail, menu, call screening and fax (`answering_machine.result`). Null before detection, for unanswered calls, and if the agent does not detect answering machines.',
    example: 'human',
  })
  answered_by: CallView['answered_by'];

  @ApiProperty({
    type: AnsweringMachineDto,
    nullable: true,
    description:
      'Result of answering machine detection, with its evidence. Unanswered calls have one when the audio before the answer was that of a machine. Null otherwise.',
  })
  answering_machine: CallView['answering_machine'];

  @ApiProperty({
    type: CallRecordingConsentDto,
    nullable: true,
    description: 'Consent of the other party to the recording. Null: not needed, or the call was not answered.',
  })
  recording_consent: CallView['recording_consent'];

  @ApiProperty({
    type: CallDisclosureDto,
    nullable: true,
    description: 'What was heard of the disclosure. Null: the agent has none for this call, or nobody has answered.',
  })
  disclosure: CallView['disclosure'];

  @ApiProperty({ type: [CallGuardrailHitDto], description: 'Rules of the agent that applied, in their order.' })
  guardrail_hits: CallView['guardrail_hits'];

  @ApiProperty(
    nullableTime('Time of the end of the call. Null while it is in progress.', '2026-01-02T03:04:20.345+00:00'),
  )
  ended_at: string | null;

  @ApiProperty({
    type: 'string',
    format: 'uri',
    nullable: true,
    description:
      'Download link of the recording (stereo WAV; left channel: remote party, right channel: agent). It requires no token and expires after one hour. Null if the call was not recorded, or the recording is unavailable or deleted.',
    example: `http://localhost:3000/api/v1/recordings/${ID}?expires=1767326645&signature=Zm9vYmFy`,
  })
  recording_url: string | null;

  @ApiProperty(
    nullableTime('Time at which the retention policy of the account deleted the recording. Null if it did not.', null),
  )
  recording_deleted_at: string | null;

  @ApiProperty(
    nullableTime(
      'Time at which the retention policy of the account deleted the transcript, summary, tool calls and key presses. Null if it did not.',
      null,
    ),
  )
  transcript_deleted_at: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...HANGUP_CAUSES, null],
    nullable: true,
    description: 'Reason for the end of the call. Null while it is in progress.',
    example: 'normal_clearing',
  })
  hangup_cause: string | null;

  @ApiProperty({
    type: CallFailureDto,
    nullable: true,
    description:
      'Why the call failed. Null: it did not, or has not ended. Also of `completed` calls that were cut short: the voice agent, the audio or the dialer failed.',
    example: null,
  })
  failure: CallFailureDto | null;

  @ApiProperty({
    type: 'string',
    enum: CALL_DIRECTIONS,
    description:
      '`outbound`: placed by the agent. `inbound`: received on a phone number of the account, or a web call.',
    example: 'outbound',
  })
  direction: CallView['direction'];

  @ApiProperty({
    type: 'string',
    enum: CALL_CHANNELS,
    description:
      '`phone`: over SIP. `web`: from a web page, with `from_number` "web", `to_number` "web:<agent id>" and without number and trunk.',
    example: 'phone',
  })
  channel: CallView['channel'];

  @ApiProperty({ type: 'integer', description: 'ID of the agent.', example: 1 })
  agent_id: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Version of the agent. It is chosen when the call is created and does not change. Null for calls of releases without versions.',
    example: 1,
  })
  agent_version: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'ID of the phone number. Null for web calls.',
    example: 1,
  })
  number_id: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'ID of the SIP trunk. Null if the destination was dialled directly.',
    example: null,
  })
  trunk_id: number | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The `metadata` given at creation.',
    example: { customer: 'c-4711' },
  })
  metadata: Record<string, unknown> | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    nullable: true,
    description:
      'The `variables` given at creation, or by the pre-call webhook of the agent. Values that the texts take from `metadata` or from defaults are not repeated here.',
    example: { customer_name: 'Ada' },
  })
  variables: Record<string, string | number | boolean> | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    nullable: true,
    description:
      'IDs of the knowledge bases that the agent uses in the call, as given at creation. Null: all of the agent. Empty: none.',
    example: null,
  })
  knowledge_base_ids: number[] | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'ID of the campaign that placed the call. Null for other calls.',
    example: null,
  })
  campaign_id: number | null;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'ID of the contact of the campaign.',
    example: null,
  })
  contact_id: string | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time at which the call was created.',
    example: '2026-01-02T03:04:05.432+00:00',
  })
  created_at: string;

  @ApiProperty(
    nullableTime(
      'Time at which a scheduled call joins the queue. Null if the call is in the queue, dialled or ended.',
      null,
    ),
  )
  scheduled_for: string | null;

  @ApiProperty({
    type: CallScheduleDto,
    nullable: true,
    description:
      'The `not_before`, `window` and `time_zone` given at creation. Null: the call may be dialled at any time.',
  })
  schedule: CallScheduleDto | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'SIP status of the response that rejected the call. Null if it was answered, or without a response.',
    example: null,
  })
  sip_code: number | null;

  @ApiProperty({
    type: 'string',
    enum: [...CALL_ENDED_BY, null],
    nullable: true,
    description: 'The party that ended the call; `api` for a cancelled call. Null while it is in progress.',
    example: 'callee',
  })
  ended_by: CallView['ended_by'];

  @ApiProperty({ type: [TransferDto], description: 'Transfers of the call, oldest first.' })
  transfers: TransferDto[];

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Seconds that the caller waited for a free place, up to now while it waits. Null if it did not wait.',
    example: null,
  })
  queued_seconds: number | null;
}

export class CallWithMessageDto {
  @ApiProperty({ type: CallDto, description: 'The call.' })
  data: CallDto;

  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Call cancellation requested.' })
  message: string;
}

export class CallDeletedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Call deleted successfully.' })
  message: string;
}

class TranscriptMatchDto implements TranscriptMatch {
  @ApiProperty({ type: 'integer', nullable: true, description: 'Number of the turn in the call.', example: 4 })
  turn: number | null;

  @ApiProperty({
    type: 'string',
    enum: ['agent', 'callee', 'caller', 'supervisor'],
    description: 'The speaker.',
    example: 'callee',
  })
  role: string;

  @ApiProperty({
    type: 'string',
    description: 'Text of the turn, up to 1,000 characters.',
    example: 'I want a refund.',
  })
  text: string;

  @ApiProperty({ type: 'integer', description: 'Start in milliseconds since the answer.', example: 5_980 })
  started_ms: number;

  @ApiProperty({ type: 'integer', description: 'End in milliseconds since the answer.', example: 7_860 })
  ended_ms: number;
}

class ListedCallDto extends CallDto {
  @ApiPropertyOptional({
    type: [TranscriptMatchDto],
    description: 'Up to three turns that match `transcript`; only in lists with this filter.',
  })
  transcript_matches?: TranscriptMatchDto[];
}

export class CallListDto {
  @ApiProperty({ type: [ListedCallDto], description: 'The calls on this page, newest first.' })
  data: ListedCallDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: ListMetaDto, description: 'Position of this page in the list.' })
  meta: ListMetaDto;
}

@ApiExtraModels(ReducedCallDto)
export class CallCreatedDto {
  @ApiProperty({
    type: 'string',
    description: 'Result of the request. For an array, it contains the number of calls.',
    example: 'Call initiated successfully.',
  })
  message: string;

  @ApiProperty({
    description: 'The call. If `to_number` is an array: the calls in the same order.',
    oneOf: [{ $ref: getSchemaPath(ReducedCallDto) }, { type: 'array', items: { $ref: getSchemaPath(ReducedCallDto) } }],
  })
  data: ReducedCallDto | ReducedCallDto[];

  @ApiPropertyOptional({
    type: [WarningDto],
    description: '`agent_not_configured`: the calls will fail, because the dialers lack a key or a model of the agent.',
  })
  warnings?: WarningDto[];
}

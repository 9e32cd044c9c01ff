import { ANSWERED_BY, type AnsweredBy, CALL_CHANNELS } from '@app/calls';
import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import {
  AnsweringMachineDto,
  CallDisclosureDto,
  CallGuardrailHitDto,
  CallRecordingConsentDto,
} from '../calls/answering-machine.dto.js';
import { CostLineDto, KnowledgeSearchDto, TranscriptTurnDto } from '../calls/call-results.dto.js';
import { FlowedCallDto } from '../calls/call-flow.dto.js';
import { CallFailureDto, ReducedCallDto } from '../calls/call.dto.js';

const EVENT_ID = '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22';

class CallStatusDataDto extends ReducedCallDto {
  @ApiProperty({
    type: 'string',
    description: 'Direction of the call.',
    enum: ['inbound', 'outbound'],
    example: 'outbound',
  })
  direction: string;

  @ApiProperty({
    type: 'string',
    enum: CALL_CHANNELS,
    description: '`phone`: over SIP. `web`: from a web page.',
    example: 'phone',
  })
  channel: string;

  @ApiProperty({ type: 'integer', description: 'ID of the agent.', example: 1 })
  agent_id: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Version of the agent that the call keeps. Null for calls of releases without versions.',
    example: 1,
  })
  agent_version: number | null;

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
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The `metadata` given at creation. Null with `metadata_omitted: true` if the body would exceed 4 KB.',
    example: { customer: 'c-4711' },
  })
  metadata: Record<string, unknown> | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time at which the call was created.',
    example: '2026-01-02T03:04:05.432+00:00',
  })
  created_at: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time of the first INVITE.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  started_at: string | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time of the answer. Null if the call was not answered.',
    example: null,
  })
  answered_at: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...ANSWERED_BY, null],
    nullable: true,
    description:
      'The answering party. Detection completes some seconds after `in-progress`, so the webhook for the end of the call is the first to contain it. Null if the agent does not detect answering machines.',
    example: null,
  })
  answered_by: AnsweredBy | null;

  @ApiProperty({
    type: AnsweringMachineDto,
    nullable: true,
    description: 'Result of answering machine detection, as in the call object. Null before it.',
    example: null,
  })
  answering_machine: AnsweringMachineDto | null;

  @ApiProperty({
    type: CallRecordingConsentDto,
    nullable: true,
    description: 'Consent of the other party to the recording, as in the call object. Null: not needed, or not yet.',
    example: null,
  })
  recording_consent: CallRecordingConsentDto | null;

  @ApiProperty({
    type: CallDisclosureDto,
    nullable: true,
    description: 'What was heard of the disclosure. Null: the agent has none for this call, or nobody has answered.',
    example: null,
  })
  disclosure: CallDisclosureDto | null;

  @ApiProperty({
    type: [CallGuardrailHitDto],
    description: 'Rules of the agent that applied, in their order.',
    example: [],
  })
  guardrail_hits: CallGuardrailHitDto[];

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time of the end of the call. Null while it is in progress.',
    example: null,
  })
  ended_at: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Reason for the end of the call. Null while it is in progress.',
    example: null,
  })
  hangup_cause: string | null;

  @ApiProperty({
    type: CallFailureDto,
    nullable: true,
    description: 'Why the call failed, as in the call object. Null: it did not, or has not ended.',
    example: null,
  })
  failure: CallFailureDto | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'Values that the flow of the agent has collected so far. Absent without a flow.',
    example: { name: 'Ada', reason: 'book' },
  })
  values?: Record<string, unknown>;

  @ApiPropertyOptional({
    type: [String],
    description: 'Names of the steps that were entered, in their order. Absent without a flow.',
    example: ['identify', 'book'],
  })
  path?: string[];
}

/** The fields of every event. */
export class EventDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description:
      'Unique identifier of the event, equal to the `webhook-id` header and the same for every attempt. Use it to deduplicate events.',
    example: EVENT_ID,
  })
  id: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of the event.',
    example: '2026-01-02T03:04:06.100+00:00',
  })
  created_at: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description:
      'Number of the webhook within the call. Events with lower numbers happened earlier, regardless of the order of arrival.',
    example: 2,
  })
  sequence: number;
}

/** Body of the call-status webhook; at most 4 KB. */
export class CallStatusEventDto extends EventDto {
  @ApiProperty({ type: 'string', enum: ['call-status'], description: 'Type of the webhook.', example: 'call-status' })
  type: 'call-status';

  @ApiProperty({
    type: 'string',
    enum: ['initiated', 'ringing', 'in-progress', 'completed', 'failed', 'busy', 'no-answer', 'cancelled'],
    description: 'Event.',
    example: 'ringing',
  })
  event: string;

  @ApiProperty({ type: CallStatusDataDto, description: 'State of the call after the event.' })
  data: CallStatusDataDto;
}

class RecordingDto {
  @ApiProperty({
    type: 'string',
    format: 'uri',
    nullable: true,
    description: 'Download link that requires no token and expires after seven days.',
    example:
      'http://localhost:3000/api/v1/recordings/019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11?expires=1767931445&signature=Zm9v',
  })
  url: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'File size in bytes.', example: 192044 })
  bytes: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'Duration in seconds.', example: 12 })
  duration_seconds: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Reason for a missing recording: the storage failed, or the storage quota of the account is used up.',
    example: null,
  })
  error: string | null;
}

class MediaQualityDto {
  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Estimated mean opinion score, from 1 to 4.5, of the audio received from the remote party.',
    example: 4.3,
  })
  mos: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Share of lost packets, 0 to 1.',
    example: 0.002,
  })
  loss_rate: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'Jitter in milliseconds.', example: 0.8 })
  jitter_ms: number | null;
}

class PostCallDataDto extends OmitType(FlowedCallDto, ['recording_url'] as const) {
  @ApiProperty({
    type: 'string',
    format: 'uri',
    nullable: true,
    description: 'Same as `recording.url`.',
    example:
      'http://localhost:3000/api/v1/recordings/019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11?expires=1767931445&signature=Zm9v',
  })
  recording_url: string | null;

  @ApiProperty({
    type: [TranscriptTurnDto],
    description:
      'Turns in order. If the body would exceed 256 KB, the end is omitted and `transcript_truncated` is true.',
  })
  transcript: TranscriptTurnDto[];

  @ApiProperty({
    type: 'string',
    format: 'uri',
    nullable: true,
    description:
      'Link to the complete transcript if it is truncated here (see `downloadTranscript`). It requires no token and expires after seven days. Null if `transcript` is complete.',
    example: null,
  })
  transcript_url: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Summary of the conversation.',
    example: 'The caller asked for a date.',
  })
  summary: string | null;

  @ApiProperty({ type: [CostLineDto], description: 'Line items of `cost`. Empty unless the call is completed.' })
  costs: CostLineDto[];

  @ApiProperty({
    type: RecordingDto,
    nullable: true,
    description: 'The recording. Null if the call was not recorded.',
  })
  recording: RecordingDto | null;

  @ApiProperty({
    type: MediaQualityDto,
    nullable: true,
    description:
      'Quality of the received audio. Null without audio. `quality` has both directions, `GET /calls/{callId}/diagnostics` more details.',
  })
  media_quality: MediaQualityDto | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description:
      'Tool calls of the agent: `tool_call_id`, `name`, `arguments`, `result`, `ok`, `started_ms`, `ended_ms`; for tools of the account also `invocation_id` and `actions` (see `POST …/tools/{id}/invoke`). For searches, `result` contains the number of passages; `knowledge_searches` contains the passages. If the body would exceed 256 KB, arguments and results are omitted and `tool_details_omitted` is true.',
    example: [],
  })
  tool_calls: Record<string, unknown>[];

  @ApiProperty({
    type: [KnowledgeSearchDto],
    description:
      'Knowledge searches of the agent. If the body would exceed 256 KB, the text of the passages is omitted and `passages_omitted` is true.',
  })
  knowledge_searches: KnowledgeSearchDto[];
}

/** Body of a webhook action without a payload. */
export class ToolActionBodyDto {
  @ApiProperty({ type: 'string', description: 'Name of the invoked tool.', example: 'get_weather' })
  tool: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Arguments of the invocation.',
    example: { city: 'Bonn' },
  })
  arguments: Record<string, unknown>;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'ID of the call. Null outside of calls.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11',
  })
  call_id: string | null;

  @ApiProperty({ type: 'integer', description: 'ID of the agent.', example: 1 })
  agent_id: number;
}

/** Body of the post-call webhook; at most 256 KB. */
export class PostCallEventDto extends EventDto {
  @ApiProperty({ type: 'string', enum: ['post-call'], description: 'Type of the webhook.', example: 'post-call' })
  type: 'post-call';

  @ApiProperty({ type: 'string', enum: ['ended'], description: 'Event.', example: 'ended' })
  event: 'ended';

  @ApiProperty({ type: PostCallDataDto, description: 'The call with its results.' })
  data: PostCallDataDto;
}

class TestEventDataDto {
  @ApiProperty({ type: 'string', description: 'Text of the test.', example: 'This is a test of your webhook.' })
  message: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'ID of the agent whose webhook is tested.', example: 1 })
  agent_id: number | null;
}

/** Body of a test webhook. */
export class TestEventDto extends EventDto {
  @ApiProperty({ type: 'string', enum: ['test'], description: 'Type of the webhook.', example: 'test' })
  type: 'test';

  @ApiProperty({ type: 'string', enum: ['test'], description: 'Event.', example: 'test' })
  event: 'test';

  @ApiProperty({ type: TestEventDataDto, description: 'Data of the test.' })
  data: TestEventDataDto;
}

import { ANSWERED_BY, type AnsweredBy } from '@app/calls';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { CallDto, ReducedCallDto } from '../calls/call.dto.js';

const EVENT_ID = '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22';

class CallStatusDataDto extends ReducedCallDto {
  @ApiProperty({ type: 'string', description: 'Who called.', enum: ['inbound', 'outbound'], example: 'outbound' })
  direction: string;

  @ApiProperty({ type: 'integer', description: 'The agent.', example: 1 })
  agent_id: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'What was given at creation; null with `metadata_omitted: true` when the body would be over 4 KB.',
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
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When the first INVITE left.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  started_at: string | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Null if not answered.',
    example: null,
  })
  answered_at: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...ANSWERED_BY, null],
    nullable: true,
    description:
      'What picked up. It is known some seconds after `in-progress`, so that the webhook of the end is the first to have it. Null when the agent does not look for answering machines.',
    example: null,
  })
  answered_by: AnsweredBy | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Null until the end.',
    example: null,
  })
  ended_at: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why the call ended; null until then.', example: null })
  hangup_cause: string | null;
}

export class EventDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'Id of the event, equal to the `webhook-id` header and the same on every try: deduplicate by it.',
    example: EVENT_ID,
  })
  id: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When it happened.',
    example: '2026-01-02T03:04:06.100+00:00',
  })
  created_at: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Counts the webhooks of a call: a lower number happened earlier, whatever arrives first.',
    example: 2,
  })
  sequence: number;
}

/** Body of the call-status webhook; at most 4 KB. */
export class CallStatusEventDto extends EventDto {
  @ApiProperty({ type: 'string', enum: ['call-status'], description: 'Kind of webhook.', example: 'call-status' })
  type: 'call-status';

  @ApiProperty({
    type: 'string',
    enum: ['initiated', 'ringing', 'in-progress', 'completed', 'failed', 'busy', 'no-answer', 'cancelled'],
    description: 'What happened.',
    example: 'ringing',
  })
  event: string;

  @ApiProperty({ type: CallStatusDataDto, description: 'The call as it is after the event.' })
  data: CallStatusDataDto;
}

export class TranscriptTurnDto {
  @ApiProperty({
    type: 'string',
    description: 'Who spoke: `agent` or `callee`, the other side of either direction.',
    example: 'agent',
  })
  role: string;

  @ApiProperty({ type: 'string', description: 'What was said.', example: 'Hello, how can I help you?' })
  text: string;

  @ApiProperty({ type: 'integer', description: 'Beginning, in milliseconds since the answer.', example: 120 })
  started_ms: number;

  @ApiProperty({ type: 'integer', description: 'End, in milliseconds since the answer.', example: 2340 })
  ended_ms: number;

  @ApiProperty({ type: 'boolean', description: 'The agent was interrupted.', example: false })
  truncated: boolean;
}

export class CostLineDto {
  @ApiProperty({ type: 'string', description: 'What was used.', example: 'carrier_seconds' })
  kind: string;

  @ApiProperty({ type: 'string', description: 'The same for people.', example: 'Carrier, seconds from the answer' })
  description: string;

  @ApiProperty({ type: 'number', description: 'How much of it.', example: 12 })
  quantity: number;

  @ApiProperty({ type: 'string', description: 'Unit of `quantity`.', example: 'second' })
  unit: string;

  @ApiProperty({ type: 'number', description: 'USD per unit.', example: 0.0002 })
  unit_price: number;

  @ApiProperty({
    type: 'number',
    description: 'USD of this line; the lines add up to `cost` exactly.',
    example: 0.0024,
  })
  amount: number;
}

class RecordingDto {
  @ApiProperty({
    type: 'string',
    format: 'uri',
    nullable: true,
    description: 'Download link without a token; it lives seven days.',
    example:
      'http://localhost:3000/api/v1/recordings/019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11?expires=1767931445&signature=Zm9v',
  })
  url: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Size of the file.', example: 192044 })
  bytes: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'Length in seconds.', example: 12 })
  duration_seconds: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'Why there is no recording although one was wanted: the storage failed, or the account has no room for it.',
    example: null,
  })
  error: string | null;
}

class MediaQualityDto {
  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Mean opinion score 1 to 4.5 of what was heard from the remote party, estimated.',
    example: 4.3,
  })
  mos: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Share of its packets that were lost, 0 to 1.',
    example: 0.002,
  })
  loss_rate: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'Their jitter in milliseconds.', example: 0.8 })
  jitter_ms: number | null;
}

class PostCallDataDto extends OmitType(CallDto, ['recording_url'] as const) {
  @ApiProperty({
    type: 'string',
    format: 'uri',
    nullable: true,
    description: 'The same as `recording.url`.',
    example:
      'http://localhost:3000/api/v1/recordings/019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11?expires=1767931445&signature=Zm9v',
  })
  recording_url: string | null;

  @ApiProperty({
    type: [TranscriptTurnDto],
    description:
      'What was said, in order; its end is left out with `transcript_truncated: true` when the body would be over 256 KB.',
  })
  transcript: TranscriptTurnDto[];

  @ApiProperty({
    type: 'string',
    format: 'uri',
    nullable: true,
    description:
      'Where the whole transcript is when its end was left out here (see `downloadTranscript`): a link without a token, which lives seven days. Null when `transcript` is whole.',
    example: null,
  })
  transcript_url: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The conversation in short.',
    example: 'The caller asked for a date.',
  })
  summary: string | null;

  @ApiProperty({ type: [CostLineDto], description: 'The bill; empty unless the call was completed.' })
  costs: CostLineDto[];

  @ApiProperty({
    type: RecordingDto,
    nullable: true,
    description: 'The recording; null when there is none to be expected.',
  })
  recording: RecordingDto | null;

  @ApiProperty({
    type: MediaQualityDto,
    nullable: true,
    description: 'How good the audio was; null when there was none. `GET /calls/{callId}/diagnostics` has more.',
  })
  media_quality: MediaQualityDto | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description:
      'Tools the agent invoked: `tool_call_id`, `name`, `arguments`, `result`, `ok`, `started_ms`, `ended_ms`; those of the account have `invocation_id` and `actions` as well (see `POST …/tools/{id}/invoke`). What searches found stands in `knowledge_searches`, here only how many passages it was. A body over 256 KB has them without arguments and results and says `tool_details_omitted: true`.',
    example: [],
  })
  tool_calls: Record<string, unknown>[];

  @ApiProperty({
    type: () => [KnowledgeSearchDto],
    description:
      'What the agent looked up in its knowledge bases. A body over 256 KB has the passages without their text and says `passages_omitted: true`.',
  })
  knowledge_searches: KnowledgeSearchDto[];
}

/** A passage that the agent was given. */
class FoundPassageDto {
  @ApiProperty({ type: 'string', description: 'The passage.', example: 'Article 4711 costs three euros.' })
  text: string;

  @ApiProperty({ type: 'string', description: 'File name or URL, else the title.', example: 'prices.pdf' })
  source: string;

  @ApiProperty({ type: 'string', description: 'Title of the knowledge base.', example: 'Price list' })
  title: string;

  @ApiProperty({ type: 'number', description: '0 to 1, comparable within one search.', example: 0.92 })
  score: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Page, from 1; null where there are none.', example: 2 })
  page: number | null;

  @ApiProperty({ type: [String], description: 'Headings above it, the outermost first.', example: ['Prices', 'Tea'] })
  heading_path: string[];

  @ApiProperty({
    type: 'object',
    nullable: true,
    properties: { first: { type: 'integer' }, last: { type: 'integer' } },
    description: 'Rows of a table, from 1; null for other text.',
    example: null,
  })
  rows: { first: number; last: number } | null;

  @ApiProperty({ type: 'integer', description: 'The knowledge base.', example: 3 })
  knowledge_base_id: number;

  @ApiProperty({ type: 'string', description: 'The chunk, as the search of the API names it.', example: '17' })
  chunk_id: string;
}

/** One search of the agent's. */
export class KnowledgeSearchDto {
  @ApiProperty({ type: 'string', description: 'The same as in `tool_calls`.', example: 'tool-response-2' })
  tool_call_id: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'What it looked for.', example: 'price of 4711' })
  query: string | null;

  @ApiProperty({ type: [FoundPassageDto], description: 'What it was given, the best first.' })
  results: FoundPassageDto[];

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: '`{code, message}` of a search that failed.',
    example: null,
  })
  error: Record<string, unknown> | null;

  @ApiProperty({ type: 'integer', description: 'Milliseconds after the answer.', example: 8120 })
  started_ms: number;

  @ApiProperty({ type: 'integer', description: 'Milliseconds after the answer.', example: 8124 })
  ended_ms: number;
}

/** Body of a tool's webhook action that has no payload of its own. */
export class ToolActionBodyDto {
  @ApiProperty({ type: 'string', description: 'The tool that the agent invoked.', example: 'get_weather' })
  tool: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What it was invoked with.',
    example: { city: 'Bonn' },
  })
  arguments: Record<string, unknown>;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'The call; null outside of one.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11',
  })
  call_id: string | null;

  @ApiProperty({ type: 'integer', description: 'The agent.', example: 1 })
  agent_id: number;
}

/** Body of the post-call webhook; at most 256 KB. */
export class PostCallEventDto extends EventDto {
  @ApiProperty({ type: 'string', enum: ['post-call'], description: 'Kind of webhook.', example: 'post-call' })
  type: 'post-call';

  @ApiProperty({ type: 'string', enum: ['ended'], description: 'What happened.', example: 'ended' })
  event: 'ended';

  @ApiProperty({ type: PostCallDataDto, description: 'The whole call.' })
  data: PostCallDataDto;
}

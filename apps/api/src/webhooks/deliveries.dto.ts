import { InvalidFields, withCode } from '@app/common';
import { type ListCursor, readCursor } from '@app/database';
import {
  DELIVERY_STATES,
  type DeliveryFilter,
  type DeliveryState,
  type DeliveryView,
  type ReplayRange,
  WEBHOOK_TYPES,
  type WebhookType,
} from '@app/webhooks';
import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { nullableTime } from '../http/responses/api-time.js';
import { IsDateOrTime, must, parseDateOrTime } from '../http/validation/field-validators.js';
import { CallIdFilter, EnumFilter, FromTimeFilter, TextFilter, ToTimeFilter } from '../http/validation/list-filters.js';
import { IsCursor, ListLinksDto, ListMetaDto, ListQueryDto } from '../http/responses/pagination.js';
import { ToolCallAttemptDto } from '../tools/tool-invocations.dto.js';

/** The events of all types. */
const EVENTS = [
  ...['initiated', 'ringing', 'in-progress', 'completed', 'failed', 'busy', 'no-answer', 'cancelled'],
  ...['ended', 'invoked', 'test'],
];
const MAX_URL = 8192;

export class ListDeliveriesDto extends ListQueryDto {
  @CallIdFilter('Deliveries')
  call_id?: string;

  @EnumFilter(WEBHOOK_TYPES, 'Deliveries of this webhook type.')
  type?: WebhookType;

  @EnumFilter(EVENTS, 'Deliveries of this event.')
  event?: string;

  @TextFilter(
    'url',
    MAX_URL,
    'Deliveries to this URL, ignoring the query. Requires `call_id` or a `state` other than `delivered`.',
  )
  url?: string;

  @EnumFilter(DELIVERY_STATES, 'Deliveries in this state.')
  state?: DeliveryState;

  @FromTimeFilter('Events')
  date_from?: string;

  @ToTimeFilter('Events')
  date_to?: string;
}

/** Throws InvalidFields for a filter that would scan all deliveries. */
export function listFilterOf(dto: ListDeliveriesDto): DeliveryFilter {
  const isNarrow = dto.call_id !== undefined || (dto.state !== undefined && dto.state !== 'delivered');
  if (dto.url === undefined || isNarrow) return filterOf(dto);
  throw new InvalidFields({
    url: [withCode('not_allowed', 'The url field needs a call id, or a state other than delivered.')],
  });
}

type Filter = Omit<ListDeliveriesDto, keyof ListQueryDto | 'state'> & { state?: DeliveryState | null };

const filterOf = (dto: Filter): DeliveryFilter => ({
  callId: dto.call_id ?? undefined,
  type: dto.type ?? undefined,
  event: dto.event ?? undefined,
  state: dto.state ?? undefined,
  url: dto.url ?? undefined,
  from: dto.date_from ? parseDateOrTime(dto.date_from, 'start') : undefined,
  to: dto.date_to ? parseDateOrTime(dto.date_to, 'end') : undefined,
});

const STATES = ['slow', 'delivered', 'dead', 'refused'] as const;

/** Which deliveries are replayed. Absent or null fields do not filter. */
export class ReplayDeliveriesDto extends PickType(ListDeliveriesDto, [
  'call_id',
  'type',
  'event',
  'url',
  'date_to',
] as const) {
  @ApiProperty({
    type: 'string',
    description: 'Events at this time or later: ISO 8601, a date (UTC) or a time with `Z` or an offset.',
    example: '2026-01-02T03:00:00Z',
  })
  @IsDateOrTime({ message: must.beDate })
  date_from: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: STATES,
    nullable: true,
    description:
      'Deliveries in this state. Defaults to undelivered ones: `slow`, `dead` and `refused`. `delivered` repeats webhooks that were received.',
    example: 'dead',
  })
  @IsOptional()
  @IsIn(STATES, { message: must.beOneOf })
  state?: (typeof STATES)[number] | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description: 'Continues a replay: `next_cursor` of the previous response. All other fields must be the same.',
  })
  @IsOptional()
  @IsCursor()
  cursor?: string | null;
}

/** The default end is now: events during the replay are not part of it. */
export function rangeOf(dto: ReplayDeliveriesDto): { range: ReplayRange; cursor?: ListCursor } {
  const { from = new Date(0), to = new Date(), ...filter } = filterOf(dto);
  return { range: { ...filter, from, to }, cursor: dto.cursor ? readCursor(dto.cursor) : undefined };
}

class RangeReplayDto {
  @ApiProperty({ type: 'integer', description: 'Number of webhooks that are sent again.', example: 12 })
  replayed: number;

  @ApiProperty({
    type: 'integer',
    description: 'Number of deliveries skipped because their endpoint is disabled.',
    example: 0,
  })
  skipped: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Value of `cursor` for the next request, after 10,000 deliveries. Null if the period is complete.',
    example: null,
  })
  next_cursor: string | null;
}

export class RangeReplayedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: '12 webhooks will be sent again.' })
  message: string;

  @ApiProperty({ type: RangeReplayDto, description: 'The counts.' })
  data: RangeReplayDto;
}

const uuid = (description: string, example: string | null) =>
  ({ type: 'string', format: 'uuid', nullable: true, description, example }) as const;

/** One webhook for one target. */
class DeliveryDto implements DeliveryView {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'Unique identifier, sent as `webhook-id` with every attempt and replay.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22',
  })
  id: string;

  @ApiProperty({ type: 'string', enum: WEBHOOK_TYPES, description: 'Type of the webhook.', example: 'call-status' })
  type: WebhookType;

  @ApiProperty({
    type: 'string',
    description:
      'Event: `ringing`, `completed` and so on, `ended` for a post-call webhook, `invoked` for a tool action, or `test`.',
    example: 'completed',
  })
  event: string;

  @ApiProperty(uuid('ID of the call. Null outside of calls.', '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11'))
  call_id: string | null;

  @ApiProperty(uuid('ID of the invocation of a tool action. Null for other types.', null))
  invocation_id: string | null;

  @ApiProperty({ type: 'integer', description: 'Number among the webhooks of the call.', example: 4 })
  sequence: number;

  @ApiProperty({ type: 'string', description: 'HTTP method of the requests.', example: 'POST' })
  method: string;

  @ApiProperty({
    type: 'string',
    description: 'URL of the requests, without the query.',
    example: 'https://example.com/hooks/call-status',
  })
  url: string;

  @ApiProperty({
    type: 'string',
    enum: DELIVERY_STATES,
    description:
      'State of the delivery. `pending`: in delivery; later events of the call wait. `slow`: retried for three days while later events are sent. `delivered`: acknowledged with 2xx. `dead`: abandoned, or the endpoint is disabled. `refused`: the URL resolves to a forbidden address; nothing was sent.',
    example: 'delivered',
  })
  state: DeliveryState;

  @ApiProperty({ type: 'integer', description: 'Number of attempts.', example: 1 })
  attempt_count: number;

  @ApiProperty(nullableTime('Earliest time of the next attempt. Null if there is none.', null))
  next_attempt_at: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the last attempt. Null without a response.',
    example: 200,
  })
  last_status: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Error message of the last attempt.',
    example: null,
  })
  last_error: string | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of the event.',
    example: '2026-01-02T03:04:05.432+00:00',
  })
  created_at: string;

  @ApiProperty(nullableTime('Time of delivery. Null if undelivered.'))
  delivered_at: string | null;

  @ApiProperty(nullableTime('Time of the last replay.', null))
  replayed_at: string | null;
}

/** One attempt. */
class DeliveryAttemptDto extends ToolCallAttemptDto {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'First 16 KiB of the response.',
    example: 'ok',
  })
  declare answer: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Request headers as sent. Values of configured headers are redacted.',
    example: { 'webhook-id': '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22', authorization: '[redacted]' },
  })
  declare request_headers: Record<string, string>;
}

class DeliveryWithAttemptsDto extends DeliveryDto {
  @ApiProperty({
    type: 'string',
    description: 'Exact request body that is sent and signed. Empty without a body.',
    example: '{"id":"019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22","type":"call-status","event":"completed"}',
  })
  body: string;

  @ApiProperty({
    type: [DeliveryAttemptDto],
    description: 'The last 30 attempts, oldest first. Attempts are kept for 30 days.',
  })
  attempts: DeliveryAttemptDto[];
}

export class FoundDeliveryDto {
  @ApiProperty({ type: DeliveryWithAttemptsDto, description: 'The delivery.' })
  data: DeliveryWithAttemptsDto;
}

export class DeliveryWithMessageDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'The webhook will be sent again.' })
  message: string;

  @ApiProperty({ type: DeliveryDto, description: 'The delivery in its new state.' })
  data: DeliveryDto;
}

export class DeliveryListDto {
  @ApiProperty({ type: [DeliveryDto], description: 'The deliveries on this page, newest first.' })
  data: DeliveryDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: ListMetaDto, description: 'Position of this page in the list.' })
  meta: ListMetaDto;
}

import { DELIVERY_STATES, type DeliveryState, type DeliveryView, WEBHOOK_TYPES, type WebhookType } from '@app/webhooks';
import { ApiProperty } from '@nestjs/swagger';
import { ListLinksDto, ListMetaDto } from '../calls/call.dto.js';
import { ToolCallAttemptDto } from '../tools/tool-call.dto.js';

const time = (description: string, example: string | null = '2026-01-02T03:04:05.678+00:00') =>
  ({ type: 'string', format: 'date-time', nullable: true, description, example }) as const;
const uuid = (description: string, example: string | null) =>
  ({ type: 'string', format: 'uuid', nullable: true, description, example }) as const;

/** One webhook for one target. */
class DeliveryDto implements DeliveryView {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'The `webhook-id` of its requests, the same on every attempt and every replay.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22',
  })
  id: string;

  @ApiProperty({ type: 'string', enum: WEBHOOK_TYPES, description: 'Kind of webhook.', example: 'call-status' })
  type: WebhookType;

  @ApiProperty({
    type: 'string',
    description:
      'What happened: `ringing`, `completed`, …; `ended` of a post-call, `invoked` of a tool action, `test`.',
    example: 'completed',
  })
  event: string;

  @ApiProperty(uuid('The call; null outside of one.', '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11'))
  call_id: string | null;

  @ApiProperty(uuid('The invocation of a tool action; null for others.', null))
  invocation_id: string | null;

  @ApiProperty({ type: 'integer', description: 'Its number among the webhooks of the call.', example: 4 })
  sequence: number;

  @ApiProperty({ type: 'string', description: 'Method of its requests.', example: 'POST' })
  method: string;

  @ApiProperty({
    type: 'string',
    description: 'URL of its requests, without the query.',
    example: 'https://example.com/hooks/call-status',
  })
  url: string;

  @ApiProperty({
    type: 'string',
    enum: DELIVERY_STATES,
    description:
      '`pending`: on its way, later events of the call wait behind it. `slow`: tried for three days while others pass. `delivered`: answered with 2xx. `dead`: given up, or its endpoint is disabled. `refused`: its URL leads to an address that is not allowed; nothing was sent.',
    example: 'delivered',
  })
  state: DeliveryState;

  @ApiProperty({ type: 'integer', description: 'Attempts so far.', example: 1 })
  attempt_count: number;

  @ApiProperty(time('When it is tried next, at the earliest; null when it is not.', null))
  next_attempt_at: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the last attempt; null without an answer.',
    example: 200,
  })
  last_status: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The error of the last attempt, as a sentence.',
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

  @ApiProperty(time('When it was delivered; null while it is not.'))
  delivered_at: string | null;

  @ApiProperty(time('When it was replayed last.', null))
  replayed_at: string | null;
}

/** One attempt. */
class DeliveryAttemptDto extends ToolCallAttemptDto {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The first 16 KiB of the answer.',
    example: 'ok',
  })
  declare answer: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'As sent; the values of your headers are redacted.',
    example: { 'webhook-id': '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22', authorization: '[redacted]' },
  })
  declare request_headers: Record<string, string>;
}

class DeliveryWithAttemptsDto extends DeliveryDto {
  @ApiProperty({
    type: 'string',
    description: 'The exact text that is sent and signed; empty when there is none.',
    example: '{"id":"019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22","type":"call-status","event":"completed"}',
  })
  body: string;

  @ApiProperty({
    type: [DeliveryAttemptDto],
    description: 'The last 30 attempts, oldest first. Each is kept for 30 days.',
  })
  attempts: DeliveryAttemptDto[];
}

export class FoundDeliveryDto {
  @ApiProperty({ type: DeliveryWithAttemptsDto, description: 'The delivery.' })
  data: DeliveryWithAttemptsDto;
}

export class DeliveryWithMessageDto {
  @ApiProperty({ type: 'string', description: 'What was done.', example: 'The webhook will be sent again.' })
  message: string;

  @ApiProperty({ type: DeliveryDto, description: 'The delivery in its new state.' })
  data: DeliveryDto;
}

export class DeliveryListDto {
  @ApiProperty({ type: [DeliveryDto], description: 'The deliveries of this page, newest first.' })
  data: DeliveryDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Neighbouring pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: ListMetaDto, description: 'Where this page lies in the list.' })
  meta: ListMetaDto;
}

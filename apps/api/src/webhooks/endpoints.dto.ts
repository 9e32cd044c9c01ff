import { timeOrNull } from '@app/common';
import { type DisabledReason, ENDPOINT_STATES, type EndpointState, type WebhookEndpoint } from '@app/webhooks';
import { ApiProperty } from '@nestjs/swagger';
import { nullableTime } from '../http/responses/api-time.js';
import { EnumFilter } from '../http/validation/list-filters.js';
import { ListLinksDto, PageMetaDto, PageQueryDto } from '../http/responses/pagination.js';

export class ListEndpointsDto extends PageQueryDto {
  @EnumFilter(ENDPOINT_STATES, 'Endpoints in this state.')
  state?: EndpointState;
}

/** An endpoint of webhooks. */
class EndpointDto {
  @ApiProperty({ type: 'integer', description: 'Unique identifier.', example: 1 })
  id: number;

  @ApiProperty({
    type: 'string',
    description: 'URL without query and fragment.',
    example: 'https://example.com/hooks/call-status',
  })
  url: string;

  @ApiProperty({
    type: 'string',
    enum: ENDPOINT_STATES,
    description:
      'State of the endpoint. Nothing is sent to a `disabled` endpoint: its deliveries end as `dead` and can be replayed after it is enabled.',
    example: 'active',
  })
  state: EndpointState;

  @ApiProperty(nullableTime('Time at which the endpoint was disabled. Null while it is active.', null))
  disabled_at: string | null;

  @ApiProperty({
    type: 'string',
    enum: ['gone', 'failing', null],
    nullable: true,
    description:
      'Reason for disabling: the endpoint returned 410 (`gone`), or all attempts failed for five days (`failing`).',
    example: null,
  })
  disabled_reason: DisabledReason | null;

  @ApiProperty(nullableTime('Start of the current series of failures. Null while requests succeed.', null))
  first_failure_at: string | null;

  @ApiProperty(nullableTime('Time of the last failure.', null))
  last_failure_at: string | null;

  @ApiProperty(nullableTime('Time of the last success, to the minute.', '2026-01-02T03:04:00.000+00:00'))
  last_success_at: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the last response. Null without a response.',
    example: 200,
  })
  last_status: number | null;
}

export const endpointView = (endpoint: WebhookEndpoint): EndpointDto => ({
  id: endpoint.id,
  url: endpoint.url,
  state: endpoint.state,
  disabled_at: timeOrNull(endpoint.disabled_at),
  disabled_reason: endpoint.disabled_reason,
  first_failure_at: timeOrNull(endpoint.first_failure_at),
  last_failure_at: timeOrNull(endpoint.last_failure_at),
  last_success_at: timeOrNull(endpoint.last_success_at),
  last_status: endpoint.last_status,
});

export class EndpointListDto {
  @ApiProperty({ type: [EndpointDto], description: 'The endpoints on this page, newest first.' })
  data: EndpointDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

export class EndpointWithMessageDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'The endpoint is enabled.' })
  message: string;

  @ApiProperty({ type: EndpointDto, description: 'The endpoint.' })
  data: EndpointDto;
}

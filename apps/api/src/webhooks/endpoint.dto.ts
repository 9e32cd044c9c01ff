import { type DisabledReason, ENDPOINT_STATES, type EndpointState, type WebhookEndpoint } from '@app/webhooks';
import { timeOrNull } from '@app/common';
import { ApiProperty, PickType } from '@nestjs/swagger';
import { ListLinksDto, PageMetaDto } from '../calls/call.dto.js';
import { ListCallsDto } from '../calls/list-calls.dto.js';
import { EnumFilter } from '../http/list-filters.js';

const time = (description: string, example: string | null = null) =>
  ({ type: 'string', format: 'date-time', nullable: true, description, example }) as const;

export class ListEndpointsDto extends PickType(ListCallsDto, ['page', 'per_page'] as const) {
  @EnumFilter(ENDPOINT_STATES, 'Endpoints in this state.')
  state?: EndpointState;
}

/** An endpoint of webhooks. */
class EndpointDto {
  @ApiProperty({ type: 'integer', description: 'Identifier, unique within the service.', example: 1 })
  id: number;

  @ApiProperty({
    type: 'string',
    description: 'Its URL without query and fragment.',
    example: 'https://example.com/hooks/call-status',
  })
  url: string;

  @ApiProperty({
    type: 'string',
    enum: ENDPOINT_STATES,
    description:
      'Nothing is sent to a `disabled` endpoint: deliveries end as `dead` and can be replayed when it is enabled.',
    example: 'active',
  })
  state: EndpointState;

  @ApiProperty(time('When it was disabled; null while it is active.'))
  disabled_at: string | null;

  @ApiProperty({
    type: 'string',
    enum: ['gone', 'failing', null],
    nullable: true,
    description: 'Why: it answered 410 (`gone`), or all attempts of five days failed (`failing`).',
    example: null,
  })
  disabled_reason: DisabledReason | null;

  @ApiProperty(time('Since when all attempts fail; null while it works.'))
  first_failure_at: string | null;

  @ApiProperty(time('The last failure.'))
  last_failure_at: string | null;

  @ApiProperty(time('The last success, exact to a minute.', '2026-01-02T03:04:00.000+00:00'))
  last_success_at: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the last answer; null when there was none.',
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
  @ApiProperty({ type: [EndpointDto], description: 'The endpoints of this page, newest first.' })
  data: EndpointDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Neighbouring pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Where this page lies in the list.' })
  meta: PageMetaDto;
}

export class EndpointWithMessageDto {
  @ApiProperty({ type: 'string', description: 'What was done.', example: 'The endpoint is enabled.' })
  message: string;

  @ApiProperty({ type: EndpointDto, description: 'The endpoint.' })
  data: EndpointDto;
}

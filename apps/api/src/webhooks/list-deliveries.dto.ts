import { InvalidFields } from '@app/common';
import {
  type DeliveryFilter,
  DELIVERY_STATES,
  type DeliveryState,
  WEBHOOK_TYPES,
  type WebhookType,
} from '@app/webhooks';
import { PickType } from '@nestjs/swagger';
import { ListCallsDto } from '../calls/list-calls.dto.js';
import { parseDateOrTime } from '../http/is-date-or-time.js';
import { FromTimeFilter, CallIdFilter, EnumFilter, TextFilter, ToTimeFilter } from '../http/list-filters.js';

/** The events of all types. */
const EVENTS = [
  ...['initiated', 'ringing', 'in-progress', 'completed', 'failed', 'busy', 'no-answer', 'cancelled'],
  ...['ended', 'invoked', 'test'],
];
const MAX_URL = 8192;

const PLACE = ['page', 'per_page', 'pagination', 'cursor'] as const;

export class ListDeliveriesDto extends PickType(ListCallsDto, PLACE) {
  @CallIdFilter('Deliveries')
  call_id?: string;

  @EnumFilter(WEBHOOK_TYPES, 'Deliveries of this type.')
  type?: WebhookType;

  @EnumFilter(EVENTS, 'Deliveries of this event.')
  event?: string;

  @TextFilter(
    'url',
    MAX_URL,
    'Deliveries to this URL; queries are not compared. Together with `call_id`, or a `state` other than `delivered`.',
  )
  url?: string;

  @EnumFilter(DELIVERY_STATES, 'Deliveries in this state.')
  state?: DeliveryState;

  @FromTimeFilter('What happened')
  date_from?: string;

  @ToTimeFilter('What happened')
  date_to?: string;
}

/** Throws InvalidFields for a filter that would scan all deliveries. */
export function listFilterOf(dto: ListDeliveriesDto): DeliveryFilter {
  const isNarrow = dto.call_id !== undefined || (dto.state !== undefined && dto.state !== 'delivered');
  if (dto.url === undefined || isNarrow) return filterOf(dto);
  throw new InvalidFields({ url: ['The url field needs a call id, or a state other than delivered.'] });
}

type Filter = Omit<ListDeliveriesDto, (typeof PLACE)[number] | 'state'> & { state?: DeliveryState | null };

export const filterOf = (dto: Filter): DeliveryFilter => ({
  callId: dto.call_id ?? undefined,
  type: dto.type ?? undefined,
  event: dto.event ?? undefined,
  state: dto.state ?? undefined,
  url: dto.url ?? undefined,
  from: dto.date_from ? parseDateOrTime(dto.date_from, 'start') : undefined,
  to: dto.date_to ? parseDateOrTime(dto.date_to, 'end') : undefined,
});

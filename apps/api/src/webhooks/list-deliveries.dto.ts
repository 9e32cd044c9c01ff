import { InvalidFields } from '@app/common';
import {
  type DeliveryFilter,
  DELIVERY_STATES,
  type DeliveryState,
  WEBHOOK_TYPES,
  type WebhookType,
} from '@app/webhooks';
import { ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength, NotContains } from 'class-validator';
import { momentOf, IsDateOrTime } from '../calls/is-date-or-time.js';
import { Given, ListCallsDto } from '../calls/list-calls.dto.js';
import { IsUuidText } from '../http/is-uuid-text.js';
import { must } from '../http/must.js';

/** Names of what happened, of all types. */
export const EVENTS = [
  ...['initiated', 'ringing', 'in-progress', 'completed', 'failed', 'busy', 'no-answer', 'cancelled'],
  ...['ended', 'invoked', 'test'],
];
const MAX_URL = 8192;

const PLACE = ['page', 'per_page', 'pagination', 'cursor'] as const;

export class ListDeliveriesDto extends PickType(ListCallsDto, PLACE) {
  @ApiPropertyOptional({ type: 'string', format: 'uuid', description: 'Deliveries of this call.' })
  @Given()
  @IsOptional()
  @IsUuidText()
  call_id?: string;

  @ApiPropertyOptional({ type: 'string', enum: WEBHOOK_TYPES, description: 'Deliveries of this kind.' })
  @Given()
  @IsOptional()
  @IsIn(WEBHOOK_TYPES, { message: must.beOneOf })
  type?: WebhookType;

  @ApiPropertyOptional({ type: 'string', enum: EVENTS, description: 'Deliveries that tell of this.' })
  @Given()
  @IsOptional()
  @IsIn(EVENTS, { message: must.beOneOf })
  event?: string;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: MAX_URL,
    description:
      'Deliveries to this URL; queries are left out of the comparison. Together with `call_id`, or a `state` other than `delivered`.',
  })
  @Given()
  @IsOptional()
  @NotContains('\0', { message: 'The url field must not contain null characters.' })
  @MaxLength(MAX_URL, { message: must.beShort(MAX_URL) })
  @IsString({ message: must.beText })
  url?: string;

  @ApiPropertyOptional({ type: 'string', enum: DELIVERY_STATES, description: 'Deliveries in this state.' })
  @Given()
  @IsOptional()
  @IsIn(DELIVERY_STATES, { message: must.beOneOf })
  state?: DeliveryState;

  @ApiPropertyOptional({
    type: 'string',
    description: 'What happened at this time or later: ISO 8601, a date (UTC) or a time with `Z` or an offset.',
  })
  @Given()
  @IsOptional()
  @IsDateOrTime({ message: must.beDate })
  date_from?: string;

  @ApiPropertyOptional({
    type: 'string',
    description: 'What happened at this time or earlier; a date covers its whole day (UTC).',
  })
  @Given()
  @IsOptional()
  @IsDateOrTime({ message: must.beDate })
  date_to?: string;
}

/** Throws InvalidFields for what would have to look through everything. */
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
  from: dto.date_from ? momentOf(dto.date_from, 'start') : undefined,
  to: dto.date_to ? momentOf(dto.date_to, 'end') : undefined,
});

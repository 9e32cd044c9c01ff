import { CALL_DIRECTIONS, type CallDirection, type CallFilter, type CallStatus } from '@app/calls';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { parseDateOrTime } from '../http/is-date-or-time.js';
import {
  FromTimeFilter,
  EmptyToUndefined,
  IntegerFromText,
  EnumFilter,
  TextFilter,
  ToTimeFilter,
} from '../http/list-filters.js';
import { must } from '../http/validation-messages.js';
import { IsRecordId } from '../http/validators.js';
import { IsCallCursor } from './call-validators.js';

/** Both spellings are accepted; the call object has the one with the underscore. */
const STATUS_FILTERS = [
  'pending',
  'ringing',
  'in-progress',
  'in_progress',
  'completed',
  'failed',
  'busy',
  'no-answer',
  'no_answer',
  'cancelled',
  'canceled',
] as const;
type StatusFilter = (typeof STATUS_FILTERS)[number];

const MAX_PER_PAGE = 100;
const MAX_PAGE = 10_000_000;
const MAX_SEARCH = 255;

export class ListCallsDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'Calls of this agent.' })
  @IntegerFromText()
  @IsOptional()
  @IsRecordId()
  agent_id?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'Calls from this phone number.' })
  @IntegerFromText()
  @IsOptional()
  @IsRecordId()
  number_id?: number;

  @EnumFilter(
    STATUS_FILTERS,
    'Calls in this state; `in-progress`, `no-answer` and `cancelled` may be spelt either way.',
  )
  status?: StatusFilter;

  @EnumFilter(CALL_DIRECTIONS, 'Calls in this direction.')
  direction?: CallDirection;

  @FromTimeFilter('Calls created')
  date_from?: string;

  @ToTimeFilter('Calls created')
  date_to?: string;

  @TextFilter(
    'search',
    MAX_SEARCH,
    'A whole call id, a whole number (`+` and at least 11 digits, matched exactly), or any part of a number or SIP URI, on either side of the call.',
  )
  search?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PER_PAGE,
    default: 15,
    description: 'Records per page.',
  })
  @IntegerFromText()
  @IsOptional()
  @Min(1, { message: must.beBetween(1, MAX_PER_PAGE) })
  @Max(MAX_PER_PAGE, { message: must.beBetween(1, MAX_PER_PAGE) })
  @IsInt({ message: must.beInteger })
  per_page?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    default: 1,
    description: 'Number of the page.',
  })
  @IntegerFromText()
  @IsOptional()
  @Min(1, { message: must.beAtLeast(1) })
  @Max(MAX_PAGE, { message: must.beBetween(1, MAX_PAGE) })
  @IsInt({ message: must.beInteger })
  page?: number;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['page', 'cursor'],
    default: 'page',
    description:
      '`cursor` begins a list that is followed by `links.next`: equally fast at any depth, stable while calls are added, without totals.',
  })
  @EmptyToUndefined()
  @IsOptional()
  @IsIn(['page', 'cursor'], { message: must.beOneOf })
  pagination?: 'page' | 'cursor';

  @ApiPropertyOptional({
    type: 'string',
    description:
      'Where a list by cursor goes on: `meta.next_cursor` or `meta.prev_cursor` of the answer before. `page` is ignored.',
  })
  @EmptyToUndefined()
  @IsOptional()
  @IsCallCursor()
  cursor?: string;
}

/** The stored spelling of each filter value. */
const STATUS: Record<StatusFilter, CallStatus> = {
  pending: 'pending',
  ringing: 'ringing',
  'in-progress': 'in_progress',
  in_progress: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  busy: 'busy',
  'no-answer': 'no_answer',
  no_answer: 'no_answer',
  cancelled: 'cancelled',
  canceled: 'cancelled',
};

export const toCallFilter = (dto: ListCallsDto): CallFilter => ({
  agentId: dto.agent_id,
  numberId: dto.number_id,
  status: dto.status && STATUS[dto.status],
  direction: dto.direction,
  from: dto.date_from === undefined ? undefined : parseDateOrTime(dto.date_from, 'start'),
  to: dto.date_to === undefined ? undefined : parseDateOrTime(dto.date_to, 'end'),
  search: dto.search,
});

import {
  CALL_CHANNELS,
  CALL_DIRECTIONS,
  type CallChannel,
  type CallDirection,
  type CallFilter,
  type CallStatus,
} from '@app/calls';
import { InvalidFields, withCode } from '@app/common';
import { ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsRecordId, parseDateOrTime } from '../../http/validation/field-validators.js';
import {
  EnumFilter,
  FromTimeFilter,
  IntegerFromText,
  TextFilter,
  ToTimeFilter,
} from '../../http/validation/list-filters.js';
import { ListQueryDto } from '../../http/responses/pagination.js';

/** Both spellings are accepted; call objects have the one with the underscore. */
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

const MAX_SEARCH = 255;

class CallFiltersDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'Calls of the agent with this ID.' })
  @IntegerFromText()
  @IsOptional()
  @IsRecordId()
  agent_id?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description: 'Calls with this version of the agent. Requires `agent_id`.',
  })
  @IntegerFromText()
  @IsOptional()
  @IsRecordId()
  agent_version?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'Calls of the phone number with this ID.' })
  @IntegerFromText()
  @IsOptional()
  @IsRecordId()
  number_id?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'Calls of the campaign with this ID.' })
  @IntegerFromText()
  @IsOptional()
  @IsRecordId()
  campaign_id?: number;

  @EnumFilter(
    STATUS_FILTERS,
    'Calls with this status. `in-progress`, `no-answer` and `cancelled` are accepted in both spellings.',
  )
  status?: StatusFilter;

  @EnumFilter(CALL_DIRECTIONS, 'Calls in this direction.')
  direction?: CallDirection;

  @EnumFilter([...CALL_CHANNELS, 'any'], 'Calls over the phone, from web pages, or both. Default: `phone`.')
  channel?: CallChannel | 'any';

  @EnumFilter(['true', 'false'], 'Whether the calls wait for the time of their schedule.')
  scheduled?: 'true' | 'false';

  @EnumFilter(
    ['true', 'false'],
    'Whether the list includes test calls, those with `metadata.test_run`. Default: `true`.',
  )
  include_tests?: 'true' | 'false';

  @FromTimeFilter('Calls created')
  date_from?: string;

  @ToTimeFilter('Calls created')
  date_to?: string;

  @TextFilter(
    'search',
    MAX_SEARCH,
    'A complete call ID, a complete phone number (`+` and at least 11 digits, matched exactly), or part of a phone number or SIP URI of either party.',
  )
  search?: string;

  @TextFilter(
    'transcript',
    MAX_SEARCH,
    'Ended calls whose transcript contains all of these words, in any order. `"two words"` is a phrase, `-word` must not occur, and `refund*` also finds `refunds`. Case and accents make no difference. The calls have `transcript_matches`.',
  )
  transcript?: string;
}

export class ListCallsDto extends IntersectionType(CallFiltersDto, ListQueryDto) {}

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

/** @throws InvalidFields */
export function toCallFilter(dto: ListCallsDto, transcript?: string): CallFilter {
  if (dto.agent_version !== undefined && dto.agent_id === undefined)
    throw new InvalidFields({
      agent_version: [withCode('not_allowed', 'The agent version field requires the agent id field.')],
    });
  return {
    agentId: dto.agent_id,
    agentVersion: dto.agent_version,
    numberId: dto.number_id,
    campaignId: dto.campaign_id,
    status: dto.status && STATUS[dto.status],
    direction: dto.direction,
    channel: dto.channel === 'any' ? undefined : (dto.channel ?? 'phone'),
    scheduled: dto.scheduled === undefined ? undefined : dto.scheduled === 'true',
    withTests: dto.include_tests !== 'false',
    from: dto.date_from === undefined ? undefined : parseDateOrTime(dto.date_from, 'start'),
    to: dto.date_to === undefined ? undefined : parseDateOrTime(dto.date_to, 'end'),
    search: dto.search,
    transcript,
  };
}

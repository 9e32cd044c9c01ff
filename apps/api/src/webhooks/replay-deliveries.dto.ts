import { readCursor, type ListCursor } from '@app/database';
import type { ReplayRange } from '@app/webhooks';
import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { IsCallCursor } from '../calls/call-validators.js';
import { IsDateOrTime } from '../http/is-date-or-time.js';
import { must } from '../http/validation-messages.js';
import { filterOf, ListDeliveriesDto } from './list-deliveries.dto.js';

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
      'Deliveries in this state. Without it undelivered ones: `slow`, `dead` and `refused`. Only `delivered` repeats received webhooks.',
    example: 'dead',
  })
  @IsOptional()
  @IsIn(STATES, { message: must.beOneOf })
  state?: (typeof STATES)[number] | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description: 'Continues a replay: `next_cursor` of the previous answer, with the same other fields.',
  })
  @IsOptional()
  @IsCallCursor()
  cursor?: string | null;
}

/** The default end is now: events during the replay are not part of it. */
export function rangeOf(dto: ReplayDeliveriesDto): { range: ReplayRange; cursor?: ListCursor } {
  const { from = new Date(0), to = new Date(), ...filter } = filterOf(dto);
  return { range: { ...filter, from, to }, cursor: dto.cursor ? readCursor(dto.cursor) : undefined };
}

class RangeReplayDto {
  @ApiProperty({ type: 'integer', description: 'How many webhooks are sent again.', example: 12 })
  replayed: number;

  @ApiProperty({
    type: 'integer',
    description: 'How many were skipped because their endpoint is disabled.',
    example: 0,
  })
  skipped: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'One request replays at most 10,000: pass this as `cursor` to continue. Null: the range is complete.',
    example: null,
  })
  next_cursor: string | null;
}

export class RangeReplayedDto {
  @ApiProperty({ type: 'string', description: 'What was done.', example: '12 webhooks will be sent again.' })
  message: string;

  @ApiProperty({ type: RangeReplayDto, description: 'The counts.' })
  data: RangeReplayDto;
}

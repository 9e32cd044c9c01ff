import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { must } from '../http/validation-messages.js';
import { IntegerFromText } from '../http/list-filters.js';

export const MAX_EVENTS = 100;
const MAX_SEQ = 2_147_483_647;

export class CallEventsQueryDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_SEQ,
    description: 'Only what came after the event with this number; `Last-Event-ID` counts more.',
    example: 0,
  })
  @IntegerFromText()
  @IsOptional()
  @Min(0, { message: must.beBetween(0, MAX_SEQ) })
  @Max(MAX_SEQ, { message: must.beBetween(0, MAX_SEQ) })
  @IsInt({ message: must.beInteger })
  after?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_EVENTS,
    default: MAX_EVENTS,
    description: 'Events looked at for one page of JSON; a stream has no pages.',
  })
  @IntegerFromText()
  @IsOptional()
  @Min(1, { message: must.beBetween(1, MAX_EVENTS) })
  @Max(MAX_EVENTS, { message: must.beBetween(1, MAX_EVENTS) })
  @IsInt({ message: must.beInteger })
  per_page?: number;
}

class CallEventsMetaDto {
  @ApiProperty({ type: 'integer', description: 'Events that were looked at, at most.', example: 100 })
  per_page: number;

  @ApiProperty({ type: 'integer', description: 'Give it as `after` to read on.', example: 7 })
  next_after: number;

  @ApiProperty({
    type: 'boolean',
    description: 'The call is over and nothing comes any more. Until then ask again, after a second or so.',
    example: false,
  })
  complete: boolean;
}

export class CallEventPageDto {
  @ApiProperty({
    type: 'array',
    items: { $ref: '#/components/schemas/CallEvent' },
    description: 'Events in their order.',
  })
  data: object[];

  @ApiProperty({ type: CallEventsMetaDto, description: 'Where to read on.' })
  meta: CallEventsMetaDto;
}

import { ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';
import { ListCallsDto } from '../calls/list-calls.dto.js';
import { FromTimeFilter, EmptyToUndefined, ToTimeFilter } from '../http/list-filters.js';
import { must } from '../http/validation-messages.js';

const ACTION = /^[a-z_]{1,64}\.[a-z_]{1,64}$/;
/** A kind, or a kind and an id. */
const NAMED = /^[a-z_]{1,64}(?::[\w.@-]{1,128})?$/;

export class ListAuditEventsDto extends PickType(ListCallsDto, ['page', 'per_page'] as const) {
  @ApiPropertyOptional({ type: 'string', description: 'What was done, such as `tool.created` or `token.revoked`.' })
  @EmptyToUndefined()
  @IsOptional()
  @Matches(ACTION, { message: 'The action field must be like tool.created.' })
  @IsString({ message: must.beText })
  action?: string;

  @ApiPropertyOptional({
    type: 'string',
    description: 'Who did it: `token`, `cli` or `system`, or one of them with its id, such as `token:12`.',
  })
  @EmptyToUndefined()
  @IsOptional()
  @Matches(NAMED, { message: 'The actor field must be like token or token:12.' })
  @IsString({ message: must.beText })
  actor?: string;

  @ApiPropertyOptional({
    type: 'string',
    description: 'What it was done to: a kind such as `tool`, or one of the kind with its id, such as `tool:7`.',
  })
  @EmptyToUndefined()
  @IsOptional()
  @Matches(NAMED, { message: 'The subject field must be like tool or tool:7.' })
  @IsString({ message: must.beText })
  subject?: string;

  @FromTimeFilter('Events')
  date_from?: string;

  @ToTimeFilter('Events')
  date_to?: string;
}

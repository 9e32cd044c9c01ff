import { ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsString, MaxLength, NotContains } from 'class-validator';
import { ListCallsDto } from '../calls/list-calls.dto.js';
import { must } from '../http/must.js';

const STATES = ['active', 'inactive'] as const;
const MAX_SEARCH = 255;

/** `status=` without a value is the same as no `status`. */
const Given = () => Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value));

export class ListToolsDto extends PickType(ListCallsDto, ['page', 'per_page'] as const) {
  @ApiPropertyOptional({ type: 'string', enum: STATES, description: 'Those that the agent may use, or may not.' })
  @Given()
  @IsOptional()
  @IsIn(STATES, { message: must.beOneOf })
  status?: (typeof STATES)[number];

  @ApiPropertyOptional({
    type: 'string',
    maxLength: MAX_SEARCH,
    description: 'Those with this in their name, in either case.',
  })
  @Given()
  @IsOptional()
  @NotContains('\0', { message: 'The search field must not contain null characters.' })
  @MaxLength(MAX_SEARCH, { message: must.beShort(MAX_SEARCH) })
  @IsString({ message: must.beText })
  search?: string;
}

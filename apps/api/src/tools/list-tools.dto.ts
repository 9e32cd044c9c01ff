import { PickType } from '@nestjs/swagger';
import { ListCallsDto } from '../calls/list-calls.dto.js';
import { EnumFilter, TextFilter } from '../http/list-filters.js';

const STATES = ['active', 'inactive'] as const;
const MAX_SEARCH = 255;

export class ListToolsDto extends PickType(ListCallsDto, ['page', 'per_page'] as const) {
  @EnumFilter(STATES, 'Those that the agent may use, or may not.')
  status?: (typeof STATES)[number];

  @TextFilter('search', MAX_SEARCH, 'Those with this in their name, in either case.')
  search?: string;
}

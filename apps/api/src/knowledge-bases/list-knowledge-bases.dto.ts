import { KNOWLEDGE_STATUSES, type KnowledgeStatus, SOURCE_TYPES, type SourceType, TITLE_LENGTH } from '@app/knowledge';
import { PickType } from '@nestjs/swagger';
import { ListCallsDto } from '../calls/list-calls.dto.js';
import { EnumFilter, TextFilter } from '../http/list-filters.js';

export class ListKnowledgeBasesDto extends PickType(ListCallsDto, ['page', 'per_page'] as const) {
  @EnumFilter(KNOWLEDGE_STATUSES, 'Those in this state.')
  status?: KnowledgeStatus;

  @EnumFilter(SOURCE_TYPES, 'Those made from this.')
  source_type?: SourceType;

  @TextFilter('search', TITLE_LENGTH, 'Those with this in their title, in either case.')
  search?: string;
}

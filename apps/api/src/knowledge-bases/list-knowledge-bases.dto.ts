import { KNOWLEDGE_STATUSES, type KnowledgeStatus, SOURCE_TYPES, type SourceType, TITLE_LENGTH } from '@app/knowledge';
import { ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsString, MaxLength, NotContains } from 'class-validator';
import { ListCallsDto } from '../calls/list-calls.dto.js';
import { must } from '../http/must.js';

/** `status=` without a value is the same as no `status`. */
const Given = () => Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value));

export class ListKnowledgeBasesDto extends PickType(ListCallsDto, ['page', 'per_page'] as const) {
  @ApiPropertyOptional({ type: 'string', enum: KNOWLEDGE_STATUSES, description: 'Those in this state.' })
  @Given()
  @IsOptional()
  @IsIn(KNOWLEDGE_STATUSES, { message: must.beOneOf })
  status?: KnowledgeStatus;

  @ApiPropertyOptional({ type: 'string', enum: SOURCE_TYPES, description: 'Those made from this.' })
  @Given()
  @IsOptional()
  @IsIn(SOURCE_TYPES, { message: must.beOneOf })
  source_type?: SourceType;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: TITLE_LENGTH,
    description: 'Those with this in their title, in either case.',
  })
  @Given()
  @IsOptional()
  @NotContains('\0', { message: 'The search field must not contain null characters.' })
  @MaxLength(TITLE_LENGTH, { message: must.beShort(TITLE_LENGTH) })
  @IsString({ message: must.beText })
  search?: string;
}

import { type KnowledgePassageView } from '@app/knowledge';
import { ApiProperty } from '@nestjs/swagger';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';
import { RowRangeDto } from './search.dto.js';

/** A passage as it is stored: what searches find, and the agent receives. */
class KnowledgePassageDto implements KnowledgePassageView {
  @ApiProperty({
    type: 'string',
    description: 'ID of the passage; valid until its knowledge base changes.',
    example: '4711',
  })
  chunk_id: string;

  @ApiProperty({
    type: 'string',
    description: 'Text of the passage. Rows of tables begin with the names of their columns.',
    example: 'Goods can be returned within 30 days.',
  })
  text: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Page number, from 1. Null for sources without pages.',
    example: null,
  })
  page: number | null;

  @ApiProperty({
    type: [String],
    description: 'Headings above the passage, outermost first.',
    example: ['Terms', 'Returns'],
  })
  heading_path: string[];

  @ApiProperty({ type: RowRangeDto, nullable: true, description: 'Table rows. Null for other text.' })
  rows: { first: number; last: number } | null;

  @ApiProperty({
    type: 'integer',
    description:
      'Start offset in the extracted text (for plain text and Markdown, in the source), in UTF-16 code units.',
    example: 0,
  })
  start: number;

  @ApiProperty({ type: 'integer', description: 'End offset, exclusive.', example: 37 })
  end: number;

  @ApiProperty({
    type: 'boolean',
    description: 'Whether the passage has a vector, so that it is found by meaning. Words find it in any case.',
    example: true,
  })
  has_vector: boolean;
}

export class KnowledgePassageListDto {
  @ApiProperty({ type: [KnowledgePassageDto], description: 'The passages in reading order.' })
  data: KnowledgePassageDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

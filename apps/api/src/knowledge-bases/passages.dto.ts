import { type KnowledgePassageView } from '@app/knowledge';
import { ApiProperty } from '@nestjs/swagger';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';
import { PassagePlaceDto } from './search.dto.js';

/** A passage as it is stored: what searches find, and the agent receives. */
class KnowledgePassageDto extends PassagePlaceDto implements KnowledgePassageView {
  @ApiProperty({
    type: 'string',
    description: 'Text of the passage. Rows of tables begin with the names of their columns.',
    example: 'Goods can be returned within 30 days.',
  })
  text: string;

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

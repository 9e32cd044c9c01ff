import {
  KNOWLEDGE_STATUSES,
  type KnowledgeBaseView,
  LISTED_CONTENT_LENGTH,
  SOURCE_TYPES,
  STAGES,
} from '@app/knowledge';
import { ApiProperty } from '@nestjs/swagger';
import { ListLinksDto, PageMetaDto } from '../calls/call.dto.js';

const time = (description: string) =>
  ({ type: 'string', format: 'date-time', description, example: '2026-01-02T03:04:05.678+00:00' }) as const;
const text = (description: string, example: string | null = null) =>
  ({ type: 'string', nullable: true, description, example }) as const;
const count = (description: string, example: number) => ({ type: 'integer', description, example }) as const;

class KnowledgeBaseDto implements KnowledgeBaseView {
  @ApiProperty(count('Identifier, unique within the service.', 1))
  id: number;

  @ApiProperty(count('The agent that uses it.', 1))
  agent_id: number;

  @ApiProperty({ type: 'string', maxLength: 255, description: 'What people call it.', example: 'Returns' })
  title: string;

  @ApiProperty({ type: 'string', enum: SOURCE_TYPES, description: 'Where its content comes from.', example: 'text' })
  source_type: KnowledgeBaseView['source_type'];

  @ApiProperty({
    type: 'string',
    enum: KNOWLEDGE_STATUSES,
    description:
      'A text is `completed` at once. Files and addresses are `pending`, then `processing`, then `completed` or `failed`. When one is processed again, its old passages are found until the new ones are there.',
    example: 'completed',
  })
  status: KnowledgeBaseView['status'];

  @ApiProperty({ type: 'boolean', description: 'Whether agents may use it.', example: true })
  is_active: boolean;

  @ApiProperty(
    text(
      `The text of a \`text\`. In lists null when it has more than ${LISTED_CONTENT_LENGTH.toLocaleString('en-US')} characters: read the one.`,
      'Goods can be returned within 30 days.',
    ),
  )
  content: string | null;

  @ApiProperty(text('The address of a `url`.'))
  source_reference: string | null;

  @ApiProperty(text('The name of the file; null for other sources.'))
  file_name: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Its bytes.', example: null })
  file_size: number | null;

  @ApiProperty(text('Its extension, in lower case.'))
  file_type: string | null;

  @ApiProperty(count('Words of the content; 0 until it has been read.', 7))
  word_count: number;

  @ApiProperty(count('Characters of the content; 0 until it has been read.', 37))
  character_count: number;

  @ApiProperty(count('Passages that searches can find.', 1))
  chunk_count: number;

  @ApiProperty(text('Why it failed and what to do, as `CODE: sentence and remedy`; null when there is no error.'))
  processing_error: string | null;

  @ApiProperty(text('The code alone, such as `FILE_ENCRYPTED` or `HTTP_404`.'))
  error_code: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...STAGES, null],
    nullable: true,
    description:
      'What is being done with it while it is `processing`; `reindex` while it is `completed`: its vectors are made anew.',
    example: null,
  })
  stage: KnowledgeBaseView['stage'];

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100, description: 'How far that is.', example: 100 })
  progress: number;

  @ApiProperty(count('Tries so far; what may get better is tried again.', 0))
  attempt: number;

  @ApiProperty(time('When it was made.'))
  created_at: string;

  @ApiProperty(time('When it last changed.'))
  updated_at: string;
}

export class FoundKnowledgeBaseDto {
  @ApiProperty({ type: KnowledgeBaseDto, description: 'The knowledge base.' })
  data: KnowledgeBaseDto;
}

export class KnowledgeBaseWithMessageDto extends FoundKnowledgeBaseDto {
  @ApiProperty({ type: 'string', description: 'What was done.', example: 'Knowledge base created successfully.' })
  message: string;
}

export class KnowledgeBaseDeletedDto {
  @ApiProperty({ type: 'string', description: 'What was done.', example: 'Knowledge base deleted successfully.' })
  message: string;
}

export class KnowledgeBaseListDto {
  @ApiProperty({ type: [KnowledgeBaseDto], description: 'The knowledge bases of this page, newest first.' })
  data: KnowledgeBaseDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Neighbouring pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Where this page lies in the list.' })
  meta: PageMetaDto;
}

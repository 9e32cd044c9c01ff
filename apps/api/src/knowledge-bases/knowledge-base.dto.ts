import {
  KNOWLEDGE_STATUSES,
  type KnowledgeBaseView,
  LISTED_CONTENT_LENGTH,
  SOURCE_TYPES,
  STAGES,
  TEXT_QUALITIES,
} from '@app/knowledge';
import { ApiProperty } from '@nestjs/swagger';
import { time } from '../http/responses/api-time.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';
import { CrawlDto, PageCountsDto, RefreshResultDto } from './url-source.dto.js';

const text = (description: string, example: string | null = null) =>
  ({ type: 'string', nullable: true, description, example }) as const;
const count = (description: string, example: number) => ({ type: 'integer', description, example }) as const;

class VectorCountsDto {
  @ApiProperty(count('Number of passages that have a vector.', 1))
  done: number;

  @ApiProperty(
    count(
      'Number of passages that should have a vector. Table rows after the first 10,000 passages are not counted, nor are passages that the model was given and does not accept, such as those in a language that it does not know.',
      1,
    ),
  )
  of: number;
}

class KnowledgeBaseDto implements KnowledgeBaseView {
  @ApiProperty(count('Unique identifier.', 1))
  id: number;

  @ApiProperty(count('ID of the agent that owns the knowledge base.', 1))
  agent_id: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    description: 'IDs of all agents that search the knowledge base, including its owner, in ascending order.',
    example: [1, 2, 3],
  })
  agent_ids: number[];

  @ApiProperty({ type: 'string', maxLength: 255, description: 'Title of the knowledge base.', example: 'Returns' })
  title: string;

  @ApiProperty({ type: 'string', enum: SOURCE_TYPES, description: 'Source of the content.', example: 'text' })
  source_type: KnowledgeBaseView['source_type'];

  @ApiProperty({
    type: 'string',
    enum: KNOWLEDGE_STATUSES,
    description:
      'Processing status. Texts are `completed` immediately. Files and URLs are `pending`, then `processing`, then `completed` or `failed`. During reprocessing, searches return the old passages until the new ones are ready.',
    example: 'completed',
  })
  status: KnowledgeBaseView['status'];

  @ApiProperty({ type: 'boolean', description: 'Whether the agent can use the knowledge base.', example: true })
  is_active: boolean;

  @ApiProperty(
    text(
      `Text of the source type \`text\`. Lists return null for more than ${LISTED_CONTENT_LENGTH.toLocaleString('en-US')} characters; retrieve the knowledge base instead.`,
      'Goods can be returned within 30 days.',
    ),
  )
  content: string | null;

  @ApiProperty(text('URL of the source type `url`.'))
  source_reference: string | null;

  @ApiProperty(text('File name. Null for other sources.'))
  file_name: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'File size in bytes. Null for other sources.',
    example: null,
  })
  file_size: number | null;

  @ApiProperty(text('File extension in lower case. Null for other sources.'))
  file_type: string | null;

  @ApiProperty(count('Number of words; 0 until the content is processed.', 7))
  word_count: number;

  @ApiProperty(count('Number of characters; 0 until the content is processed.', 37))
  character_count: number;

  @ApiProperty(
    text('Detected language, ISO 639 (`en`, `de`). Null if unknown: not processed yet, or not enough prose.', 'en'),
  )
  language: string | null;

  @ApiProperty(count('Number of searchable passages.', 1))
  chunk_count: number;

  @ApiProperty({
    type: VectorCountsDto,
    nullable: true,
    description:
      'Vectors for semantic search. They follow after the passages are found by their words, and are complete when `done` equals `of`. Null without an embedder.',
  })
  vectors: VectorCountsDto | null;

  @ApiProperty(text('Error and remedy, as `CODE: text`. Null without an error.'))
  processing_error: string | null;

  @ApiProperty(text('Error code, such as `FILE_ENCRYPTED` or `HTTP_404`. Null without an error.'))
  error_code: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...TEXT_QUALITIES, null],
    nullable: true,
    description:
      'Quality of the extracted text: `suspect` if it looks garbled, for example because a font of a PDF has no character map. Null until the content is processed.',
    example: 'good',
  })
  quality: KnowledgeBaseView['quality'];

  @ApiProperty(text('Reason and remedy of the quality `suspect`, as `CODE: text`. Null otherwise.'))
  quality_reason: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...STAGES, null],
    nullable: true,
    description:
      'Current step while the status is `processing`. `reindex` while the status is `completed`: its vectors are being recomputed for another model.',
    example: null,
  })
  stage: KnowledgeBaseView['stage'];

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'Progress of the current step in percent.',
    example: 100,
  })
  progress: number;

  @ApiProperty(count('Number of attempts. Temporary errors are retried.', 0))
  attempt: number;

  @ApiProperty({
    type: CrawlDto,
    nullable: true,
    description: 'Settings of the crawl. Null for other sources.',
    example: null,
  })
  crawl: KnowledgeBaseView['crawl'];

  @ApiProperty({
    type: PageCountsDto,
    nullable: true,
    description: 'Number of pages of the crawl, by state. Null for other sources.',
    example: null,
  })
  pages: KnowledgeBaseView['pages'];

  @ApiProperty(text('Schedule of refreshes: `daily`, `weekly` or a cron expression (UTC). Null without one.'))
  refresh_schedule: string | null;

  @ApiProperty(
    text(
      '`held` while a complete refresh is not served, because retrieval tests would fail; `release` or `discard` it. Otherwise the schedule.',
    ),
  )
  refresh: string | null;

  @ApiProperty(text('The retrieval tests that hold the refresh back. Null unless `refresh` is `held`.'))
  held_reason: string | null;

  @ApiProperty({ ...time('Time of the next refresh. Null without a schedule.'), nullable: true, example: null })
  next_refresh_at: string | null;

  @ApiProperty({
    type: RefreshResultDto,
    nullable: true,
    description: 'Result of the last refresh or reprocessing of a URL. Null before it.',
    example: null,
  })
  last_refresh: KnowledgeBaseView['last_refresh'];

  @ApiProperty(time('Time of creation.'))
  created_at: string;

  @ApiProperty(time('Time of the last change.'))
  updated_at: string;
}

export class FoundKnowledgeBaseDto {
  @ApiProperty({ type: KnowledgeBaseDto, description: 'The knowledge base.' })
  data: KnowledgeBaseDto;
}

export class KnowledgeBaseWithMessageDto extends FoundKnowledgeBaseDto {
  @ApiProperty({
    type: 'string',
    description: 'Result of the request.',
    example: 'Knowledge base created successfully.',
  })
  message: string;
}

export class KnowledgeBaseDeletedDto {
  @ApiProperty({
    type: 'string',
    description: 'Result of the request.',
    example: 'Knowledge base deleted successfully.',
  })
  message: string;
}

export class KnowledgeBaseListDto {
  @ApiProperty({ type: [KnowledgeBaseDto], description: 'The knowledge bases on this page, newest first.' })
  data: KnowledgeBaseDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

import { InvalidFields } from '@app/common';
import { type IdempotencyKey, idempotencyKey } from '@app/database';
import {
  CONTENT_LENGTH,
  crawlSettings,
  type CreateKnowledgeBaseCommand,
  KNOWLEDGE_STATUSES,
  type KnowledgeBaseView,
  type KnowledgeStatus,
  LISTED_CONTENT_LENGTH,
  SOURCE_TYPES,
  type SourceType,
  STAGES,
  TITLE_LENGTH,
} from '@app/knowledge';
import { ApiHideProperty, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, IsString, MaxLength, MinLength, NotContains, ValidateBy } from 'class-validator';
import { IsOptionalOrBlank, must, Trimmed } from '../http/field-validators.js';
import { EnumFilter, TextFilter } from '../http/list-filters.js';
import { ListLinksDto, PageMetaDto, PageQueryDto } from '../http/pagination.js';
import { addressProblem, contentProblem, fileProblem, IsCrawl, IsRefresh, IsSourceField } from './source-validation.js';
import type { UploadedFile } from './staged-file.js';
import { CrawlDto, PageCountsDto, RefreshResultDto } from './url-source.dto.js';

export class ListKnowledgeBasesDto extends PageQueryDto {
  @EnumFilter(KNOWLEDGE_STATUSES, 'Knowledge bases with this status.')
  status?: KnowledgeStatus;

  @EnumFilter(SOURCE_TYPES, 'Knowledge bases with this source type.')
  source_type?: SourceType;

  @TextFilter('search', TITLE_LENGTH, 'Knowledge bases whose title contains this text (case-insensitive).')
  search?: string;
}

export class CreateKnowledgeBaseDto {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: TITLE_LENGTH,
    description: 'Title of the knowledge base.',
    example: 'Returns',
  })
  @Trimmed()
  @NotContains('\0', { message: 'The title field must not contain null characters.' })
  @MaxLength(TITLE_LENGTH, { message: must.beShort(TITLE_LENGTH) })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  title: string;

  @ApiProperty({ type: 'string', enum: SOURCE_TYPES, description: 'Source of the content.', example: 'text' })
  @IsIn(SOURCE_TYPES, { message: must.beOneOf })
  source_type: SourceType;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: CONTENT_LENGTH,
    nullable: true,
    description: 'Plain text or Markdown; required for the source type `text`. Upload longer texts as a file.',
    example: 'Goods can be returned within 30 days.',
  })
  @IsSourceField('text', contentProblem)
  content?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 2048,
    nullable: true,
    description:
      'HTTP or HTTPS URL of a web page or a PDF, DOCX, CSV, Markdown or text file; required for the source type `url`.',
    example: null,
  })
  @Trimmed()
  @IsSourceField('url', addressProblem)
  source_reference?: string | null;

  @ApiPropertyOptional({
    type: CrawlDto,
    nullable: true,
    description:
      'Only for the source type `url`: reads the pages of the site instead of the single page. The URL is the start, or a sitemap.',
  })
  @IsCrawl()
  crawl?: CrawlDto | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 100,
    nullable: true,
    description:
      'Only for the source type `url`: fetches the source again `daily`, `weekly` or by a cron expression with five fields (UTC), at most once an hour.',
    example: 'daily',
  })
  @IsRefresh()
  refresh?: string | null;

  /** Set by UploadInterceptor. */
  @ApiHideProperty()
  @IsSourceField('file', fileProblem)
  file?: UploadedFile;
}

export function toCreateKnowledgeBaseCommand(body: CreateKnowledgeBaseDto): CreateKnowledgeBaseCommand {
  const { title, source_type: sourceType, content, source_reference: url, file, crawl, refresh } = body;
  if (sourceType === 'text') return { sourceType, title, content: content ?? '' };
  if (sourceType === 'url') {
    const source = { sourceType, title, url: url ?? '' };
    return { ...source, ...(crawl && { crawl: crawlSettings(crawl) }), ...(refresh && { refresh }) };
  }
  // IsSourceField has validated it.
  if (file?.type === undefined) throw new InvalidFields({ file: ['The file field is required.'] });
  return { sourceType, title, file: { path: file.path, name: file.name, type: file.type, bytes: file.bytes } };
}

/** The key covers the agent and the body, for a file its name and content. */
export function idempotencyKeyOf(
  header: string | undefined,
  agentId: number,
  body: unknown,
): IdempotencyKey | undefined {
  const { file, ...fields } = (body ?? {}) as { file?: UploadedFile };
  const sent = file instanceof Object && 'sha256' in file ? { name: file.name, sha256: file.sha256 } : file;
  return idempotencyKey(header, { knowledge_base_of: agentId, ...fields, file: sent });
}

/** The changes of an update; an absent field and, except for `crawl` and `refresh`, null keep the value. */
export const toKnowledgeChanges = (body: UpdateKnowledgeBaseDto) => ({
  title: body.title ?? undefined,
  content: body.content ?? undefined,
  isActive: body.is_active ?? undefined,
  crawl: body.crawl ? crawlSettings(body.crawl) : body.crawl,
  refresh: body.refresh,
});

const sentenceOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() === '' ? 'The content field is required.' : contentProblem(value);

const IsContent = (): PropertyDecorator =>
  ValidateBy({
    name: 'isContent',
    validator: {
      validate: (value: unknown) => sentenceOf(value) === undefined,
      defaultMessage: (args) => sentenceOf(args?.value) ?? '',
    },
  });

/** Absent fields stay unchanged; null means the same, except for `crawl` and `refresh`. */
export class UpdateKnowledgeBaseDto {
  @ApiPropertyOptional({
    type: 'string',
    minLength: 1,
    maxLength: TITLE_LENGTH,
    nullable: true,
    description: 'New title.',
    example: 'Returns and refunds',
  })
  @Trimmed()
  @IsOptional()
  @NotContains('\0', { message: 'The title field must not contain null characters.' })
  @MaxLength(TITLE_LENGTH, { message: must.beShort(TITLE_LENGTH) })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  title?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: CONTENT_LENGTH,
    nullable: true,
    description:
      'New text; only for the source type `text`. Searches return the new text after the response, the old text before.',
    example: 'Goods can be returned within 60 days.',
  })
  @IsOptional()
  @IsContent()
  content?: string | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    description: 'Whether the agent can use the knowledge base.',
    example: true,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  is_active?: boolean | null;

  @ApiPropertyOptional({
    type: CrawlDto,
    nullable: true,
    description:
      'New settings of the crawl; only for the source type `url`. Other settings begin a new crawl. Null: the URL is a single page.',
  })
  @IsCrawl()
  crawl?: CrawlDto | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 100,
    nullable: true,
    description: 'New schedule; only for the source type `url`. Null: no refresh.',
    example: 'weekly',
  })
  @IsRefresh()
  refresh?: string | null;
}

const time = (description: string) =>
  ({ type: 'string', format: 'date-time', description, example: '2026-01-02T03:04:05.678+00:00' }) as const;
const text = (description: string, example: string | null = null) =>
  ({ type: 'string', nullable: true, description, example }) as const;
const count = (description: string, example: number) => ({ type: 'integer', description, example }) as const;

class KnowledgeBaseDto implements KnowledgeBaseView {
  @ApiProperty(count('Unique identifier.', 1))
  id: number;

  @ApiProperty(count('ID of the agent that uses the knowledge base.', 1))
  agent_id: number;

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

  @ApiProperty(count('Number of searchable passages.', 1))
  chunk_count: number;

  @ApiProperty(text('Error and remedy, as `CODE: text`. Null without an error.'))
  processing_error: string | null;

  @ApiProperty(text('Error code, such as `FILE_ENCRYPTED` or `HTTP_404`. Null without an error.'))
  error_code: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...STAGES, null],
    nullable: true,
    description:
      'Current step while the status is `processing`. `reindex` while the status is `completed`: its vectors are being recomputed.',
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

  @ApiProperty(text('The schedule of refreshes. Null without one.'))
  refresh: string | null;

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

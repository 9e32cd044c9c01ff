import { InvalidFields, withCode } from '@app/common';
import { type IdempotencyKey, idempotencyKey } from '@app/database';
import {
  CONTENT_LENGTH,
  crawlSettings,
  type CreateKnowledgeBaseCommand,
  KNOWLEDGE_STATUSES,
  type KnowledgeStatus,
  SELECTED_AT_MOST,
  SOURCE_TYPES,
  type SourceType,
  TITLE_LENGTH,
} from '@app/knowledge';
import { ApiHideProperty, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, IsString, MaxLength, MinLength, NotContains, ValidateBy } from 'class-validator';
import { IsOptionalOrBlank, IsRecordIdList, must, Trimmed } from '../http/validation/field-validators.js';
import { EnumFilter, TextFilter } from '../http/validation/list-filters.js';
import { PageQueryDto } from '../http/responses/pagination.js';
import { AGENTS, IDS } from './request-examples.js';
import { addressProblem, contentProblem, fileProblem, IsCrawl, IsRefresh, IsSourceField } from './source-validation.js';
import type { UploadedFile } from '../http/uploads/staged-file.js';
import { CrawlDto } from './url-source.dto.js';

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

  @ApiPropertyOptional({ ...IDS, nullable: true, description: AGENTS })
  @IsOptionalOrBlank()
  @IsRecordIdList(SELECTED_AT_MOST)
  agent_ids?: number[] | null;

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
  const { source_type: sourceType, content, source_reference: url, file, crawl, refresh } = body;
  const common = { title: body.title, agentIds: body.agent_ids ?? [] };
  if (sourceType === 'text') return { ...common, sourceType, content: content ?? '' };
  if (sourceType === 'url') {
    const source = { ...common, sourceType, url: url ?? '' };
    return { ...source, ...(crawl && { crawl: crawlSettings(crawl) }), ...(refresh && { refresh }) };
  }
  // IsSourceField has validated it.
  if (file?.type === undefined) throw new InvalidFields({ file: [withCode('missing', 'The file field is required.')] });
  return { ...common, sourceType, file: { path: file.path, name: file.name, type: file.type, bytes: file.bytes } };
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
  agentIds: body.agent_ids ?? undefined,
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
    ...IDS,
    nullable: true,
    description: `${AGENTS} Replaces the previous ones; an empty array ends the sharing.`,
  })
  @IsOptionalOrBlank()
  @IsRecordIdList(SELECTED_AT_MOST)
  agent_ids?: number[] | null;

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

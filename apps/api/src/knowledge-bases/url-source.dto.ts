import { CRAWL_LIMITS, type CrawlSettings, type KnowledgePageView, PAGE_STATES, type PageState } from '@app/knowledge';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EnumFilter } from '../http/validation/list-filters.js';
import { ListLinksDto, PageMetaDto, PageQueryDto } from '../http/responses/pagination.js';

const patterns = (description: string, example: string[]) => ({
  type: 'array' as const,
  maxItems: CRAWL_LIMITS.patterns,
  items: { type: 'string' as const, maxLength: CRAWL_LIMITS.patternLength },
  description,
  example,
});

/** Validated by crawlProblems. */
export class CrawlDto implements CrawlSettings {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: CRAWL_LIMITS.pages.most,
    default: CRAWL_LIMITS.pages.usual,
    description: 'Maximum number of pages that are read.',
    example: 50,
  })
  max_pages?: number;

  @ApiPropertyOptional(
    patterns(
      'Only pages whose path matches one of these patterns are read. `*` matches within a segment of the path, `**` across segments; a pattern without `*` matches the page and everything below it. A pattern that begins with `https://` is compared with the whole URL.',
      ['/help/**'],
    ),
  )
  include?: string[];

  @ApiPropertyOptional(patterns('Pages whose path matches one of these patterns are not read.', ['/help/archive']))
  exclude?: string[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: CRAWL_LIMITS.depth.most,
    description: `Maximum number of links between the start and a page; by default ${CRAWL_LIMITS.depth.usual}, and 0 for the pages of a sitemap.`,
    example: 3,
  })
  max_depth?: number;
}

const count = (description: string, example: number) => ({ type: 'integer', description, example }) as const;
const text = (description: string, example: string | null = null) =>
  ({ type: 'string', nullable: true, description, example }) as const;

export class PageCountsDto {
  @ApiProperty(count('Number of known pages.', 12))
  total: number;

  @ApiProperty(count('Pages that were read, including unchanged ones.', 10))
  completed: number;

  @ApiProperty(count('Pages that could not be read.', 1))
  failed: number;

  @ApiProperty(count('Pages that are still to be read.', 0))
  pending: number;

  @ApiProperty(count('Pages that are not part of the crawl, such as duplicates.', 1))
  skipped: number;
}

export class RefreshResultDto {
  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'End of the refresh.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  at: string;

  @ApiProperty(count('New pages.', 1))
  added: number;

  @ApiProperty(count('Pages with new content.', 2))
  changed: number;

  @ApiProperty(count('Pages with the same content; they keep their passages and vectors.', 9))
  unchanged: number;

  @ApiProperty(count('Pages that no longer exist.', 0))
  removed: number;

  @ApiProperty(
    count('Pages that could not be read. Their previous passages are kept unless the page no longer exists.', 0),
  )
  failed: number;
}

export class ListPagesDto extends PageQueryDto {
  @EnumFilter(PAGE_STATES, 'Pages with this state.')
  state?: PageState;
}

class KnowledgePageDto implements KnowledgePageView {
  @ApiProperty(count('Unique identifier.', 1))
  id: number;

  @ApiProperty({ type: 'string', description: 'URL of the page.', example: 'https://example.com/help/returns' })
  url: string;

  @ApiProperty(count('Number of links between the start and the page.', 1))
  depth: number;

  @ApiProperty({
    type: 'string',
    enum: PAGE_STATES,
    description:
      '`pending`: not read yet. `completed`: read. `unchanged`: the same as in the previous crawl. `failed`: could not be read. `skipped`: not part of the crawl, see `error_code`.',
    example: 'completed',
  })
  state: PageState;

  @ApiProperty(text('Title of the page.', 'Returns'))
  title: string | null;

  @ApiProperty(
    text(
      'Why the page failed or was skipped: an error code of documents, such as `HTTP_404`, or `DUPLICATE_PAGE`, `OTHER_SITE`, `EXCLUDED`, `PAGE_NOINDEX`, `PAGE_LIMIT`.',
    ),
  )
  error_code: string | null;

  @ApiProperty(text('The same as a sentence.'))
  error: string | null;

  @ApiProperty(count('Number of passages.', 3))
  chunk_count: number;

  @ApiProperty(count('Number of characters.', 2_400))
  character_count: number;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time of the last request. Null before it.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  fetched_at: string | null;
}

export class KnowledgePageListDto {
  @ApiProperty({ type: [KnowledgePageDto], description: 'The pages, those near the start first.' })
  data: KnowledgePageDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

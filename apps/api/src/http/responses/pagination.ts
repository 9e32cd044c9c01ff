import { readCursor } from '@app/database';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, Max, Min, ValidateBy } from 'class-validator';
import type { Request } from 'express';
import { publicBase } from '../../auth/session-cookie.js';
import { must } from '../validation/field-validators.js';
import { EmptyToUndefined, IntegerFromText } from '../validation/list-filters.js';

const DEFAULT_PER_PAGE = 15;
const MAX_PER_PAGE = 100;
const MAX_PAGE = 10_000_000;

export const IsCursor = (): PropertyDecorator =>
  ValidateBy({
    name: 'isCursor',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && readCursor(value) !== undefined,
      defaultMessage: () => 'The cursor field must be a cursor of an earlier response.',
    },
  });

/** The query parameters of a list by page. */
export class PageQueryDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PER_PAGE,
    default: DEFAULT_PER_PAGE,
    description: 'Number of records per page.',
  })
  @IntegerFromText()
  @IsOptional()
  @Min(1, { message: must.beBetween(1, MAX_PER_PAGE) })
  @Max(MAX_PER_PAGE, { message: must.beBetween(1, MAX_PER_PAGE) })
  @IsInt({ message: must.beInteger })
  per_page?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    default: 1,
    description: 'Page number.',
  })
  @IntegerFromText()
  @IsOptional()
  @Min(1, { message: must.beAtLeast(1) })
  @Max(MAX_PAGE, { message: must.beBetween(1, MAX_PAGE) })
  @IsInt({ message: must.beInteger })
  page?: number;
}

/** The query parameters of a list by page or by cursor. */
export class ListQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    type: 'string',
    enum: ['page', 'cursor'],
    default: 'page',
    description:
      '`cursor` starts a list that continues at `links.next`. Cursor lists are equally fast at any depth, stable while records are added, and have no totals.',
  })
  @EmptyToUndefined()
  @IsOptional()
  @IsIn(['page', 'cursor'], { message: must.beOneOf })
  pagination?: 'page' | 'cursor';

  @ApiPropertyOptional({
    type: 'string',
    description:
      'Position in a cursor list: `meta.next_cursor` or `meta.prev_cursor` of the previous response. `page` is ignored.',
  })
  @EmptyToUndefined()
  @IsOptional()
  @IsCursor()
  cursor?: string;
}

const link = (description: string) =>
  ({ type: 'string', format: 'uri', nullable: true, description, example: null }) as const;

export class ListLinksDto {
  @ApiProperty(link('URL of the first page. Null in a cursor list.'))
  first: string | null;

  @ApiProperty(link('URL of the last page. Null in a cursor list.'))
  last: string | null;

  @ApiProperty(link('URL of the previous page. Null on the first page.'))
  prev: string | null;

  @ApiProperty(link('URL of the next page. Null on the last page.'))
  next: string | null;
}

/** `meta` of lists without cursors. */
export class PageMetaDto {
  @ApiProperty({ type: 'integer', description: 'Number of the current page.', example: 1 })
  current_page: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of the first record on this page. Null if the page is empty.',
    example: 1,
  })
  from: number | null;

  @ApiProperty({ type: 'integer', description: 'Number of the last page.', example: 1 })
  last_page: number;

  @ApiProperty({ type: 'string', description: 'URL of the list.', example: 'http://localhost:3000/api/v1/agents' })
  path: string;

  @ApiProperty({ type: 'integer', description: 'Number of records per page.', example: 15 })
  per_page: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of the last record on this page. Null if the page is empty.',
    example: 1,
  })
  to: number | null;

  @ApiProperty({ type: 'integer', description: 'Total number of records.', example: 1 })
  total: number;
}

/** `meta` of lists with cursors: a cursor list has `path`, `per_page` and the two cursors, a page list the other fields. */
export class ListMetaDto {
  @ApiPropertyOptional({ type: 'integer', description: 'Number of the current page.', example: 1 })
  current_page?: number;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    description: 'Number of the first record on this page. Null if the page is empty.',
    example: 1,
  })
  from?: number | null;

  @ApiPropertyOptional({ type: 'integer', description: 'Number of the last page.', example: 1 })
  last_page?: number;

  @ApiProperty({ type: 'string', description: 'URL of the list.', example: 'http://localhost:3000/api/v1/calls' })
  path: string;

  @ApiProperty({ type: 'integer', description: 'Number of records per page.', example: 15 })
  per_page: number;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    description: 'Number of the last record on this page. Null if the page is empty.',
    example: 1,
  })
  to?: number | null;

  @ApiPropertyOptional({ type: 'integer', description: 'Total number of records; exact up to 10,000.', example: 1 })
  total?: number;

  @ApiPropertyOptional({
    type: 'boolean',
    description: 'Present and true if `total` and `last_page` are estimates.',
    example: true,
  })
  total_is_estimate?: boolean;

  @ApiPropertyOptional({ type: 'string', nullable: true, description: 'Value of `cursor` for the next page.' })
  next_cursor?: string | null;

  @ApiPropertyOptional({ type: 'string', nullable: true, description: 'Value of `cursor` for the previous page.' })
  prev_cursor?: string | null;
}

interface PageFacts {
  page: number;
  perPage: number;
  /** Number of records on this page. */
  shown: number;
  total: number;
  isEstimate: boolean;
}

interface CursorFacts {
  perPage: number;
  next: string | null;
  prev: string | null;
}

/** The URL of a list request, for links to other pages of the list. */
export class ListUrl {
  readonly path: string;
  private readonly query: URLSearchParams;

  /** `base`: PUBLIC_URL; without it, links use the host of the request. */
  constructor(request: Request, base: string | undefined) {
    const [path = '', ...query] = request.originalUrl.split('?');
    this.path = `${publicBase(request, { PUBLIC_URL: base })}${path}`;
    // Further question marks are part of the query (RFC 3986 §3.4).
    this.query = new URLSearchParams(query.join('?'));
  }

  with(name: 'page' | 'cursor', value: string | number): string {
    const query = new URLSearchParams(this.query);
    query.set(name, String(value));
    return `${this.path}?${query.toString()}`;
  }
}

export interface PagePlace {
  page: number;
  perPage: number;
}

/** The place of a requested page in its list. */
export const placeOf = ({ page = 1, per_page: perPage = DEFAULT_PER_PAGE }: PageQueryDto): PagePlace => ({
  page,
  perPage,
});

/** One page of a list with its links. */
export const pageOf = <T>(
  address: ListUrl,
  data: T[],
  { page, perPage, total, isEstimate = false }: PagePlace & { total: number; isEstimate?: boolean },
) => ({ data, ...pageEnvelope(address, { page, perPage, shown: data.length, total, isEstimate }) });

export interface SlicePlace {
  cursor: ReturnType<typeof readCursor>;
  perPage: number;
}

interface ListReads<Row> {
  slice: (place: SlicePlace) => Promise<{ rows: Row[] } & Omit<CursorFacts, 'perPage'>>;
  page: (place: PagePlace) => Promise<{ rows: Row[]; total: { count: number; isEstimate: boolean } }>;
}

/** A list by page or, if the query asks for it, by cursor. */
export async function listOf<Row, View>(
  address: ListUrl,
  query: ListQueryDto,
  reads: ListReads<Row>,
  view: (row: Row) => View,
) {
  const place = placeOf(query);
  const { perPage } = place;
  if (query.cursor !== undefined || query.pagination === 'cursor') {
    const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor);
    const { rows, next, prev } = await reads.slice({ cursor, perPage });
    return { data: rows.map(view), ...cursorEnvelope(address, { perPage, next, prev }) };
  }
  const { rows, total } = await reads.page(place);
  return pageOf(address, rows.map(view), { ...place, total: total.count, isEstimate: total.isEstimate });
}

/** The `links` and `meta` of Laravel's LengthAwarePaginator. */
function pageEnvelope(address: ListUrl, { page, perPage, shown, total, isEstimate }: PageFacts) {
  const last = Math.max(1, Math.ceil(total / perPage));
  const from = shown === 0 ? null : (page - 1) * perPage + 1;
  const hasNext = isEstimate ? shown === perPage : page < last;
  return {
    links: {
      first: address.with('page', 1),
      last: address.with('page', last),
      prev: page > 1 ? address.with('page', page - 1) : null,
      next: hasNext ? address.with('page', page + 1) : null,
    },
    meta: {
      current_page: page,
      from,
      last_page: last,
      path: address.path,
      per_page: perPage,
      to: from === null ? null : from + shown - 1,
      total,
      ...(isEstimate && { total_is_estimate: true }),
    },
  };
}

/** The `links` and `meta` of Laravel's CursorPaginator. */
const cursorEnvelope = (address: ListUrl, { perPage, next, prev }: CursorFacts) => ({
  links: {
    first: null,
    last: null,
    prev: prev === null ? null : address.with('cursor', prev),
    next: next === null ? null : address.with('cursor', next),
  },
  meta: { path: address.path, per_page: perPage, next_cursor: next, prev_cursor: prev },
});

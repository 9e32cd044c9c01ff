import { type FoundChunk, QUERY_LENGTH } from '@app/knowledge';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsString, Max, MaxLength, Min, MinLength, NotContains } from 'class-validator';
import { IsOptionalOrBlank, must, Trimmed } from '../http/field-validators.js';

const MAX_LIMIT = 20;
export const LIMIT = 5;

export class SearchDto {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: QUERY_LENGTH,
    description: 'Question or keywords in any language.',
    example: 'How long do I have to return something?',
  })
  @Trimmed()
  @NotContains('\0', { message: 'The query field must not contain null characters.' })
  @MaxLength(QUERY_LENGTH, { message: must.beShort(QUERY_LENGTH) })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  query: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: LIMIT,
    nullable: true,
    description: 'Maximum number of passages.',
    example: LIMIT,
  })
  @IsOptionalOrBlank()
  @Min(1, { message: must.beBetween(1, MAX_LIMIT) })
  @Max(MAX_LIMIT, { message: must.beBetween(1, MAX_LIMIT) })
  @IsInt({ message: must.beInteger })
  limit?: number | null;
}

class RowRangeDto {
  @ApiProperty({ type: 'integer', description: 'First row; row 1 follows the header.', example: 12 })
  first: number;

  @ApiProperty({ type: 'integer', description: 'Last row, inclusive.', example: 20 })
  last: number;
}

/** A passage with its source, for citations. */
class PassageDto {
  @ApiProperty({ type: 'integer', description: 'ID of the knowledge base.', example: 1 })
  knowledge_base_id: number;

  @ApiProperty({ type: 'string', description: 'Title of the knowledge base.', example: 'Returns' })
  title: string;

  @ApiProperty({ type: 'string', description: 'Source type: `text`, `file` or `url`.', example: 'text' })
  source_type: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'File name or URL. Null for text.', example: null })
  source: string | null;

  @ApiProperty({
    type: 'string',
    description: 'Text of the passage.',
    example: 'Goods can be returned within 30 days.',
  })
  text: string;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'Relevance, comparable within one response.',
    example: 0.92,
  })
  score: number;

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
  rows: RowRangeDto | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'The table row that was found. `text` contains it with its neighbours and the column names. Null for other text.',
    example: null,
  })
  matched_row: string | null;

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
    type: 'string',
    description: 'ID of the passage; valid until its knowledge base changes.',
    example: '4711',
  })
  chunk_id: string;
}

export class FoundPassagesDto {
  @ApiProperty({ type: [PassageDto], description: 'Passages, best first.' })
  data: PassageDto[];
}

export const passageOf = (chunk: FoundChunk): PassageDto => ({
  knowledge_base_id: chunk.knowledgeBaseId,
  title: chunk.title,
  source_type: chunk.sourceType,
  source: chunk.source,
  text: chunk.text,
  score: chunk.score,
  page: chunk.page,
  heading_path: chunk.headingPath,
  rows: chunk.rows,
  matched_row: chunk.matchedRow,
  start: chunk.start,
  end: chunk.end,
  chunk_id: chunk.chunkId,
});

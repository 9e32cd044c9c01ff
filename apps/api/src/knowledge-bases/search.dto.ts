import { type FoundChunk, QUERY_LENGTH } from '@app/knowledge';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsString, Max, MaxLength, Min, MinLength, NotContains } from 'class-validator';
import { IsOptionalOrBlank, Trimmed } from '../http/transforms.js';
import { must } from '../http/validation-messages.js';

const MAX_LIMIT = 20;
export const LIMIT = 5;

export class SearchDto {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: QUERY_LENGTH,
    description: 'A question or some words, in any language.',
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
    description: 'Passages at most.',
    example: LIMIT,
  })
  @IsOptionalOrBlank()
  @Min(1, { message: must.beBetween(1, MAX_LIMIT) })
  @Max(MAX_LIMIT, { message: must.beBetween(1, MAX_LIMIT) })
  @IsInt({ message: must.beInteger })
  limit?: number | null;
}

class RowRangeDto {
  @ApiProperty({ type: 'integer', description: 'From 1, the row after the header.', example: 12 })
  first: number;

  @ApiProperty({ type: 'integer', description: 'Included.', example: 20 })
  last: number;
}

/** A passage, with what a citation of it needs. */
class PassageDto {
  @ApiProperty({ type: 'integer', description: 'The knowledge base it is from.', example: 1 })
  knowledge_base_id: number;

  @ApiProperty({ type: 'string', description: 'Title of the knowledge base.', example: 'Returns' })
  title: string;

  @ApiProperty({ type: 'string', description: '`text`, `file` or `url`.', example: 'text' })
  source_type: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'File name or address; null for text.', example: null })
  source: string | null;

  @ApiProperty({ type: 'string', description: 'The passage.', example: 'Goods can be returned within 30 days.' })
  text: string;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'How well it fits; comparable within one answer.',
    example: 0.92,
  })
  score: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Of a document with pages, from 1.', example: null })
  page: number | null;

  @ApiProperty({ type: [String], description: 'The headings above it, highest first.', example: ['Terms', 'Returns'] })
  heading_path: string[];

  @ApiProperty({ type: RowRangeDto, nullable: true, description: 'Rows of a table, or null.' })
  rows: RowRangeDto | null;

  @ApiProperty({
    type: 'integer',
    description: 'Where it begins in the extracted text, in UTF-16 units (in the source of plain text and Markdown).',
    example: 0,
  })
  start: number;

  @ApiProperty({ type: 'integer', description: 'After its last character.', example: 37 })
  end: number;

  @ApiProperty({ type: 'string', description: 'Of this passage, until its knowledge base changes.', example: '4711' })
  chunk_id: string;
}

export class FoundPassagesDto {
  @ApiProperty({ type: [PassageDto], description: 'Best first.' })
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
  start: chunk.start,
  end: chunk.end,
  chunk_id: chunk.chunkId,
});

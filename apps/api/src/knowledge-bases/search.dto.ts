import { type CodedProblem, type FieldErrors, InvalidFields, withCode } from '@app/common';
import {
  type EmbedderCheck,
  type FoundChunk,
  type Matched,
  MATCHES,
  QUERIES_PER_SEARCH,
  QUERY_LENGTH,
  SELECTED_AT_MOST,
} from '@app/knowledge';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsString, Max, MaxLength, Min, MinLength, NotContains, ValidateIf } from 'class-validator';
import {
  codeOfText,
  IsOptionalOrBlank,
  IsRecordIdList,
  must,
  Trimmed,
  ValidateParts,
} from '../http/validation/field-validators.js';

const MAX_LIMIT = 20;
export const LIMIT = 5;

const trim = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);

function queriesProblems(value: unknown, property: string): FieldErrors {
  if (!Array.isArray(value)) return { [property]: [withCode('wrong_type', 'The queries field must be an array.')] };
  if (value.length === 0 || value.length > QUERIES_PER_SEARCH)
    return {
      [property]: [
        withCode(
          value.length === 0 ? 'too_few' : 'too_many',
          `The queries field must have between 1 and ${QUERIES_PER_SEARCH} items.`,
        ),
      ],
    };
  const problems = value.map((query, at) => [`${property}.${at}`, queryProblem(query, `${property}.${at}`)] as const);
  return Object.fromEntries(problems.flatMap(([path, problem]) => (problem ? [[path, [problem]]] : [])));
}

function queryProblem(query: unknown, field: string): CodedProblem | undefined {
  if (typeof query !== 'string' || query === '')
    return withCode(codeOfText(query), `The ${field} field must be a string that is not empty.`);
  return query.length > QUERY_LENGTH
    ? withCode('too_long', `The ${field} field must not be greater than ${QUERY_LENGTH} characters.`)
    : undefined;
}

export class SearchDto {
  @ApiPropertyOptional({
    type: 'string',
    minLength: 1,
    maxLength: QUERY_LENGTH,
    description: 'Question or keywords in any language. Required without `queries`.',
    example: 'How long do I have to return something?',
  })
  @ValidateIf(({ queries, query }: SearchDto) => queries === undefined || queries === null || query !== undefined)
  @Trimmed()
  @NotContains('\0', { message: 'The query field must not contain null characters.' })
  @MaxLength(QUERY_LENGTH, { message: must.beShort(QUERY_LENGTH) })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  query?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: QUERY_LENGTH },
    minItems: 1,
    maxItems: QUERIES_PER_SEARCH,
    nullable: true,
    description:
      'Wordings of the question, for example in the words of the user and in the language of the documents; three at most, including `query`. They are searched together: a passage that matches one of them well is found.',
    example: ['How long do I have to return something?', 'returns period'],
  })
  @ValidateParts('queries', queriesProblems)
  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.map(trim) : value))
  @IsOptionalOrBlank()
  queries?: string[] | null;

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

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', minimum: 1 },
    maxItems: SELECTED_AT_MOST,
    nullable: true,
    description:
      'IDs of the knowledge bases to search, own or shared ones of the agent, each active. Absent or null: all. An empty array returns no passages.',
    example: [1],
  })
  @IsOptionalOrBlank()
  @IsRecordIdList(SELECTED_AT_MOST)
  knowledge_base_ids?: number[] | null;
}

/** JSON bodies for Swagger UI. */
export const SEARCH_EXAMPLES = {
  query: { summary: 'One question', value: { query: 'How long do I have to return something?', limit: LIMIT } },
  queries: {
    summary: 'Several wordings of a question',
    value: { queries: ['Can I bring it back?', 'returns period'], limit: LIMIT },
  },
  selection: {
    summary: 'In some of the knowledge bases',
    value: { query: 'How long do I have to return something?', knowledge_base_ids: [1] },
  },
};

/** Throws InvalidFields if there are too many wordings. */
export function queriesOf({ query, queries }: SearchDto): string[] {
  const wordings = [...(query === undefined ? [] : [query]), ...(queries ?? [])];
  if (wordings.length > QUERIES_PER_SEARCH) throw new InvalidFields({ queries: [withCode('too_many', TOO_MANY)] });
  return wordings;
}

const TOO_MANY = `The queries field must not have more than ${QUERIES_PER_SEARCH - 1} items if there is a query.`;

class RowRangeDto {
  @ApiProperty({ type: 'integer', description: 'First row; row 1 follows the header.', example: 12 })
  first: number;

  @ApiProperty({ type: 'integer', description: 'Last row, inclusive.', example: 20 })
  last: number;
}

/** Where a passage is in its source. */
export class PassagePlaceDto {
  @ApiProperty({
    type: 'string',
    description: 'ID of the passage; valid until its knowledge base changes.',
    example: '4711',
  })
  chunk_id: string;

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
    type: 'integer',
    description:
      'Start offset in the extracted text (for plain text and Markdown, in the source), in UTF-16 code units.',
    example: 0,
  })
  start: number;

  @ApiProperty({ type: 'integer', description: 'End offset, exclusive.', example: 37 })
  end: number;
}

/** A passage with its source, for citations. */
class PassageDto extends PassagePlaceDto {
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
    type: 'string',
    enum: MATCHES,
    description:
      'What found the passage: `words` of the question other than function words, its `meaning` (the vector is near to that of the question), or `both`.',
    example: 'words',
  })
  matched: Matched;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'The table row that was found. `text` contains it with its neighbours and the column names. Null for other text.',
    example: null,
  })
  matched_row: string | null;
}

/** How searches of the agent with and without the embedder compare. */
class EmbedderCheckDto {
  @ApiProperty({ type: 'string', description: 'Model and dimensions.', example: 'text-embedding-3-small@1536' })
  model: string;

  @ApiProperty({ type: 'integer', description: "Questions, made from the agent's own passages.", example: 50 })
  questions: number;

  @ApiProperty({ type: 'integer', description: 'Passages found among the first three results.', example: 44 })
  found: number;

  @ApiProperty({ type: 'integer', description: 'Passages found by words alone.', example: 39 })
  found_by_words: number;

  @ApiProperty({
    type: 'string',
    enum: ['better', 'similar', 'worse'],
    description: 'With the embedder, compared to words alone: `better` and `worse` are significant differences.',
    example: 'similar',
  })
  outcome: string;

  @ApiProperty({ type: 'string', format: 'date-time', description: 'Time of the comparison.' })
  checked_at: string;
}

class SearchMetaDto {
  @ApiProperty({
    type: EmbedderCheckDto,
    nullable: true,
    description:
      'The last comparison of searches with and without the embedder. Null without an embedder, before the first comparison, and for an agent with retrieval tests, which measure it better.',
  })
  embedder: EmbedderCheckDto | null;
}

export class FoundPassagesDto {
  @ApiProperty({ type: [PassageDto], description: 'Passages, best first.' })
  data: PassageDto[];

  @ApiProperty({ type: SearchMetaDto, description: 'About the search.' })
  meta: SearchMetaDto;
}

export const embedderCheckOf = (check: EmbedderCheck): EmbedderCheckDto => ({
  model: check.model,
  questions: check.questions,
  found: check.found,
  found_by_words: check.foundByWords,
  outcome: check.outcome,
  checked_at: check.checkedAt.toISOString(),
});

export const passageOf = (chunk: FoundChunk): PassageDto => ({
  knowledge_base_id: chunk.knowledgeBaseId,
  title: chunk.title,
  source_type: chunk.sourceType,
  source: chunk.source,
  text: chunk.text,
  score: chunk.score,
  matched: chunk.matched,
  page: chunk.page,
  heading_path: chunk.headingPath,
  rows: chunk.rows,
  matched_row: chunk.matchedRow,
  start: chunk.start,
  end: chunk.end,
  chunk_id: chunk.chunkId,
});

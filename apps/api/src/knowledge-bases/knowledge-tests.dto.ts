import {
  DEFAULT_WITHIN,
  EXPECTED_SOURCE_LENGTH,
  EXPECTED_TEXT_LENGTH,
  type KnowledgeTestSettings,
  type KnowledgeTestView,
  MOST_WITHIN,
  QUERY_LENGTH,
  QUESTIONS_PER_TEST,
  TEST_RESULTS,
  type TestReport,
  type TestResultName,
  type TestRunReport,
} from '@app/knowledge';
import { type FieldErrors, InvalidFields } from '@app/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, IsString, Max, MaxLength, Min, NotContains } from 'class-validator';
import { IsOptionalOrBlank, IsRecordId, must, Trimmed, ValidateParts } from '../http/field-validators.js';
import { EnumFilter } from '../http/list-filters.js';
import { ListLinksDto, PageMetaDto, PageQueryDto } from '../http/pagination.js';

export class ListKnowledgeTestsDto extends PageQueryDto {
  @EnumFilter(TEST_RESULTS, 'Tests with this result.')
  result?: TestResultName;
}

/** Errors of a list of questions, by element. */
function questionProblems(value: unknown, property: string): FieldErrors {
  if (!Array.isArray(value) || value.length < 1 || value.length > QUESTIONS_PER_TEST)
    return { [property]: [`The questions field must be an array of 1 to ${QUESTIONS_PER_TEST} questions.`] };
  const problems = value.flatMap((question: unknown, index) => {
    const name = `${property}.${index}`;
    const problem = questionProblem(question);
    return problem === undefined ? [] : [[name, [`The ${name} field ${problem}.`]]];
  });
  return Object.fromEntries(problems) as FieldErrors;
}

function questionProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.trim() === '') return 'is required';
  if (value.length > QUERY_LENGTH) return `must not be greater than ${QUERY_LENGTH} characters`;
  return value.includes('\0') ? 'must not contain null characters' : undefined;
}

/** The fields of a test; all are optional in an update. */
export class UpdateKnowledgeTestDto {
  @ApiPropertyOptional({
    type: 'string',
    minLength: 1,
    maxLength: QUERY_LENGTH,
    nullable: true,
    description: 'A question as a caller would ask it.',
    example: 'How long do I have to return something?',
  })
  @Trimmed()
  @IsOptionalOrBlank()
  @NotContains('\0', { message: 'The question field must not contain null characters.' })
  @MaxLength(QUERY_LENGTH, { message: must.beShort(QUERY_LENGTH) })
  @IsString({ message: must.beText })
  question?: string | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: QUERY_LENGTH },
    minItems: 1,
    maxItems: QUESTIONS_PER_TEST,
    nullable: true,
    description: 'Wordings of one question instead of `question`. Each must find the answer by itself.',
    example: ['How long do I have to return something?', 'Can I bring back shoes after two weeks?'],
  })
  @IsOptional()
  @ValidateParts('isQuestions', questionProblems)
  questions?: string[] | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: EXPECTED_TEXT_LENGTH,
    nullable: true,
    description:
      'Text that the found passages must contain, regardless of case, white space and punctuation. The sentences of a longer text may be in different passages.',
    example: 'within 30 days',
  })
  @Trimmed()
  @IsOptionalOrBlank()
  @NotContains('\0', { message: 'The expected text field must not contain null characters.' })
  @MaxLength(EXPECTED_TEXT_LENGTH, { message: must.beShort(EXPECTED_TEXT_LENGTH) })
  @IsString({ message: must.beText })
  expected_text?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: EXPECTED_SOURCE_LENGTH,
    nullable: true,
    description: 'Title, file name or URL of the knowledge base or page that must be found.',
    example: null,
  })
  @Trimmed()
  @IsOptionalOrBlank()
  @NotContains('\0', { message: 'The expected source field must not contain null characters.' })
  @MaxLength(EXPECTED_SOURCE_LENGTH, { message: must.beShort(EXPECTED_SOURCE_LENGTH) })
  @IsString({ message: must.beText })
  expected_source?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'ID of the knowledge base that must be found.',
    example: 1,
  })
  @IsOptionalOrBlank()
  @IsRecordId()
  expected_knowledge_base_id?: number | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MOST_WITHIN,
    default: DEFAULT_WITHIN,
    nullable: true,
    description: 'The expected passage must be among so many first ones.',
    example: DEFAULT_WITHIN,
  })
  @IsOptionalOrBlank()
  @Min(1, { message: must.beBetween(1, MOST_WITHIN) })
  @Max(MOST_WITHIN, { message: must.beBetween(1, MOST_WITHIN) })
  @IsInt({ message: must.beInteger })
  within?: number | null;

  @ApiPropertyOptional({
    type: 'boolean',
    default: true,
    nullable: true,
    description: 'Whether the test runs and holds refreshes back.',
    example: true,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  is_active?: boolean | null;
}

export class CreateKnowledgeTestDto extends UpdateKnowledgeTestDto {}

export const CREATE_TEST_EXAMPLES = {
  text: {
    summary: 'The answer must be among the first three passages',
    value: { question: 'How long do I have to return something?', expected_text: 'within 30 days' },
  },
  source: {
    summary: 'Two wordings must find one knowledge base first',
    value: {
      questions: ['When are you open?', 'opening hours on Sunday'],
      expected_knowledge_base_id: 1,
      within: 1,
    },
  },
};

export const UPDATE_TEST_EXAMPLES = {
  text: { summary: 'Another expected text', value: { expected_text: 'within 60 days' } },
  source: { summary: 'Another knowledge base', value: { expected_text: null, expected_knowledge_base_id: 1 } },
};

/** Throws InvalidFields unless exactly one of both fields is given. */
export function toTestSettings(body: CreateKnowledgeTestDto): KnowledgeTestSettings {
  const questions = questionsOf(body);
  if (questions === undefined) throw new InvalidFields({ question: ['The question field is required.'] });
  return {
    questions,
    expectedText: body.expected_text ?? null,
    expectedSource: body.expected_source ?? null,
    expectedKnowledgeBaseId: body.expected_knowledge_base_id ?? null,
    within: body.within ?? DEFAULT_WITHIN,
    isActive: body.is_active ?? true,
  };
}

/** Null clears an expectation; other fields that are null or absent keep their value. */
export const toTestChanges = (body: UpdateKnowledgeTestDto): Partial<KnowledgeTestSettings> => ({
  questions: questionsOf(body),
  expectedText: body.expected_text,
  expectedSource: body.expected_source,
  expectedKnowledgeBaseId: body.expected_knowledge_base_id,
  within: body.within ?? undefined,
  isActive: body.is_active ?? undefined,
});

function questionsOf({ question, questions }: UpdateKnowledgeTestDto): string[] | undefined {
  if (question && questions)
    throw new InvalidFields({ questions: ['The questions field is prohibited when question is present.'] });
  return question ? [question] : questions?.map((one) => one.trim());
}

const text = (description: string, example: string | null = null) =>
  ({ type: 'string', nullable: true, description, example }) as const;
const time = (description: string) =>
  ({ type: 'string', format: 'date-time', description, example: '2026-01-02T03:04:05.678+00:00' }) as const;
const rank = {
  type: 'integer',
  nullable: true,
  description: 'Place of the expected passage, from 1. Null if the search did not return it.',
  example: 1,
} as const;

class HeldByTestDto {
  @ApiProperty({ type: 'integer', description: 'ID of the knowledge base.', example: 1 })
  knowledge_base_id: number;

  @ApiProperty({
    type: 'string',
    description: 'Why the test would fail if the refresh were served.',
    example: 'The expected text is not among the first 5 passages.',
  })
  reason: string;
}

class KnowledgeTestDto implements KnowledgeTestView {
  @ApiProperty({ type: 'integer', description: 'Unique identifier.', example: 1 })
  id: number;

  @ApiProperty({ type: 'integer', description: 'ID of the agent whose knowledge is tested.', example: 1 })
  agent_id: number;

  @ApiProperty({
    type: 'string',
    description: 'The first wording.',
    example: 'How long do I have to return something?',
  })
  question: string;

  @ApiProperty({
    type: [String],
    description: 'All wordings of the question.',
    example: ['How long do I have to return something?'],
  })
  questions: string[];

  @ApiProperty(text('Text that the passages must contain.', 'within 30 days'))
  expected_text: string | null;

  @ApiProperty(text('Title, file name or URL that must be found.'))
  expected_source: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Knowledge base that must be found.', example: null })
  expected_knowledge_base_id: number | null;

  @ApiProperty({ type: 'integer', description: 'Number of passages among which the answer must be.', example: 3 })
  within: number;

  @ApiProperty({ type: 'boolean', description: 'Whether the test runs and holds refreshes back.', example: true })
  is_active: boolean;

  @ApiProperty({
    type: 'string',
    enum: TEST_RESULTS,
    description: 'Last result; `pending` until the first run after the test was created or changed.',
    example: 'passed',
  })
  result: TestResultName;

  @ApiProperty({ ...rank, description: `${rank.description} Of several questions: the worst.` })
  rank: number | null;

  @ApiProperty(text('Why the test failed. Null unless the result is `failed`.'))
  reason: string | null;

  @ApiProperty({
    ...time('Time of the first of consecutive failures. Null unless failed.'),
    nullable: true,
    example: null,
  })
  failing_since: string | null;

  @ApiProperty({ ...time('Time of the last run. Null before the first run.'), nullable: true })
  checked_at: string | null;

  @ApiProperty({
    type: [HeldByTestDto],
    description: 'Refreshes of knowledge bases that are held back, because this test would fail.',
    example: [],
  })
  held_refreshes: HeldByTestDto[];

  @ApiProperty(time('Time of creation.'))
  created_at: string;

  @ApiProperty(time('Time of the last change.'))
  updated_at: string;
}

export class FoundKnowledgeTestDto {
  @ApiProperty({ type: KnowledgeTestDto, description: 'The test.' })
  data: KnowledgeTestDto;
}

const message = (example: string) => ({ type: 'string', description: 'Result of the request.', example }) as const;

export class KnowledgeTestWithMessageDto extends FoundKnowledgeTestDto {
  @ApiProperty(message('Knowledge test created successfully.'))
  message: string;
}

export class KnowledgeTestDeletedDto {
  @ApiProperty(message('Knowledge test deleted successfully.'))
  message: string;
}

export class KnowledgeTestListDto {
  @ApiProperty({ type: [KnowledgeTestDto], description: 'The tests on this page, newest first.' })
  data: KnowledgeTestDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

class TestSearchDto {
  @ApiProperty({ type: 'string', description: 'The question.', example: 'How long do I have to return something?' })
  question: string;

  @ApiProperty(rank)
  rank: number | null;

  @ApiProperty({ type: [String], description: 'IDs of the found passages, best first.', example: ['4711', '4712'] })
  chunk_ids: string[];
}

class TestResultDto {
  @ApiProperty({ type: 'integer', description: 'ID of the test.', example: 1 })
  id: number;

  @ApiProperty({ type: 'string', enum: ['passed', 'failed'], description: 'Result.', example: 'passed' })
  result: string;

  @ApiProperty({ ...rank, description: `${rank.description} Of several questions: the worst.` })
  rank: number | null;

  @ApiProperty(text('Why the test failed. Null if it passed.'))
  reason: string | null;

  @ApiProperty({ type: [TestSearchDto], description: 'The search of each question.' })
  searches: TestSearchDto[];
}

class TestRunMetaDto {
  @ApiProperty({ type: 'integer', description: 'Number of tests that passed.', example: 1 })
  passed: number;

  @ApiProperty({ type: 'integer', description: 'Number of tests that failed.', example: 0 })
  failed: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Number of tests that would pass without the embedder. If it is greater than `passed`, the embedder harms. Null without semantic search.',
    example: null,
  })
  passed_by_words: number | null;
}

export class TestRunDto {
  @ApiProperty({ type: [TestResultDto], description: 'The result of each active test, oldest first.' })
  data: TestResultDto[];

  @ApiProperty({ type: TestRunMetaDto, description: 'Summary of the run.' })
  meta: TestRunMetaDto;
}

export function testRunOf({ tests }: TestRunReport): TestRunDto {
  const passed = tests.filter((test) => test.passed).length;
  const compared = tests.filter(({ passedByWords }) => passedByWords !== undefined);
  const byWords = compared.filter(({ passedByWords }) => passedByWords).length;
  const passed_by_words = compared.length > 0 ? byWords : null;
  return { data: tests.map(testResultOf), meta: { passed, failed: tests.length - passed, passed_by_words } };
}

const testResultOf = ({ id, passed, rank: place, reason, searches }: TestReport): TestResultDto => ({
  id,
  result: passed ? 'passed' : 'failed',
  rank: place,
  reason,
  searches: searches.map((search) => ({ question: search.question, rank: search.rank, chunk_ids: search.chunkIds })),
});

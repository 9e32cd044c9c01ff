import {
  DEFAULT_WITHIN,
  EXPECTED_SOURCE_LENGTH,
  EXPECTED_TEXT_LENGTH,
  type KnowledgeTestSettings,
  MAX_WITHIN,
  QUERY_LENGTH,
  QUESTIONS_PER_TEST,
  TEST_RESULTS,
  type TestResultName,
} from '@app/knowledge';
import { type FieldErrors, InvalidFields, withCode } from '@app/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, IsString, Max, MaxLength, Min, NotContains } from 'class-validator';
import {
  codeOfText,
  isMissing,
  IsOptionalOrBlank,
  IsRecordId,
  must,
  Trimmed,
  ValidateParts,
} from '../http/validation/field-validators.js';
import { EnumFilter } from '../http/validation/list-filters.js';
import { PageQueryDto } from '../http/responses/pagination.js';

export class ListKnowledgeTestsDto extends PageQueryDto {
  @EnumFilter(TEST_RESULTS, 'Tests with this result.')
  result?: TestResultName;
}

/** Errors of a list of questions, by element. */
function questionProblems(value: unknown, property: string): FieldErrors {
  const sentence = `The questions field must be an array of 1 to ${QUESTIONS_PER_TEST} questions.`;
  if (!Array.isArray(value)) return { [property]: [withCode(isMissing(value) ? 'missing' : 'wrong_type', sentence)] };
  if (value.length < 1 || value.length > QUESTIONS_PER_TEST)
    return { [property]: [withCode(value.length < 1 ? 'too_few' : 'too_many', sentence)] };
  const problems = value.flatMap((question: unknown, index) => {
    const name = `${property}.${index}`;
    const problem = questionProblem(question);
    return problem === undefined ? [] : [[name, [withCode(codeOfText(question), `The ${name} field ${problem}.`)]]];
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
    maximum: MAX_WITHIN,
    default: DEFAULT_WITHIN,
    nullable: true,
    description: 'The expected passage must be among so many first ones.',
    example: DEFAULT_WITHIN,
  })
  @IsOptionalOrBlank()
  @Min(1, { message: must.beBetween(1, MAX_WITHIN) })
  @Max(MAX_WITHIN, { message: must.beBetween(1, MAX_WITHIN) })
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
  if (questions === undefined)
    throw new InvalidFields({ question: [withCode('missing', 'The question field is required.')] });
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
    throw new InvalidFields({
      questions: [withCode('not_allowed', 'The questions field is prohibited when question is present.')],
    });
  return question ? [question] : questions?.map((one) => one.trim());
}

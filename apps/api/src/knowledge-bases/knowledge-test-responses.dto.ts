import {
  type KnowledgeTestView,
  type Matched,
  MATCHES,
  TEST_RESULTS,
  type TestReport,
  type TestResultName,
  type TestRunReport,
} from '@app/knowledge';
import { ApiProperty } from '@nestjs/swagger';
import { time } from '../http/responses/api-time.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';

const text = (description: string, example: string | null = null) =>
  ({ type: 'string', nullable: true, description, example }) as const;
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

class TestPassageDto {
  @ApiProperty({ type: 'string', description: 'ID of the passage.', example: '4711' })
  chunk_id: string;

  @ApiProperty({
    type: 'string',
    enum: MATCHES,
    description:
      'What found the passage: `words` of the question other than function words, its `meaning` (the vector is near to that of the question), or `both`.',
    example: 'words',
  })
  matched: Matched;
}

class TestSearchDto {
  @ApiProperty({ type: 'string', description: 'The question.', example: 'How long do I have to return something?' })
  question: string;

  @ApiProperty(rank)
  rank: number | null;

  @ApiProperty({ type: [String], description: 'IDs of the found passages, best first.', example: ['4711', '4712'] })
  chunk_ids: string[];

  @ApiProperty({ type: [TestPassageDto], description: 'What found each of these passages, best first.' })
  passages: TestPassageDto[];
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
  searches: searches.map(({ question, rank: placeInSearch, passages }) => ({
    question,
    rank: placeInSearch,
    chunk_ids: passages.map(({ chunkId }) => chunkId),
    passages: passages.map(({ chunkId, matched }) => ({ chunk_id: chunkId, matched })),
  })),
});

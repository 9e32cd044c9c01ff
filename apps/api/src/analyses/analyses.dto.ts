import {
  ANALYSIS_SOURCES,
  ANALYSIS_STATUSES,
  type AnalysedField,
  analysisBatch,
  type AnalysisView,
  type BatchView,
  EVIDENCE_TYPES,
  type RubricAnswer,
  VALUE_STATUSES,
} from '@app/call-analysis';
import { RUBRIC_TYPES } from '@app/agents';
import { ApiProperty } from '@nestjs/swagger';
import { SchemaDto } from '../http/validation/schema-dto.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';
import { AgentAnalysisDto, AgentAnalysisInputDto } from '../agents/agent-analysis.dto.js';
import { CostLineDto } from '../calls/call-results.dto.js';

type Place = AnalysedField['evidence'][number];

class EvidenceDto implements Place {
  @ApiProperty({
    type: 'string',
    enum: EVIDENCE_TYPES,
    description:
      'Kind of place: a turn, pressed keys, a tool call, a variable or metadata of the call, or a fact of the call.',
    example: 'turn',
  })
  type: Place['type'];

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Position of the turn in the transcript, from 1. Null for other places.',
    example: 4,
  })
  turn: number | null;

  @ApiProperty({
    type: 'string',
    description: 'Speaker of the turn, or name of the tool, variable or fact.',
    example: 'callee',
  })
  source: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Start in milliseconds since the answer. Null for variables and facts.',
    example: 12_340,
  })
  started_ms: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'End in milliseconds since the answer. Null for variables and facts.',
    example: 15_020,
  })
  ended_ms: number | null;

  @ApiProperty({ type: 'string', description: 'Words of that place.', example: 'my order is forty seven eleven' })
  quote: string;
}

const STATUS = {
  type: 'string' as const,
  enum: VALUE_STATUSES,
  description:
    '`supported`: the evidence is in the call. `unsupported`: the model gave a value, but its evidence is not in the call, so the value is null. `absent`: no value was found.',
  example: 'supported' as const,
};
const VALUE = {
  oneOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'array', items: {} },
    { type: 'object', additionalProperties: true },
  ],
  nullable: true,
  description: 'The value, of any JSON type; null unless supported.',
  example: '4711',
};

class AnalysedFieldDto implements AnalysedField {
  @ApiProperty({ type: 'string', description: 'Path in `values`.', example: 'order_number' })
  path: string;

  @ApiProperty(VALUE)
  value: unknown;

  @ApiProperty(STATUS)
  status: AnalysedField['status'];

  @ApiProperty({ type: [EvidenceDto], description: 'Places in the call that prove the value.' })
  evidence: EvidenceDto[];
}

class AnalysedAnswerDto implements RubricAnswer {
  @ApiProperty({ type: 'string', description: 'Name of the question.', example: 'identity_checked' })
  name: string;

  @ApiProperty({ type: 'string', description: 'The question.', example: 'Did the agent check who is calling?' })
  question: string;

  @ApiProperty({ type: 'string', enum: RUBRIC_TYPES, description: 'Type of the answer.', example: 'boolean' })
  type: RubricAnswer['type'];

  @ApiProperty({ ...VALUE, description: 'The answer; null unless supported.', example: true })
  value: unknown;

  @ApiProperty(STATUS)
  status: RubricAnswer['status'];

  @ApiProperty({ type: [EvidenceDto], description: 'Places in the call that prove the answer.' })
  evidence: EvidenceDto[];
}

class AnalysisErrorDto {
  @ApiProperty({
    type: 'string',
    description:
      'Reason: `invalid_answer`, `model_unavailable`, `model_busy`, `model_timeout`, `model_failed`, `spend_limit`, `transcript_deleted`, `worker_lost` or `internal_error`.',
    example: 'invalid_answer',
  })
  code: string;

  @ApiProperty({
    type: 'string',
    description: 'The reason as a sentence.',
    example: 'The answers of openai:gpt-5.1-mini did not match the schema: values.city: must be string.',
  })
  message: string;
}

/** The result of an analysis, which its webhook has as well. */
export class AnalysisResultDto implements Omit<AnalysisView, 'settings'> {
  @ApiProperty({ type: 'string', format: 'uuid', description: 'ID of the analysis.' })
  id: string;

  @ApiProperty({ type: 'string', format: 'uuid', description: '`call_id` of the call.' })
  call_id: string;

  @ApiProperty({ type: 'integer', description: 'Number of the analysis of the call, from 1.', example: 1 })
  version: number;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'The batch that asked for it.',
    example: null,
  })
  batch_id: string | null;

  @ApiProperty({ type: 'string', enum: ANALYSIS_STATUSES, description: 'Status.', example: 'completed' })
  status: AnalysisView['status'];

  @ApiProperty({
    type: 'string',
    enum: ANALYSIS_SOURCES,
    nullable: true,
    description:
      '`rules`: no text model is configured, so only names, types and pressed keys were compared. Null before the end.',
    example: 'model',
  })
  source: AnalysisView['source'];

  @ApiProperty({ type: 'string', nullable: true, description: 'Vendor and model.', example: 'openai:gpt-5.1-mini' })
  model: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The values of `extract`. Null: there is no `extract`, or no result.',
    example: { order_number: '4711', reason: null },
  })
  values: Record<string, unknown> | null;

  @ApiProperty({ type: [AnalysedFieldDto], description: 'Each value with its evidence.' })
  fields: AnalysedFieldDto[];

  @ApiProperty({ type: [AnalysedAnswerDto], description: 'The answers of the rubric.' })
  rubric: AnalysedAnswerDto[];

  @ApiProperty({ type: 'string', nullable: true, description: 'Summary. It has no evidence.', example: null })
  summary: string | null;

  @ApiProperty({ type: AnalysisErrorDto, nullable: true, description: 'Why the analysis failed.', example: null })
  error: AnalysisErrorDto | null;

  @ApiProperty({
    type: 'string',
    enum: ['retry', 'spend_limit'],
    nullable: true,
    description: 'Why a pending analysis waits: for its next attempt, or for the next day of the spend limit.',
    example: null,
  })
  waiting_for: AnalysisView['waiting_for'];

  @ApiProperty({ type: 'integer', description: 'Number of attempts.', example: 1 })
  attempts: number;

  @ApiProperty({
    type: 'number',
    description:
      'Cost of all attempts in USD. It counts towards the daily spend and is not part of the `cost` of the call.',
    example: 0.0021,
  })
  cost: number;

  @ApiProperty({ type: [CostLineDto], description: 'The lines of `cost`.' })
  costs: CostLineDto[];

  @ApiProperty({ type: 'string', format: 'date-time', description: 'Time of the request.' })
  created_at: string;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'Start of the first attempt.' })
  started_at: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'End.' })
  finished_at: string | null;
}

class AnalysisDto extends AnalysisResultDto {
  @ApiProperty({ type: AgentAnalysisDto, description: 'What was asked.' })
  settings: AgentAnalysisDto;
}

export class FoundAnalysisDto {
  @ApiProperty({ type: AnalysisDto, description: 'The analysis.' })
  data: AnalysisDto;
}

export class AnalysesDto {
  @ApiProperty({ type: [AnalysisDto], description: 'All versions, the newest first; 50 at most.' })
  data: AnalysisDto[];
}

export class AnalysisWithMessageDto extends FoundAnalysisDto {
  @ApiProperty({ type: 'string', description: 'Message.', example: 'Analysis queued.' })
  message: string;
}

/** Absent fields are those of the agent. */
export class RerunAnalysisDto extends AgentAnalysisInputDto {}

class BatchFilterDto extends SchemaDto(analysisBatch.shape.filter, {
  agent_id: 1,
  agent_version: 3,
  number_id: 1,
  campaign_id: 1,
  direction: 'outbound',
  channel: 'any',
  date_from: '2026-11-01',
  date_to: '2026-11-30',
}) {}

export class CreateBatchDto extends SchemaDto(analysisBatch, {
  filter: BatchFilterDto,
  analysis: RerunAnalysisDto,
}) {}

class BatchCountsDto {
  @ApiProperty({ type: 'integer', description: 'Queued.', example: 12 })
  pending: number;

  @ApiProperty({ type: 'integer', description: 'Being read.', example: 8 })
  running: number;

  @ApiProperty({ type: 'integer', description: 'With a result.', example: 178 })
  completed: number;

  @ApiProperty({ type: 'integer', description: 'Failed.', example: 2 })
  failed: number;
}

class BatchDto implements BatchView {
  @ApiProperty({ type: 'string', format: 'uuid', description: 'ID of the batch.' })
  id: string;

  @ApiProperty({ type: 'string', enum: ['running', 'completed'], description: 'Status.', example: 'running' })
  status: BatchView['status'];

  @ApiProperty({
    type: 'integer',
    description:
      'Number of analyses. Calls without an answer or a transcript, and of agents without an analysis, have none.',
    example: 200,
  })
  calls: number;

  @ApiProperty({
    type: BatchCountsDto,
    description: 'Analyses by status; those of calls that were deleted meanwhile are gone.',
  })
  analyses: BatchCountsDto;

  @ApiProperty({ type: 'number', description: 'Cost so far in USD.', example: 0.42 })
  cost: number;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The filter.', example: { agent_id: 1 } })
  filter: Record<string, unknown>;

  @ApiProperty({ type: AgentAnalysisDto, nullable: true, description: 'The replaced fields. Null: none.' })
  settings: AgentAnalysisDto | null;

  @ApiProperty({ type: 'string', format: 'date-time', description: 'Time of the request.' })
  created_at: string;
}

export class BatchListDto {
  @ApiProperty({ type: [BatchDto], description: 'The batches on this page.' })
  data: BatchDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

export class FoundBatchDto {
  @ApiProperty({ type: BatchDto, description: 'The batch.' })
  data: BatchDto;
}

export class BatchWithMessageDto extends FoundBatchDto {
  @ApiProperty({ type: 'string', description: 'Message.', example: '200 analyses queued.' })
  message: string;
}

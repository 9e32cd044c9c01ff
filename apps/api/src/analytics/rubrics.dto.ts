import { RUBRIC_TYPES } from '@app/agents';
import type { RubricQuery, RubricView } from '@app/analytics';
import { ApiProperty, IntersectionType, PickType } from '@nestjs/swagger';
import { EnumFilter, TextFilter } from '../http/validation/list-filters.js';
import { AnalyticsFiltersDto, AnalyticsRangeDto, AnalyticsShapeDto, checkVersion, edgeOf } from './analytics.dto.js';

const MAX_NAME_LENGTH = 64;

class QuestionFiltersDto {
  @TextFilter('name', MAX_NAME_LENGTH, 'The question with this name.')
  name?: string;

  @EnumFilter(['agent', 'version'], 'One row per agent, or per version of an agent. Default: `agent`.')
  group_by?: 'agent' | 'version';
}

export class RubricQueryDto extends IntersectionType(
  IntersectionType(
    PickType(AnalyticsShapeDto, ['interval', 'time_zone', 'date_from', 'date_to', 'include_tests', 'format']),
    PickType(AnalyticsFiltersDto, ['agent_id', 'agent_version']),
  ),
  QuestionFiltersDto,
) {}

/** @throws InvalidFields */
export function toRubricQuery(dto: RubricQueryDto): RubricQuery {
  checkVersion(dto);
  return {
    interval: dto.interval ?? 'day',
    timeZone: dto.time_zone ?? 'UTC',
    from: edgeOf(dto.date_from),
    to: edgeOf(dto.date_to),
    byVersion: dto.group_by === 'version',
    withTests: dto.include_tests === 'true',
    agentId: dto.agent_id,
    agentVersion: dto.agent_version,
    name: dto.name,
  };
}

class RubricAnswerCountDto {
  @ApiProperty({
    type: 'string',
    description: '`true` or `false`, a score from `1` to `5`, or an option.',
    example: 'true',
  })
  answer: string;

  @ApiProperty({ type: 'integer', description: 'Calls with this answer.', example: 84 })
  calls: number;
}

class RubricQuestionRowDto {
  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Beginning of the interval, in the time zone of the query.',
    example: '2026-11-23T00:00:00.000+01:00',
  })
  start: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'End of the interval; excluded.',
    example: '2026-11-24T00:00:00.000+01:00',
  })
  end: string;

  @ApiProperty({ type: 'integer', description: 'ID of the agent.', example: 7 })
  agent_id: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Name of the agent. Null: it was deleted.',
    example: 'Support',
  })
  agent_name: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Version of the agent with `group_by=version`. Null: all versions, or calls without a version.',
    example: 3,
  })
  agent_version: number | null;

  @ApiProperty({ type: 'string', description: 'Name of the question.', example: 'greeted' })
  name: string;

  @ApiProperty({ type: 'string', enum: [...RUBRIC_TYPES], description: 'Type of the answer.', example: 'boolean' })
  type: string;

  @ApiProperty({ type: 'integer', description: 'Calls whose analysis asked the question.', example: 96 })
  calls: number;

  @ApiProperty({
    type: 'integer',
    description: 'Calls with an answer that the call proves; the shares and the mean are of these.',
    example: 90,
  })
  answered: number;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Share of `true`, between 0 and 1. Null: another type, or no answer.',
    example: 0.9333,
  })
  true_share: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Mean score. Null: another type, or no answer.',
    example: null,
  })
  mean: number | null;

  @ApiProperty({ type: [RubricAnswerCountDto], description: 'The answers that were given, with their calls.' })
  answers: RubricAnswerCountDto[];
}

class RubricMetaDto extends AnalyticsRangeDto {
  @ApiProperty({
    type: [String],
    description: 'Beginnings of all intervals of the range; `data` contains those with answers.',
    example: ['2026-11-22T00:00:00.000+01:00', '2026-11-23T00:00:00.000+01:00'],
  })
  intervals: string[];

  @ApiProperty({
    type: 'integer',
    description: 'Calls of the account that wait to be counted; usually for less than five seconds.',
    example: 0,
  })
  pending: number;
}

export class RubricAnalyticsDto implements RubricView {
  @ApiProperty({
    type: [RubricQuestionRowDto],
    description: 'One row per interval, agent and question: by time, agent, version and name.',
  })
  data: RubricQuestionRowDto[];

  @ApiProperty({ type: RubricMetaDto, description: 'The query as it was answered.' })
  meta: RubricMetaDto;
}

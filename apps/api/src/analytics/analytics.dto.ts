import { applyDecorators } from '@nestjs/common';
import {
  type AnalyticsQuery,
  type AnalyticsView,
  type Dimension,
  DIMENSIONS,
  type Interval,
  INTERVALS,
  type Metric,
  METRIC_MEANINGS,
  METRICS,
  MAX_GROUPS,
  MAX_INTERVALS,
  type RangeEdge,
} from '@app/analytics';
import { ANSWERED_BY, CALL_CHANNELS, CALL_DIRECTIONS, type CallChannel, type CallDirection } from '@app/calls';
import { InvalidFields, withCode } from '@app/common';
import { isTimeZone } from '@app/common/time-windows';
import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, Matches, Max, Min, ValidateBy } from 'class-validator';
import { IsDateOrTime, IsRecordId, must, parseDateOrTime } from '../http/validation/field-validators.js';
import { EmptyToUndefined, EnumFilter, IntegerFromText } from '../http/validation/list-filters.js';

const DEFAULT_METRICS: Metric[] = ['calls', 'answered', 'answer_rate', 'duration_avg', 'cost'];
const DEFAULT_GROUPS = 20;
const MAX_DIMENSIONS = 2;

const OUTCOMES = ['completed', 'failed', 'no_answer', 'busy', 'cancelled'] as const;

/** `a,b` and repeated parameters are the same; a list of different `values`, at most `most`. */
const IsListOf = (values: readonly string[], most: number): PropertyDecorator =>
  applyDecorators(
    ListFromText(),
    IsOptional(),
    ValidateBy({
      name: 'isListOf',
      validator: {
        validate: (list: unknown) => listProblem(list, values, most) === undefined,
        defaultMessage: (args) =>
          `The ${args?.property.replaceAll('_', ' ')} field ${listProblem(args?.value, values, most)}.`,
      },
    }),
  );

function listProblem(list: unknown, values: readonly string[], most: number): string | undefined {
  if (!Array.isArray(list) || !list.every((one) => values.includes(String(one))))
    return `must be a list of ${values.join(', ')}, separated by commas`;
  if (new Set(list).size < list.length) return 'has a duplicate value';
  return list.length > most ? `must not have more than ${most} items` : undefined;
}

/** As a list. */
const ListFromText = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => {
    const parts = [value].flat().flatMap((one) => (typeof one === 'string' ? one.split(',') : [one]));
    const named = parts.map((one) => (typeof one === 'string' ? one.trim() : one)).filter((one) => one !== '');
    return value === undefined || named.length === 0 ? undefined : named;
  });

const IsTimeZoneName = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isTimeZoneName', validator: { validate: (value) => typeof value === 'string' && isTimeZone(value) } },
    { message: 'The time zone field must be an IANA time zone, such as Europe/Berlin.' },
  );

const RecordFilter =
  (subject: string): PropertyDecorator =>
  (target, property) => {
    ApiPropertyOptional({ type: 'integer', minimum: 1, description: `Calls of the ${subject} with this ID.` })(
      target,
      property,
    );
    IntegerFromText()(target, property);
    IsOptional()(target, property);
    IsRecordId()(target, property);
  };

const METRIC_LIST = METRICS.map((name) => `\`${name}\` (${METRIC_MEANINGS[name].unit})`).join(', ');

const CAUSE = /^[a-z_]{1,64}$/;

export class AnalyticsFiltersDto {
  @RecordFilter('agent')
  agent_id?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description: 'Calls with this version of the agent. Requires `agent_id`.',
  })
  @IntegerFromText()
  @IsOptional()
  @IsRecordId()
  agent_version?: number;

  @RecordFilter('campaign')
  campaign_id?: number;

  @RecordFilter('phone number')
  number_id?: number;

  @RecordFilter('trunk')
  trunk_id?: number;

  @EnumFilter(CALL_DIRECTIONS, 'Calls in this direction.')
  direction?: CallDirection;

  @EnumFilter(OUTCOMES, 'Calls with this final status.')
  outcome?: (typeof OUTCOMES)[number];

  @ApiPropertyOptional({ type: 'string', description: 'Calls with this `hangup_cause`, such as `user_busy`.' })
  @EmptyToUndefined()
  @IsOptional()
  @Matches(CAUSE, { message: 'The cause field must be a hangup cause, such as user_busy.' })
  @IsString({ message: must.beText })
  cause?: string;

  @EnumFilter(ANSWERED_BY, 'Calls with this result of answering machine detection.')
  answered_by?: (typeof ANSWERED_BY)[number];
}

export class AnalyticsShapeDto {
  @ApiPropertyOptional({
    type: 'string',
    // Otherwise the compiler plugin adds the items of the list that the text becomes.
    items: undefined,
    default: DEFAULT_METRICS.join(','),
    example: 'calls,answer_rate,response_latency_p95',
    description: `Metrics, separated by commas: ${METRIC_LIST}. docs/analytics.md defines them.`,
  })
  @IsListOf(METRICS, METRICS.length)
  metrics?: Metric[];

  @ApiPropertyOptional({
    type: 'string',
    items: undefined,
    example: 'agent,outcome',
    description: `Up to two dimensions, separated by commas: ${DIMENSIONS.map((name) => `\`${name}\``).join(', ')}. Absent: all calls are one group.`,
  })
  @IsListOf(DIMENSIONS, MAX_DIMENSIONS)
  group_by?: Dimension[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_GROUPS,
    default: DEFAULT_GROUPS,
    description: 'The groups with the most calls; all other groups are one row with `is_other`.',
  })
  @IntegerFromText()
  @IsOptional()
  @Min(1, { message: must.beBetween(1, MAX_GROUPS) })
  @Max(MAX_GROUPS, { message: must.beBetween(1, MAX_GROUPS) })
  @IsInt({ message: must.beInteger })
  group_limit?: number;

  @EnumFilter(
    INTERVALS,
    `Length of the intervals; \`none\`: one for the whole range. Weeks begin on Monday. At most ${MAX_INTERVALS} intervals. Default: \`day\`.`,
  )
  interval?: Interval;

  @ApiPropertyOptional({
    type: 'string',
    default: 'UTC',
    example: 'Europe/Berlin',
    description: 'IANA time zone of dates and intervals.',
  })
  @EmptyToUndefined()
  @IsOptional()
  @IsTimeZoneName()
  time_zone?: string;

  @ApiPropertyOptional({
    type: 'string',
    description:
      'Calls created at this time or later: ISO 8601, a date in `time_zone`, or a time, which is rounded down to a quarter of an hour. Default: 29 days before the end.',
  })
  @EmptyToUndefined()
  @IsOptional()
  @IsDateOrTime({ message: must.beDate })
  date_from?: string;

  @ApiPropertyOptional({
    type: 'string',
    description:
      'Calls created before this time, which is rounded up to a quarter of an hour; a date in `time_zone` covers its whole day. Default: the end of today.',
  })
  @EmptyToUndefined()
  @IsOptional()
  @IsDateOrTime({ message: must.beDate })
  date_to?: string;

  @EnumFilter(['true', 'false'], 'Whether test calls count, those with `metadata.test_run`. Default: `false`.')
  include_tests?: 'true' | 'false';

  @EnumFilter([...CALL_CHANNELS, 'any'], 'Calls over the phone, from web pages, or both. Default: `phone`.')
  channel?: CallChannel | 'any';

  @EnumFilter(
    ['json', 'csv'],
    'Format of the response; default: `csv` when `Accept` prefers `text/csv`, otherwise `json`.',
  )
  format?: 'json' | 'csv';
}

export class AnalyticsQueryDto extends IntersectionType(AnalyticsShapeDto, AnalyticsFiltersDto) {}

const DAY = /^\d{4}-\d\d-\d\d$/;

export function edgeOf(text: string | undefined): RangeEdge | undefined {
  if (text === undefined) return undefined;
  return DAY.test(text) ? { day: text } : parseDateOrTime(text, 'start');
}

/** @throws InvalidFields */
export function checkVersion({ agent_id: agentId, agent_version: version }: Partial<AnalyticsFiltersDto>): void {
  if (version !== undefined && agentId === undefined)
    throw new InvalidFields({
      agent_version: [withCode('not_allowed', 'The agent version field requires the agent id field.')],
    });
}

/** @throws InvalidFields */
export function toAnalyticsQuery(dto: AnalyticsQueryDto): AnalyticsQuery {
  checkVersion(dto);
  const { agent_id, agent_version, campaign_id, number_id, trunk_id, direction, outcome, cause, answered_by } = dto;
  return {
    metrics: dto.metrics ?? DEFAULT_METRICS,
    groupBy: dto.group_by ?? [],
    groupLimit: dto.group_limit ?? DEFAULT_GROUPS,
    interval: dto.interval ?? 'day',
    timeZone: dto.time_zone ?? 'UTC',
    from: edgeOf(dto.date_from),
    to: edgeOf(dto.date_to),
    filter: { agent_id, agent_version, campaign_id, number_id, trunk_id, direction, outcome, cause, answered_by },
    channel: dto.channel ?? 'phone',
    withTests: dto.include_tests === 'true',
  };
}

class AnalyticsGroupValueDto {
  @ApiProperty({ type: 'string', enum: [...DIMENSIONS], description: 'The dimension.', example: 'agent' })
  dimension: Dimension;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'ID or value; `7:3` is version 3 of agent 7. Null: calls without a value, such as calls of no campaign, and the row of the other groups.',
    example: '7',
  })
  value: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Name of the record, or number. Null: there is none, or the record was deleted.',
    example: 'Support',
  })
  label: string | null;
}

class AnalyticsRowDto {
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

  @ApiProperty({
    type: [AnalyticsGroupValueDto],
    description: 'The group, one element per dimension of `group_by`; empty without dimensions.',
  })
  group: AnalyticsGroupValueDto[];

  @ApiProperty({ type: 'boolean', description: 'Whether the row is that of all other groups.', example: false })
  is_other: boolean;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number', nullable: true },
    description: 'Values by metric. Null: there is nothing to compute the metric from.',
    example: { calls: 128, answered: 96, answer_rate: 0.75, duration_avg: 94.5, cost: 12.8 },
  })
  values: Record<string, number | null>;
}

/** The range of a query, as it was answered. */
export class AnalyticsRangeDto {
  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Beginning of the range.',
    example: '2026-11-01T00:00:00.000+01:00',
  })
  date_from: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'End of the range; excluded.',
    example: '2026-12-01T00:00:00.000+01:00',
  })
  date_to: string;

  @ApiProperty({ type: 'string', enum: [...INTERVALS], description: 'Length of the intervals.', example: 'day' })
  interval: Interval;

  @ApiProperty({ type: 'string', description: 'Time zone of the query.', example: 'Europe/Berlin' })
  time_zone: string;
}

class AnalyticsMetaDto extends AnalyticsRangeDto {
  @ApiProperty({
    type: [String],
    enum: [...METRICS],
    description: 'Metrics in the order of the query.',
    example: DEFAULT_METRICS,
  })
  metrics: Metric[];

  @ApiProperty({
    type: [String],
    enum: [...DIMENSIONS],
    description: 'Dimensions in the order of the query.',
    example: ['agent'],
  })
  group_by: Dimension[];

  @ApiProperty({
    type: [String],
    description: 'Beginnings of all intervals of the range; `data` contains those with calls.',
    example: ['2026-11-22T00:00:00.000+01:00', '2026-11-23T00:00:00.000+01:00'],
  })
  intervals: string[];

  @ApiProperty({
    type: 'integer',
    description: 'Calls of the account that have ended and are not counted yet; usually for less than five seconds.',
    example: 0,
  })
  pending: number;
}

export class AnalyticsDto implements AnalyticsView {
  @ApiProperty({
    type: [AnalyticsRowDto],
    description:
      'One row per interval and group with calls: by time, the largest group of the range first, the others last.',
  })
  data: AnalyticsRowDto[];

  @ApiProperty({ type: AnalyticsMetaDto, description: 'The query as it was answered.' })
  meta: AnalyticsMetaDto;
}

import {
  CHANNELS,
  NOTIFICATIONS,
  RUN_STATUSES,
  type RunStatus,
  runRequest,
  scheduleRequest,
  type TestRunSummaryView,
  type TestRunView,
  type TestScheduleView,
} from '@app/simulation';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { nullableTime, time } from '../http/responses/api-time.js';
import { must } from '../http/validation/field-validators.js';
import { EnumFilter, IntegerFromText } from '../http/validation/list-filters.js';
import { ListLinksDto, PageMetaDto, PageQueryDto } from '../http/responses/pagination.js';
import { SchemaDto } from '../http/validation/schema-dto.js';
import { ConversationResultDto } from '../simulations/simulations.dto.js';

export class StartTestRunDto extends SchemaDto(runRequest, {
  scenarios: ['greeting.yaml'],
  agent_version: 3,
  repeat: 20,
  pass_rate: 0.95,
  channel: 'text',
  webhook_url: 'https://example.com/tests',
  notify: 'always',
}) {}

export class PutTestScheduleDto extends SchemaDto(scheduleRequest, {
  cron: '30 3 * * *',
  time_zone: 'Europe/Berlin',
  scenarios: ['greeting.yaml'],
  repeat: 5,
  pass_rate: 0.95,
  channel: 'text',
  webhook_url: 'https://example.com/tests',
  notify: 'failure',
}) {}

export class ListTestConversationsDto extends PageQueryDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: 49, description: '`index` of a scenario of the run.' })
  @IntegerFromText()
  @IsOptional()
  @Min(0, { message: must.beBetween(0, 49) })
  @Max(49, { message: must.beBetween(0, 49) })
  @IsInt({ message: must.beInteger })
  scenario?: number;

  @EnumFilter(['passed', 'failed'], 'Result of the conversation.')
  result?: 'passed' | 'failed';
}

const INTEGER = { type: 'integer' as const };

class ScenarioRunSummaryDto implements TestRunSummaryView {
  @ApiProperty({ type: 'string', format: 'uuid', description: 'Unique identifier.' })
  id: string;

  @ApiProperty({ ...INTEGER, description: 'ID of the agent.', example: 1 })
  agent_id: number;

  @ApiProperty({
    ...INTEGER,
    nullable: true,
    description: 'Tested version. Null: the current settings.',
    example: null,
  })
  agent_version: number | null;

  @ApiProperty({
    type: 'string',
    enum: ['request', 'schedule'],
    description: 'Why the run exists.',
    example: 'request',
  })
  trigger: TestRunSummaryView['trigger'];

  @ApiProperty({
    type: 'string',
    enum: RUN_STATUSES,
    description:
      '`queued`, `running`, `passed`, `failed` (too few conversations of a scenario passed), `error` (see `problem`) or `cancelled`.',
    example: 'passed',
  })
  status: RunStatus;

  @ApiProperty({ ...INTEGER, description: 'Conversations of all scenarios.', example: 20 })
  conversations: number;

  @ApiProperty({ ...INTEGER, description: 'Conversations with a result.', example: 20 })
  played: number;

  @ApiProperty({ ...INTEGER, description: 'Conversations that passed.', example: 20 })
  passed: number;

  @ApiProperty({ type: 'number', description: 'Cost in USD.', example: 0.0142 })
  cost: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Why the run could not be completed. Null unless the status is `error`.',
    example: null,
  })
  problem: string | null;

  @ApiProperty(time('Time of the request.'))
  created_at: string;

  @ApiProperty(nullableTime('Time of the first conversation.'))
  started_at: string | null;

  @ApiProperty(nullableTime('Time of the end.'))
  ended_at: string | null;
}

class ScenarioResultDto {
  @ApiProperty({ ...INTEGER, description: 'Number of the scenario in the run, from 0.', example: 0 })
  index: number;

  @ApiProperty({ type: 'string', description: 'Name of the scenario.', example: 'asks for a price' })
  name: string;

  @ApiProperty({ type: 'string', enum: CHANNELS, description: 'Channel.', example: 'text' })
  channel: (typeof CHANNELS)[number];

  @ApiProperty({ ...INTEGER, description: 'Conversations of the scenario.', example: 20 })
  repeat: number;

  @ApiProperty({ type: 'number', description: 'Share that must pass.', example: 0.95 })
  pass_rate: number;

  @ApiProperty({ ...INTEGER, description: 'Conversations with a result.', example: 20 })
  played: number;

  @ApiProperty({ ...INTEGER, description: 'Conversations that passed.', example: 19 })
  passes: number;

  @ApiProperty({ ...INTEGER, description: 'Conversations that could not be completed.', example: 0 })
  errors: number;

  @ApiProperty({
    type: 'boolean',
    nullable: true,
    description: 'Whether enough conversations passed. Null until all have been played.',
    example: true,
  })
  passed: boolean | null;
}

export class ScenarioRunDto extends ScenarioRunSummaryDto implements TestRunView {
  @ApiProperty({ type: [ScenarioResultDto], description: 'Results of the scenarios.' })
  scenarios: ScenarioResultDto[];
}

export class ScenarioRunListDto {
  @ApiProperty({ type: [ScenarioRunSummaryDto], description: 'The test runs on this page.' })
  data: ScenarioRunSummaryDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

export class FoundScenarioRunDto {
  @ApiProperty({ type: ScenarioRunDto, description: 'The test run.' })
  data: ScenarioRunDto;
}

export class ScenarioRunWithMessageDto extends FoundScenarioRunDto {
  @ApiProperty({ type: 'string', description: 'Result message.', example: 'Test run queued successfully.' })
  message: string;
}

class TestConversationDto extends ConversationResultDto {
  @ApiProperty({ ...INTEGER, description: '`index` of the scenario.', example: 0 })
  scenario: number;

  @ApiProperty({ type: 'string', description: 'Name of the scenario.', example: 'asks for a price' })
  scenario_name: string;

  @ApiProperty({ ...INTEGER, description: 'Number of the conversation, from 1.', example: 1 })
  repetition: number;

  @ApiProperty({ type: 'boolean', description: 'Whether every expectation was met.', example: true })
  passed: boolean;

  @ApiProperty(time('Time of the result.'))
  created_at: string;
}

export class TestConversationListDto {
  @ApiProperty({ type: [TestConversationDto], description: 'The conversations on this page.' })
  data: TestConversationDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

class TestScheduleDto implements TestScheduleView {
  @ApiProperty({ ...INTEGER, description: 'ID of the agent.', example: 1 })
  agent_id: number;

  @ApiProperty({ type: 'string', description: 'Cron expression.', example: '30 3 * * *' })
  cron: string;

  @ApiProperty({ type: 'string', description: 'IANA time zone of `cron`.', example: 'Europe/Berlin' })
  time_zone: string;

  @ApiProperty({ type: [String], description: 'Names of scenarios. Empty: all of the agent.', example: [] })
  scenarios: string[];

  @ApiProperty({ ...INTEGER, nullable: true, description: 'Conversations of each scenario.', example: 5 })
  repeat: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'Share that must pass.', example: 0.95 })
  pass_rate: number | null;

  @ApiProperty({ type: 'string', enum: CHANNELS, nullable: true, description: 'Channel.', example: 'text' })
  channel: TestScheduleView['channel'];

  @ApiProperty({ type: 'string', nullable: true, description: 'URL of the webhook.', example: null })
  webhook_url: string | null;

  @ApiProperty({ type: 'string', enum: NOTIFICATIONS, description: 'When the webhook is sent.', example: 'failure' })
  notify: TestScheduleView['notify'];

  @ApiProperty(time('Time of the next run.'))
  next_at: string;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'ID of the last scheduled run.',
    example: null,
  })
  last_run_id: string | null;

  @ApiProperty(time('Time of the last change.'))
  updated_at: string;
}

export class FoundTestScheduleDto {
  @ApiProperty({ type: TestScheduleDto, description: 'The schedule.' })
  data: TestScheduleDto;
}

export class TestScheduleWithMessageDto extends FoundTestScheduleDto {
  @ApiProperty({ type: 'string', description: 'Result message.', example: 'Test schedule set successfully.' })
  message: string;
}

export class TestScheduleDeletedDto {
  @ApiProperty({ type: 'string', description: 'Result message.', example: 'Test schedule deleted successfully.' })
  message: string;
}

export const START_RUN_EXAMPLES = {
  all: { summary: 'All scenarios of the agent, 20 times', value: { repeat: 20, pass_rate: 0.95 } },
  inline: {
    summary: 'A scenario in the request',
    value: { scenarios: [{ name: 'greeting', steps: [{ expects: 'help you' }] }] },
  },
};

export const SCHEDULE_EXAMPLES = {
  nightly: {
    summary: 'Every night',
    value: { cron: '30 3 * * *', time_zone: 'Europe/Berlin', repeat: 5, pass_rate: 0.8 },
  },
};

import { MAX_METADATA_BYTES } from '@app/calls';
import { CAMPAIGN_STATUSES, type CampaignStatus, NUMBER_ROTATIONS } from '@app/campaigns';
import {
  ApiProperty,
  type ApiPropertyOptions,
  ApiPropertyOptional,
  IntersectionType,
  PartialType,
} from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { Allow } from 'class-validator';
import { VARIABLES } from '../calls/requests/call-values.dto.js';
import { AsSent } from '../http/validation/field-validators.js';
import { EnumFilter } from '../http/validation/list-filters.js';
import { PageQueryDto } from '../http/responses/pagination.js';
import {
  CampaignPacingDto,
  CampaignRetryDto,
  CampaignScheduleDto,
  CampaignWebhookDto,
} from './campaign-settings.dto.js';

/** A field that the service validates, together with the stored settings. */
const RequestField = (options: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(ApiProperty(options), Allow(), AsSent());
const OptionalField = (options: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional(options), Allow(), AsSent());

class ScheduleRequestDto extends PartialType(CampaignScheduleDto) {}
class RetryRequestDto extends PartialType(CampaignRetryDto) {}
class PacingRequestDto extends PartialType(CampaignPacingDto) {}

/** The settings of a campaign. */
export class CreateCampaignDto {
  @RequestField({
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'Name, unique in the account.',
    example: 'spring offers',
  })
  name: string;

  @RequestField({
    type: 'integer',
    minimum: 1,
    description: 'ID of the agent that handles the calls. It must be active.',
    example: 1,
  })
  agent_id: number;

  @OptionalField({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'Published version of the agent. Null: the version that is published when a call is created.',
    example: null,
  })
  agent_version?: number | null;

  @RequestField({
    type: 'array',
    items: { type: 'integer', minimum: 1 },
    minItems: 1,
    maxItems: 1_000,
    description: 'IDs of the phone numbers to call from. They must be active.',
    example: [1],
  })
  number_ids: number[];

  @OptionalField({
    type: 'string',
    enum: NUMBER_ROTATIONS,
    default: 'round_robin',
    description:
      'Which of the numbers a call shows: the next one each time, or the one that shares most leading digits with the number of the contact.',
    example: 'round_robin',
  })
  rotation?: string;

  @OptionalField({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'ID of the SIP trunk that carries the calls. Required to call phone numbers.',
    example: 1,
  })
  trunk_id?: number | null;

  @OptionalField({
    type: 'boolean',
    default: true,
    description: 'Whether to record the calls.',
    example: true,
  })
  record?: boolean;

  @OptionalField({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `Metadata of all calls, under that of each contact; at most ${MAX_METADATA_BYTES} bytes.`,
    example: { campaign: 'spring' },
  })
  metadata?: Record<string, unknown> | null;

  @OptionalField({
    ...VARIABLES,
    description: "Values of the agent's variables, under those of each contact.",
    example: { offer: 'a free month' },
  })
  variables?: Record<string, string | number | boolean> | null;

  @OptionalField({
    type: ScheduleRequestDto,
    description: 'When contacts may be called. Absent fields keep their value.',
  })
  schedule?: ScheduleRequestDto;

  @OptionalField({
    type: RetryRequestDto,
    description: 'When contacts are called again. Absent fields keep their value.',
  })
  retry?: RetryRequestDto;

  @OptionalField({
    type: PacingRequestDto,
    description: 'How fast contacts are called. Absent fields keep their value.',
  })
  pacing?: PacingRequestDto;

  @OptionalField({
    type: CampaignWebhookDto,
    nullable: true,
    description: 'Receives `campaign.started`, `campaign.paused` and `campaign.completed`.',
  })
  webhook?: CampaignWebhookDto | null;
}

/** Absent fields stay unchanged, also those of `schedule`, `retry` and `pacing`. */
export class UpdateCampaignDto extends PartialType(CreateCampaignDto) {}

class CampaignFiltersDto {
  @EnumFilter(CAMPAIGN_STATUSES, 'Campaigns with this status.')
  status?: CampaignStatus;
}

export class ListCampaignsDto extends IntersectionType(CampaignFiltersDto, PageQueryDto) {}

/** The first works in the demo workspace, whose trunk 1 leads to the sandbox phone. */
export const CREATE_CAMPAIGN_EXAMPLES = {
  short: { summary: 'The defaults', value: { name: 'spring offers', agent_id: 1, number_ids: [1], trunk_id: 1 } },
  office: {
    summary: 'Office hours of the contacts, three attempts and two calls per second',
    value: {
      name: 'renewals in office hours',
      agent_id: 1,
      number_ids: [1],
      rotation: 'nearest_prefix',
      trunk_id: 1,
      schedule: {
        time_zone: 'Europe/Berlin',
        windows: [{ days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'], from: '09:00', to: '17:30' }],
        excluded_dates: ['2026-12-25'],
      },
      retry: { max_attempts: 3, delay_minutes: { busy: 15, no_answer: 60, machine: 240 } },
      pacing: { concurrent_calls: 20, calls_per_second: 2, ramp_up_seconds: 120 },
      webhook: { url: 'https://example.com/hooks/campaigns' },
    },
  },
};

export const UPDATE_CAMPAIGN_EXAMPLES = {
  slower: { summary: 'Fewer calls at once', value: { pacing: { concurrent_calls: 5 } } },
  later: {
    summary: 'Other windows',
    value: { schedule: { windows: [{ days: ['saturday'], from: '10:00', to: '14:00' }] } },
  },
};

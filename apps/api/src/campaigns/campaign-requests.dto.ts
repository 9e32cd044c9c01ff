import { CAMPAIGN_STATUSES, campaignRequest, type CampaignStatus } from '@app/campaigns';
import { IntersectionType } from '@nestjs/swagger';
import { EnumFilter } from '../http/validation/list-filters.js';
import { PartialDto, SchemaDto } from '../http/validation/schema-dto.js';
import { PageQueryDto } from '../http/responses/pagination.js';
import {
  CampaignWebhookRequestDto,
  PacingRequestDto,
  RetryRequestDto,
  ScheduleRequestDto,
} from './campaign-settings.dto.js';

/** The settings of a campaign. */
export class CreateCampaignDto extends SchemaDto(campaignRequest, {
  name: 'spring offers',
  agent_id: 1,
  agent_version: null,
  number_ids: [1],
  rotation: 'round_robin',
  trunk_id: 1,
  record: true,
  require_disclosure: false,
  metadata: { campaign: 'spring' },
  variables: { offer: 'a free month' },
  schedule: ScheduleRequestDto,
  retry: RetryRequestDto,
  pacing: PacingRequestDto,
  webhook: CampaignWebhookRequestDto,
}) {}

/** Absent fields stay unchanged, also those of `schedule`, `retry` and `pacing`. */
export class UpdateCampaignDto extends PartialDto(CreateCampaignDto) {}

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

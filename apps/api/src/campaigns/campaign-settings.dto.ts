import { campaign, campaignRequest } from '@app/campaigns';
import { SchemaDto, StoredDto } from '../http/validation/schema-dto.js';

const { schedule, retry, pacing, webhook } = campaign.shape;
const { windows } = campaignRequest.shape.schedule.unwrap().shape;
const { delay_minutes: delays, unless } = retry.shape;

class CampaignWindowDto extends SchemaDto(windows, { days: ['monday', 'tuesday'], from: '09:00', to: '17:30' }) {}

const SCHEDULE = {
  time_zone: 'Europe/Berlin',
  windows: CampaignWindowDto,
  excluded_dates: ['2026-12-25'],
  start_at: null,
  end_at: null,
};

export class CampaignScheduleDto extends StoredDto(schedule, SCHEDULE) {}

export class ScheduleRequestDto extends SchemaDto(campaignRequest.shape.schedule, SCHEDULE) {}

class CampaignDelaysDto extends SchemaDto(delays, { busy: 15, no_answer: 60, machine: 240, failed: 60 }) {}

const UNLESS = {
  field: 'appointment.date',
  rubric: 'confirmed',
  equals: [true],
  delay_minutes: 60,
  wait_minutes: 10,
};

class RetryUnlessDto extends StoredDto(unless, UNLESS) {}

class RetryUnlessRequestDto extends SchemaDto(unless, UNLESS) {}

const RETRY = {
  max_attempts: 3,
  delay_minutes: CampaignDelaysDto,
  causes: { unallocated_number: null, service_unavailable: 5 },
};

export class CampaignRetryDto extends StoredDto(retry, { ...RETRY, unless: RetryUnlessDto }) {}

export class RetryRequestDto extends SchemaDto(campaignRequest.shape.retry, {
  ...RETRY,
  unless: RetryUnlessRequestDto,
}) {}

class CampaignBreakerDto extends SchemaDto(pacing.shape.breaker, { calls: 50, failure_percent: 50 }) {}

const PACING = {
  concurrent_calls: 20,
  calls_per_second: 2,
  reserve_percent: 10,
  ramp_up_seconds: 120,
  breaker: CampaignBreakerDto,
};

export class CampaignPacingDto extends StoredDto(pacing, PACING) {}

export class PacingRequestDto extends SchemaDto(campaignRequest.shape.pacing, PACING) {}

class CampaignWebhookHeaderDto extends SchemaDto(webhook.unwrap().shape.headers, {
  key: 'X-Team',
  value: 'support',
}) {}

const WEBHOOK = { url: 'https://example.com/hooks/campaigns', method: 'POST', headers: CampaignWebhookHeaderDto };

export class CampaignWebhookDto extends StoredDto(webhook, WEBHOOK) {}

export class CampaignWebhookRequestDto extends SchemaDto(webhook, WEBHOOK) {}

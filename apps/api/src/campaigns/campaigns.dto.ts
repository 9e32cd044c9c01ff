import {
  CAMPAIGN_STATUSES,
  type CampaignProgressView,
  type CampaignStatus,
  type CampaignView,
  CONTACT_OUTCOMES,
  CONTACT_REASONS,
  CONTACT_STATUSES,
  NUMBER_ROTATIONS,
  PAUSE_REASONS,
} from '@app/campaigns';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { nullableTime, time } from '../http/responses/api-time.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';
import { WarningDto } from '../http/responses/warning.dto.js';
import {
  CampaignPacingDto,
  CampaignRetryDto,
  CampaignScheduleDto,
  CampaignWebhookDto,
} from './campaign-settings.dto.js';

const STATUS = {
  type: 'string',
  enum: CAMPAIGN_STATUSES,
  description:
    '`draft` until it is started, `running`, `paused`, `completed` when no contact is left to call, or `cancelled`.',
  example: 'running',
} as const;

const PAUSE_REASON = {
  type: 'string',
  enum: PAUSE_REASONS,
  nullable: true,
  description:
    'Why the campaign is paused: `requested`; `failure_rate` (the breaker); `agent_inactive`; `no_number` (all numbers are inactive); `spend_limit` of the account. Null if it is not paused.',
  example: null,
} as const;

class CampaignDto implements CampaignView {
  @ApiProperty({ type: 'integer', description: 'Unique identifier.', example: 1 })
  id: number;

  @ApiProperty({ type: 'string', description: 'Name, unique in the account.', example: 'spring offers' })
  name: string;

  @ApiProperty(STATUS)
  status: CampaignStatus;

  @ApiProperty(PAUSE_REASON)
  pause_reason: CampaignView['pause_reason'];

  @ApiProperty({ type: 'integer', nullable: true, description: 'ID of the agent. Null if it was deleted.', example: 1 })
  agent_id: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Version of the agent. Null: the version that is published when a call is created.',
    example: null,
  })
  agent_version: number | null;

  @ApiProperty({ type: [Number], description: 'IDs of the phone numbers to call from.', example: [1] })
  number_ids: number[];

  @ApiProperty({
    type: 'string',
    enum: NUMBER_ROTATIONS,
    description: 'Which of the numbers a call shows.',
    example: 'round_robin',
  })
  rotation: CampaignView['rotation'];

  @ApiProperty({ type: 'integer', nullable: true, description: 'ID of the SIP trunk.', example: 1 })
  trunk_id: number | null;

  @ApiProperty({ type: 'boolean', description: 'Whether the calls are recorded.', example: true })
  record: boolean;

  @ApiProperty({
    type: 'boolean',
    description:
      'Whether contacts are refused for whom the agent has no disclosure in its language and for their number.',
    example: false,
  })
  require_disclosure: boolean;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Metadata of all calls.',
    example: { campaign: 'spring' },
  })
  metadata: Record<string, unknown> | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: "Values of the agent's variables.",
    example: { offer: 'a free month' },
  })
  variables: CampaignView['variables'];

  @ApiProperty({ type: CampaignScheduleDto, description: 'When contacts may be called.' })
  schedule: CampaignScheduleDto;

  @ApiProperty({ type: CampaignRetryDto, description: 'When contacts are called again.' })
  retry: CampaignRetryDto;

  @ApiProperty({ type: CampaignPacingDto, description: 'How fast contacts are called.' })
  pacing: CampaignPacingDto;

  @ApiProperty({
    type: CampaignWebhookDto,
    nullable: true,
    description: 'Webhook of the campaign, with masked headers.',
  })
  webhook: CampaignView['webhook'];

  @ApiProperty(nullableTime('Time of the start.'))
  started_at: string | null;

  @ApiProperty(nullableTime('Time of the last start or resumption.'))
  resumed_at: string | null;

  @ApiProperty(nullableTime('Time of the end.', null))
  ended_at: string | null;

  @ApiProperty(time('Time of creation.'))
  created_at: string;

  @ApiProperty(time('Time of the last change.'))
  updated_at: string;
}

export class FoundCampaignDto {
  @ApiProperty({ type: CampaignDto, description: 'The campaign.' })
  data: CampaignView;
}

export class CampaignWithMessageDto {
  @ApiProperty({ type: 'string', description: 'Confirmation message.', example: 'Campaign created successfully.' })
  message: string;

  @ApiProperty({ type: CampaignDto, description: 'The campaign.' })
  data: CampaignView;

  @ApiPropertyOptional({
    type: [WarningDto],
    description:
      'Of a start. `agent_not_configured`: the calls will fail, because the dialers lack a key or a model of the agent. `provider_not_configured`: they work without this provider.',
  })
  warnings?: WarningDto[];
}

export class CampaignListDto {
  @ApiProperty({ type: [CampaignDto], description: 'Campaigns on this page.' })
  data: CampaignDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position and size of the page.' })
  meta: PageMetaDto;
}

export class CampaignDeletedDto {
  @ApiProperty({ type: 'string', description: 'Confirmation message.', example: 'Campaign deleted successfully.' })
  message: string;
}

const count = (description: string, example: number) => ({ type: 'integer', description, example }) as const;

class ContactCountsDto {
  @ApiProperty(count('All contacts.', 1_000))
  total: number;

  @ApiProperty(count('Contacts that will be called.', 900))
  waiting: number;

  @ApiProperty(count('Contacts that are queued or called at the moment.', 10))
  calling: number;

  @ApiProperty(count('Contacts that answered, or whose machine counts as an answer.', 60))
  reached: number;

  @ApiProperty(count('Contacts without a further attempt.', 20))
  exhausted: number;

  @ApiProperty(count('Contacts that must not be called.', 7))
  refused: number;

  @ApiProperty(count('Contacts that were removed or belong to a cancelled campaign.', 3))
  cancelled: number;
}

const counts = (names: readonly string[], description: string, example: object) =>
  ({
    type: 'object' as const,
    properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' as const }])),
    additionalProperties: { type: 'integer' as const },
    description,
    example,
  }) as const;

export class CampaignProgressDto implements CampaignProgressView {
  @ApiProperty({ type: 'integer', description: 'The `id` of the campaign.', example: 1 })
  campaign_id: number;

  @ApiProperty(STATUS)
  status: CampaignStatus;

  @ApiProperty(PAUSE_REASON)
  pause_reason: CampaignProgressView['pause_reason'];

  @ApiProperty({ type: ContactCountsDto, description: 'Contacts by status.' })
  contacts: ContactCountsDto;

  @ApiProperty(
    counts(CONTACT_OUTCOMES, 'Contacts by the outcome of their last attempt that ended.', {
      human: 52,
      machine: 14,
      unknown: 0,
      busy: 9,
      no_answer: 22,
      failed: 3,
      cancelled: 0,
    }),
  )
  outcomes: CampaignProgressView['outcomes'];

  @ApiProperty(
    counts(
      CONTACT_REASONS,
      'Contacts by the reason why they were not called, or not yet. Reasons of no contact are absent.',
      {
        waiting_for_window: 800,
        waiting_for_retry: 31,
        do_not_call: 7,
      },
    ),
  )
  reasons: CampaignProgressView['reasons'];

  @ApiProperty(count('Calls so far.', 130))
  attempts: number;

  @ApiProperty({ type: 'number', description: 'Cost of all calls that have ended, in USD.', example: 12.3456 })
  cost: number;

  @ApiProperty(count('Calls in progress.', 8))
  live_calls: number;

  @ApiProperty(count('Calls that wait to be dialled.', 2))
  queued_calls: number;

  @ApiProperty(nullableTime('When the next waiting contact is due. Null if the campaign does not run or none waits.'))
  next_attempt_at: string | null;
}

export class FoundCampaignProgressDto {
  @ApiProperty({ type: CampaignProgressDto, description: 'The progress.' })
  data: CampaignProgressView;
}

/** The statuses in the order of their documentation. */
export const CONTACT_STATUS = {
  type: 'string',
  enum: CONTACT_STATUSES,
  description:
    '`waiting`: will be called. `calling`: queued or called at the moment. `reached`: answered. `exhausted`: no attempt is left. `refused`: must not be called. `cancelled`: removed, or the campaign was cancelled.',
  example: 'waiting',
} as const;

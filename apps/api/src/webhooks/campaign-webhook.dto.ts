import { CAMPAIGN_STATUSES, type CampaignStatus, PAUSE_REASONS } from '@app/campaigns';
import { ApiProperty } from '@nestjs/swagger';
import { EventDto } from './webhook-events.dto.js';

const COUNTS = { type: 'object' as const, additionalProperties: { type: 'integer' as const } };

class CampaignEventDataDto {
  @ApiProperty({ type: 'integer', description: 'ID of the campaign.', example: 7 })
  campaign_id: number;

  @ApiProperty({ type: 'string', description: 'Name of the campaign.', example: 'Renewals in December' })
  name: string;

  @ApiProperty({ type: 'string', enum: CAMPAIGN_STATUSES, description: 'New status.', example: 'paused' })
  status: CampaignStatus;

  @ApiProperty({
    type: 'string',
    enum: PAUSE_REASONS,
    nullable: true,
    description: 'Why the campaign is paused. Null in every other status.',
    example: 'failure_rate',
  })
  pause_reason: (typeof PAUSE_REASONS)[number] | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'ID of the agent. Null: it was deleted.', example: 1 })
  agent_id: number | null;

  @ApiProperty({
    ...COUNTS,
    description: 'Number of contacts in all (`total`) and by status.',
    example: { total: 400, waiting: 120, calling: 4, reached: 230, exhausted: 40, refused: 6, cancelled: 0 },
  })
  contacts: Record<string, number>;

  @ApiProperty({
    ...COUNTS,
    description: 'Number of contacts by the outcome of their last attempt.',
    example: { human: 210, machine: 20, unknown: 0, busy: 30, no_answer: 90, failed: 40, cancelled: 0 },
  })
  outcomes: Record<string, number>;

  @ApiProperty({ type: 'integer', description: 'Number of attempts.', example: 520 })
  attempts: number;

  @ApiProperty({ type: 'number', description: 'Cost of the attempts that have ended, in USD.', example: 14.203 })
  cost: number;
}

/** Body of the webhook of a campaign. */
export class CampaignEventDto extends EventDto {
  @ApiProperty({ type: 'string', enum: ['campaign'], description: 'Type of the webhook.', example: 'campaign' })
  type: 'campaign';

  @ApiProperty({
    type: 'string',
    enum: ['started', 'paused', 'completed'],
    description: 'Event. `started` is sent when the campaign is resumed as well.',
    example: 'paused',
  })
  event: 'started' | 'paused' | 'completed';

  @ApiProperty({ type: CampaignEventDataDto, description: 'The campaign.' })
  data: CampaignEventDataDto;
}

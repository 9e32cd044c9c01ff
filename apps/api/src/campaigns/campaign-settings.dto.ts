import { CAMPAIGN_DEFAULTS, type RetryUnless } from '@app/campaigns';
import { type Weekday, WEEKDAYS } from '@app/common/time-windows';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { nullableTime } from '../http/responses/api-time.js';

const minutes = (description: string, example: number) =>
  ({ type: 'number', minimum: 0, maximum: 43_200, description, example, required: false }) as const;

class CampaignWindowDto {
  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...WEEKDAYS] },
    minItems: 1,
    description: 'Weekdays.',
    example: ['monday', 'tuesday'],
  })
  days: Weekday[];

  @ApiProperty({ type: 'string', description: 'First local time, `HH:MM`.', example: '09:00' })
  from: string;

  @ApiProperty({
    type: 'string',
    description: 'Local time of the end, `HH:MM` or `24:00`. A time that is not after `from` is on the following day.',
    example: '17:30',
  })
  to: string;
}

export class CampaignScheduleDto {
  @ApiProperty({
    type: 'string',
    description:
      'IANA time zone of contacts without a time zone of their own whose number belongs to none: SIP URIs and numbers of no area.',
    default: CAMPAIGN_DEFAULTS.schedule.time_zone,
    example: 'Europe/Berlin',
  })
  time_zone: string;

  @ApiProperty({
    type: [CampaignWindowDto],
    maxItems: 50,
    description:
      'When contacts may be called, in their local time: that of `time_zone` of the contact, else of the area of its number. In an area with several time zones, the window must be open in all of them. Empty: always.',
  })
  windows: CampaignWindowDto[];

  @ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'date' },
    maxItems: 366,
    description: 'Local dates on which no window begins, `YYYY-MM-DD`.',
    example: ['2026-12-25'],
  })
  excluded_dates: string[];

  @ApiProperty(nullableTime('No contact is called before this time. Null: at once.', null))
  start_at: string | null;

  @ApiProperty(nullableTime('No contact is called after this time, and the campaign ends. Null: no end.', null))
  end_at: string | null;
}

class CampaignDelaysDto {
  @ApiProperty(minutes('Minutes until the next attempt when the contact is busy.', 15))
  busy?: number;

  @ApiProperty(minutes('Minutes until the next attempt after a call without an answer.', 60))
  no_answer?: number;

  @ApiProperty(minutes('Minutes until the next attempt after an answering machine.', 240))
  machine?: number;

  @ApiProperty(minutes('Minutes until the next attempt after a failed call.', 60))
  failed?: number;
}

class RetryUnlessDto implements RetryUnless {
  @ApiPropertyOptional({
    type: 'string',
    description: 'Path of a value of the analysis. Either this or `rubric`.',
    example: 'appointment.date',
  })
  field?: string;

  @ApiPropertyOptional({ type: 'string', description: 'Name of a question of the rubric.', example: 'confirmed' })
  rubric?: string;

  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    description: 'The values that count as reached. A single value is accepted as well.',
    example: [true],
  })
  equals: (string | number | boolean)[];

  @ApiProperty({
    type: 'number',
    minimum: 0,
    maximum: 43_200,
    default: 60,
    description: 'Minutes until the next attempt.',
    example: 60,
  })
  delay_minutes: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 1_440,
    default: 10,
    description:
      'Minutes that a contact waits for the analysis of its call. Afterwards, and after a failed analysis, the answer counts.',
    example: 10,
  })
  wait_minutes: number;
}

export class CampaignRetryDto {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 20,
    default: CAMPAIGN_DEFAULTS.retry.max_attempts,
    description: 'Maximum number of calls to a contact, the first one included.',
    example: 3,
  })
  max_attempts: number;

  @ApiProperty({
    type: CampaignDelaysDto,
    description: 'Minutes until the next attempt, by outcome. An outcome that is missing here is not repeated.',
  })
  delay_minutes: CampaignDelaysDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: ['number', 'null'], minimum: 0, maximum: 43_200 } as object,
    description: 'Minutes by the `hangup_cause` of a failed call, which precede `failed`. Null: not repeated.',
    example: { unallocated_number: null, service_unavailable: 5 },
  })
  causes: Record<string, number | null>;

  @ApiProperty({
    type: RetryUnlessDto,
    nullable: true,
    description:
      'A contact that answered is called again unless the analysis of the call says this. A value without evidence does not count. Null: every answer of a person counts.',
  })
  unless: RetryUnlessDto | null;
}

class CampaignBreakerDto {
  @ApiProperty({
    type: 'integer',
    minimum: 5,
    maximum: 1_000,
    description: 'Number of last calls that count.',
    example: 50,
  })
  calls: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    description: 'Percentage of failed calls among them.',
    example: 50,
  })
  failure_percent: number;
}

export class CampaignPacingDto {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
    nullable: true,
    description: 'Maximum number of concurrent calls of the campaign. Null: as many as the account allows.',
    example: 20,
  })
  concurrent_calls: number | null;

  @ApiProperty({
    type: 'number',
    minimum: 0.01,
    maximum: 1_000,
    nullable: true,
    description: 'Maximum number of new calls per second. Null: as many as account and trunk allow.',
    example: 2,
  })
  calls_per_second: number | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 90,
    default: CAMPAIGN_DEFAULTS.pacing.reserve_percent,
    description: 'Percentage of the concurrent calls of the account that the campaign leaves to other calls.',
    example: 10,
  })
  reserve_percent: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    default: CAMPAIGN_DEFAULTS.pacing.ramp_up_seconds,
    description: 'Seconds after a start or resumption within which the concurrent calls grow to their limit.',
    example: 120,
  })
  ramp_up_seconds: number;

  @ApiProperty({
    type: CampaignBreakerDto,
    nullable: true,
    description: 'Pauses the campaign when too many of its last calls failed. Null: never.',
  })
  breaker: CampaignBreakerDto | null;
}

class CampaignWebhookHeaderDto {
  @ApiProperty({ type: 'string', description: 'Header name, at most 128 characters.', example: 'X-Team' })
  key: string;

  @ApiProperty({ type: 'string', description: 'Header value; masked in responses.', example: 'support' })
  value: string;
}

export class CampaignWebhookDto {
  @ApiProperty({
    type: 'string',
    format: 'uri',
    maxLength: 2_048,
    description: 'URL.',
    example: 'https://example.com/hooks/campaigns',
  })
  url: string;

  @ApiProperty({
    type: 'string',
    enum: ['POST', 'PUT', 'PATCH'],
    default: 'POST',
    description: 'HTTP method.',
    example: 'POST',
  })
  method: string;

  @ApiProperty({ type: [CampaignWebhookHeaderDto], maxItems: 20, description: 'Headers of the webhook.' })
  headers: CampaignWebhookHeaderDto[];
}

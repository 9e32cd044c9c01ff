import { accountFields, type AccountView, announceListeners, redaction } from '@app/accounts';
import { ApiProperty } from '@nestjs/swagger';
import { time } from '../http/responses/api-time.js';
import { SchemaDto, StoredDto, ViewDto } from '../http/validation/schema-dto.js';

class CustomPatternDto extends SchemaDto(redaction.unwrap().unwrap().shape.custom, {
  name: 'member',
  pattern: 'M-[0-9]{6}',
}) {}

const REDACTION = { kinds: ['card', 'iban'], custom: CustomPatternDto, audio: true };

export class RedactionDto extends StoredDto(redaction, REDACTION) {}

export class RedactionInputDto extends SchemaDto(redaction, REDACTION) {}

const ANNOUNCEMENT = { message: 'A colleague of mine is listening to this call now.', language: 'en' };

class ListenerAnnouncementDto extends ViewDto(announceListeners, ANNOUNCEMENT) {}

class ListenerAnnouncementInputDto extends SchemaDto(announceListeners, ANNOUNCEMENT) {}

export class UpdateAccountDto extends SchemaDto(accountFields, {
  default_country: 'DE',
  limits: { concurrent_calls: 20, daily_spend_usd: 50 },
  contact_limits: { attempts_per_day: 3, earliest: '08:00', latest: '21:00' },
  retention: { recordings_days: 90 },
  redaction: RedactionInputDto,
  announce_listeners: ListenerAnnouncementInputDto,
}) {}

export const UPDATE_ACCOUNT_EXAMPLES = {
  country: { summary: 'Default country', value: { default_country: 'DE' } },
  limits: { summary: 'Limits', value: { limits: { concurrent_calls: 20, daily_spend_usd: 50 } } },
  contact: {
    summary: 'Contact limits',
    value: { contact_limits: { attempts_per_day: 3, attempts_per_week: 7, earliest: '08:00', latest: '21:00' } },
  },
  listeners: { summary: 'Announced listeners', value: { announce_listeners: { language: 'de' } } },
  redaction: { summary: 'Redaction', value: { redaction: { kinds: ['card', 'iban', 'password'] } } },
  retention: { summary: 'Retention', value: { retention: { recordings_days: 90, transcripts_days: null } } },
};

const nullable = (type: 'integer' | 'number', description: string, example: number) =>
  ({ type, nullable: true, description, example }) as const;

class DestinationLimitsDto {
  @ApiProperty({
    type: [String],
    description: 'Allowed E.164 prefixes. Empty if all that are not denied are allowed.',
    example: ['+1'],
  })
  allow: string[];

  @ApiProperty({ type: [String], description: 'Denied E.164 prefixes.', example: ['+1900'] })
  deny: string[];
}

class AccountLimitsDto {
  @ApiProperty({ type: 'integer', description: 'Maximum number of concurrent calls.', example: 10 })
  concurrent_calls: number;

  @ApiProperty({ type: 'number', description: 'Maximum number of new calls per second.', example: 5 })
  calls_per_second: number;

  @ApiProperty({ type: 'integer', description: 'Maximum number of waiting and scheduled calls.', example: 100000 })
  queued_calls: number;

  @ApiProperty(
    nullable('integer', 'Requests per minute and token; 0: no limit. Null: the limit of the installation.', 600),
  )
  requests_per_minute: number | null;

  @ApiProperty(nullable('number', 'Spend per UTC day in US dollars. Null: unlimited.', 50))
  daily_spend_usd: number | null;

  @ApiProperty(nullable('integer', 'Bytes of recordings and documents. Null: unlimited.', 53687091200))
  storage_bytes: number | null;

  @ApiProperty({ type: DestinationLimitsDto, description: 'Destinations that the account may call.' })
  destinations: DestinationLimitsDto;
}

const nullableText = (description: string, example: string) =>
  ({ type: 'string', nullable: true, description, example }) as const;

class ContactLimitsDto {
  @ApiProperty(nullable('integer', 'Maximum number of calls to one number within 24 hours. Null: no limit.', 3))
  attempts_per_day: number | null;

  @ApiProperty(nullable('integer', 'Maximum number of calls to one number within seven days. Null: no limit.', 7))
  attempts_per_week: number | null;

  @ApiProperty(nullableText('Local time of the called number from which it may be called. Null: midnight.', '08:00'))
  earliest: string | null;

  @ApiProperty(nullableText('Local time of the called number until which it may be called. Null: midnight.', '21:00'))
  latest: string | null;

  @ApiProperty(nullableText('IANA time zone of numbers whose own is unknown. Null: UTC.', 'America/New_York'))
  time_zone: string | null;
}

class AccountRetentionDto {
  @ApiProperty(nullable('integer', 'Days after which recordings are deleted. Null: never.', 90))
  recordings_days: number | null;

  @ApiProperty(nullable('integer', 'Days after which transcripts are deleted. Null: never.', 90))
  transcripts_days: number | null;

  @ApiProperty(nullable('integer', 'Days after which webhook deliveries are deleted. Null: never.', 30))
  deliveries_days: number | null;

  @ApiProperty(nullable('integer', 'Days after which uploaded documents are deleted. Null: never.', 365))
  documents_days: number | null;
}

class AccountSpendDto {
  @ApiProperty({ type: 'number', description: 'Spend of the current UTC day in US dollars.', example: 1.25 })
  today_usd: number;

  @ApiProperty(time('Beginning of the next UTC day, at which the spend is 0 again.'))
  resets_at: string;
}

class AccountStorageDto {
  @ApiProperty({ type: 'integer', description: 'Bytes of recordings and documents.', example: 73400320 })
  used_bytes: number;
}

class AccountCallsDto {
  @ApiProperty({ type: 'integer', description: 'Number of waiting calls, without scheduled ones.', example: 0 })
  queued: number;

  @ApiProperty({
    type: 'integer',
    description: 'Number of calls that wait for the time of their schedule.',
    example: 0,
  })
  scheduled: number;

  @ApiProperty({ type: 'integer', description: 'Number of live calls.', example: 2 })
  live: number;
}

class AccountDto implements AccountView {
  @ApiProperty({ type: 'integer', description: 'Unique identifier.', example: 1 })
  id: number;

  @ApiProperty({ type: 'string', description: 'Name, unique in the installation.', example: 'acme' })
  name: string;

  @ApiProperty(
    nullableText(
      'Country of phone numbers without a country code in imports and in the console, ISO 3166-1 alpha-2. Null: none.',
      'DE',
    ),
  )
  default_country: string | null;

  @ApiProperty({ type: AccountLimitsDto, description: 'Limits.' })
  limits: AccountLimitsDto;

  @ApiProperty({ type: ContactLimitsDto, description: 'How often and when one number is called.' })
  contact_limits: ContactLimitsDto;

  @ApiProperty({ type: AccountRetentionDto, description: 'How long data is kept.' })
  retention: AccountRetentionDto;

  @ApiProperty({
    type: RedactionDto,
    nullable: true,
    description: 'Secrets that are removed from everything stored about calls. Null: none.',
  })
  redaction: RedactionDto | null;

  @ApiProperty({
    type: ListenerAnnouncementDto,
    nullable: true,
    description: 'What the other party hears before a person listens to a call. Null: nothing.',
  })
  announce_listeners: ListenerAnnouncementDto | null;

  @ApiProperty({ type: AccountSpendDto, description: 'Spend today.' })
  spend: AccountSpendDto;

  @ApiProperty({ type: AccountStorageDto, description: 'Stored files.' })
  storage: AccountStorageDto;

  @ApiProperty({ type: AccountCallsDto, description: 'Calls now.' })
  calls: AccountCallsDto;

  @ApiProperty({
    type: 'boolean',
    description: 'Whether the account has sign-in settings, with which people sign in to it.',
    example: true,
  })
  has_sign_in: boolean;

  @ApiProperty(time('Time of creation.'))
  created_at: string;

  @ApiProperty(time('Time of the last change of limits or retention.'))
  updated_at: string;
}

export class FoundAccountDto {
  @ApiProperty({ type: AccountDto, description: 'The account of the token.' })
  data: AccountDto;
}

export class AccountWithMessageDto extends FoundAccountDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Account updated successfully.' })
  message: string;
}

import { withCode } from '@app/common';
import { MAX_METADATA_BYTES, parseDestination } from '@app/calls';
import {
  CONTACT_OUTCOMES,
  CONTACT_REASONS,
  CONTACT_STATUSES,
  type ContactFilter,
  type ContactOutcome,
  type ContactReason,
  type ContactStatus,
  type ContactView,
  MAX_CONTACTS_PER_REQUEST,
  REFUSAL_REASONS,
} from '@app/campaigns';
import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { VARIABLES } from '../calls/requests/call-values.dto.js';
import { nullableTime, time } from '../http/responses/api-time.js';
import { AsSent, IsOptionalOrBlank, must, ValidateParts } from '../http/validation/field-validators.js';
import { EnumFilter, TextFilter } from '../http/validation/list-filters.js';
import { ListLinksDto, ListMetaDto, ListQueryDto } from '../http/responses/pagination.js';
import { CONTACT_STATUS } from './campaigns.dto.js';

const DUPLICATES = ['merge', 'refuse'] as const;

/** The documentation of `duplicates`. */
export const DUPLICATES_FIELD = {
  type: 'string' as const,
  enum: [...DUPLICATES],
  nullable: true,
  default: 'merge',
  description:
    'What happens to a number that the campaign has already, or that is repeated: `merge` replaces the values of its waiting contact, `refuse` refuses the row. A contact that is being called, or is done, is never changed: its row is refused.',
  example: 'merge',
};

class NewContactDto {
  @ApiProperty({
    type: 'string',
    maxLength: 255,
    description: 'E.164 number or SIP URI. Spaces, hyphens and parentheses are removed from numbers.',
    example: '+15550002222',
  })
  to_number: string;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description: 'IANA time zone of the contact. Absent: that of the number, else of the campaign.',
    example: 'America/New_York',
  })
  time_zone?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'The contact is not called before this time.',
    example: '2026-12-01T09:00:00+00:00',
  })
  not_before?: string | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `Metadata of the calls to the contact, over that of the campaign; at most ${MAX_METADATA_BYTES} bytes.`,
    example: { customer: 'c-4711' },
  })
  metadata?: Record<string, unknown> | null;

  @ApiPropertyOptional({
    ...VARIABLES,
    description: "Values of the agent's variables, over those of the campaign.",
    example: { customer_name: 'Ada' },
  })
  variables?: Record<string, string | number | boolean> | null;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_CONTACTS_TEXT = MAX_CONTACTS_PER_REQUEST.toLocaleString('en-US');

const IsContacts = (): PropertyDecorator =>
  ValidateParts('isContacts', (value, property) => {
    if (value === undefined || value === null)
      return { [property]: [withCode('missing', 'The contacts field is required.')] };
    if (!Array.isArray(value)) return { [property]: [withCode('wrong_type', 'The contacts field must be an array.')] };
    if (value.length === 0) return { [property]: [withCode('too_few', 'The contacts field must not be empty.')] };
    if (value.length > MAX_CONTACTS_PER_REQUEST)
      return {
        [property]: [withCode('too_many', `The contacts field must not have more than ${MAX_CONTACTS_TEXT} items.`)],
      };
    const wrong = value.flatMap((one: unknown, index) => (isObject(one) ? [] : [`${property}.${index}`]));
    return Object.fromEntries(
      wrong.slice(0, 100).map((key) => [key, [withCode('wrong_type', `The ${key} field must be an object.`)]]),
    );
  });

export class AddContactsDto {
  @ApiProperty({
    type: [NewContactDto],
    minItems: 1,
    maxItems: MAX_CONTACTS_PER_REQUEST,
    description: `At most ${MAX_CONTACTS_TEXT} contacts, and at most 2 MB in all. Rows that cannot be called are refused one by one; the others are added.`,
    example: [{ to_number: '+15550002222', metadata: { customer: 'c-4711' } }],
  })
  @AsSent()
  @IsContacts()
  contacts: NewContactDto[];

  @ApiPropertyOptional(DUPLICATES_FIELD)
  @IsOptionalOrBlank()
  @IsIn(DUPLICATES, { message: must.beOneOf })
  duplicates?: (typeof DUPLICATES)[number] | null;
}

export const ADD_CONTACTS_EXAMPLES = {
  two: {
    summary: 'Two contacts',
    value: {
      contacts: [
        { to_number: '+15550002222', time_zone: 'America/New_York', variables: { customer_name: 'Ada' } },
        { to_number: 'sip:answer@127.0.0.1:5070', metadata: { customer: 'c-4711' } },
      ],
    },
  },
};

class RefusedContactDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Place in `contacts`, from 0.', example: 1 })
  index: number;

  @ApiProperty({ type: 'string', description: 'The field.', example: 'to_number' })
  field: string;

  @ApiProperty({ type: 'string', enum: REFUSAL_REASONS, description: 'The reason.', example: 'invalid_number' })
  reason: string;

  @ApiProperty({
    type: 'string',
    description: 'The reason as a sentence.',
    example: 'The campaign has the number already.',
  })
  message: string;
}

class AddedContactsDto {
  @ApiProperty({ type: 'integer', description: 'New contacts.', example: 1 })
  added: number;

  @ApiProperty({ type: 'integer', description: 'Rows that were merged into another contact.', example: 0 })
  merged: number;

  @ApiProperty({ type: 'integer', description: 'Refused rows.', example: 1 })
  refused: number;

  @ApiProperty({ type: [RefusedContactDto], description: 'The first 1,000 refused rows.' })
  refusals: RefusedContactDto[];
}

export class ContactsAddedDto {
  @ApiProperty({ type: 'string', description: 'Confirmation message.', example: '1 contact added.' })
  message: string;

  @ApiProperty({ type: AddedContactsDto, description: 'What became of the rows.' })
  data: AddedContactsDto;
}

class ContactDto implements ContactView {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'Unique identifier.',
    example: '0197c3f0-5f9e-7c3a-9d55-2f6d1c1f4f10',
  })
  id: string;

  @ApiProperty({ type: 'integer', description: 'The `id` of the campaign.', example: 1 })
  campaign_id: number;

  @ApiProperty({ type: 'string', description: 'E.164 number or SIP URI.', example: '+15550002222' })
  to_number: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Own time zone of the contact.',
    example: 'America/New_York',
  })
  time_zone: string | null;

  @ApiProperty(nullableTime('The contact is not called before this time.', null))
  not_before: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Metadata of the contact.',
    example: { customer: 'c-4711' },
  })
  metadata: Record<string, unknown> | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Variables of the contact.',
    example: { customer_name: 'Ada' },
  })
  variables: ContactView['variables'];

  @ApiProperty(CONTACT_STATUS)
  status: ContactStatus;

  @ApiProperty({
    type: 'string',
    enum: CONTACT_REASONS,
    nullable: true,
    description: 'Why the contact was not called, or not yet. Null while it is called and when it was reached.',
    example: 'waiting_for_window',
  })
  reason: ContactReason | null;

  @ApiProperty({
    type: 'string',
    description: 'Status and reason as a sentence.',
    example: 'The contact waits for the next window of the schedule in its time zone.',
  })
  explanation: string;

  @ApiProperty(nullableTime('Until when the reason holds. Null if the contact does not wait for a time.'))
  next_attempt_at: string | null;

  @ApiProperty({ type: 'integer', description: 'Calls to the contact so far.', example: 1 })
  attempts: number;

  @ApiProperty({
    type: 'string',
    enum: CONTACT_OUTCOMES,
    nullable: true,
    description: 'Outcome of the last attempt that ended.',
    example: 'busy',
  })
  outcome: ContactOutcome | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: '`hangup_cause` of the last attempt.',
    example: 'user_busy',
  })
  hangup_cause: string | null;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true, description: '`call_id` of the last attempt.' })
  call_id: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'What the analysis of the last call said about `retry.unless` of the campaign: `name`, `value`, whether it `matches`, its `evidence` and the `version` of the analysis. Null: it was not asked.',
    example: {
      version: 1,
      name: 'confirmed',
      value: true,
      matches: true,
      evidence: [
        { type: 'turn', turn: 4, source: 'callee', started_ms: 8_120, ended_ms: 9_400, quote: 'yes, Friday is fine' },
      ],
    },
  })
  analysis: ContactView['analysis'];

  @ApiProperty(nullableTime('Time of the last attempt.'))
  last_attempt_at: string | null;

  @ApiProperty(time('Time at which the contact was added.'))
  created_at: string;
}

export class FoundContactDto {
  @ApiProperty({ type: ContactDto, description: 'The contact.' })
  data: ContactView;
}

export class ContactWithMessageDto {
  @ApiProperty({ type: 'string', description: 'Confirmation message.', example: 'Contact removed successfully.' })
  message: string;

  @ApiProperty({ type: ContactDto, description: 'The contact.' })
  data: ContactView;
}

export class ContactListDto {
  @ApiProperty({ type: [ContactDto], description: 'Contacts on this page.' })
  data: ContactDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: ListMetaDto, description: 'Position and size of the page.' })
  meta: ListMetaDto;
}

/** The filters of the list and of the export. */
export class ContactFiltersDto {
  @EnumFilter(CONTACT_STATUSES, 'Contacts with this status.')
  status?: ContactStatus;

  @EnumFilter(CONTACT_REASONS, 'Contacts that were not called, or not yet, for this reason.')
  reason?: ContactReason;

  @EnumFilter(CONTACT_OUTCOMES, 'Contacts whose last attempt had this outcome.')
  outcome?: ContactOutcome;

  @TextFilter('to number', 255, 'The contact with this number or SIP URI. Punctuation of numbers is ignored.')
  to_number?: string;
}

export class ListContactsDto extends IntersectionType(ContactFiltersDto, ListQueryDto) {}

export function toContactFilter({ status, reason, outcome, to_number: number }: ContactFiltersDto): ContactFilter {
  const parsed = number === undefined ? undefined : parseDestination(number);
  const toNumber = parsed && parsed.kind !== 'wrong' ? parsed.address : number;
  return { status, reason, outcome, toNumber };
}

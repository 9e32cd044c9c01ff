import {
  type CheckView,
  type DoNotCallEntry,
  ENTRY_SOURCES,
  type EntryFilter,
  type EntrySource,
  type EntriesPreview,
  type EntryView,
  type ImportReport,
  MAX_REASON_LENGTH,
  readNumber,
} from '@app/calls';
import { InvalidFields, withCode, wrongNumber } from '@app/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { nullableTime, time } from '../http/responses/api-time.js';
import { columnsField, PreviewCountsDto, TableFormDto, TablePreviewDto } from '../http/uploads/table-form.js';
import {
  IsCountry,
  IsDateOrTime,
  IsOptionalOrBlank,
  must,
  parseDateOrTime,
} from '../http/validation/field-validators.js';
import { EnumFilter, FromTimeFilter, TextFilter, ToTimeFilter } from '../http/validation/list-filters.js';
import { ListLinksDto, ListMetaDto, ListQueryDto } from '../http/responses/pagination.js';

const MATCHES = ['number', 'prefix'] as const;
const ENTRY_ID = '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c40';
const NUMBER = 'E.164 number, or with `match: prefix` (or a final `*`) its beginning.';

export class AddEntryDto {
  @ApiProperty({ type: 'string', maxLength: 40, description: NUMBER, example: '+15551234567' })
  @MaxLength(40, { message: must.beShort(40) })
  @IsString({ message: must.beText })
  number: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: [...MATCHES],
    default: 'number',
    description: '`number`: exactly this number. `prefix`: all numbers that begin like it.',
    example: 'number',
  })
  @IsIn(MATCHES, { message: must.beOneOf })
  @IsOptional()
  match?: (typeof MATCHES)[number];

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: MAX_REASON_LENGTH,
    description: 'Why the number is not called. It is not part of calls and their events.',
    example: 'asked by e-mail',
  })
  @IsOptionalOrBlank()
  @MaxLength(MAX_REASON_LENGTH, { message: must.beShort(MAX_REASON_LENGTH) })
  @IsString({ message: must.beText })
  reason?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description: 'When the entry ends: ISO 8601, a date (its end, UTC) or a time. Absent or null: never.',
    example: '2030-12-31',
  })
  @IsOptionalOrBlank()
  @IsDateOrTime({ message: must.beDate })
  expires_at?: string | null;
}

export const ADD_ENTRY_EXAMPLES = {
  number: { summary: 'A number', value: { number: '+15551234567', reason: 'asked by e-mail' } },
  prefix: {
    summary: 'All numbers with a prefix, until the end of 2030',
    value: { number: '+1900*', expires_at: '2030-12-31' },
  },
};

/** Throws InvalidFields. */
export function toEntry({ number, match, reason, expires_at: until }: AddEntryDto): DoNotCallEntry {
  const read = readNumber(number, match === 'prefix');
  if ('problem' in read)
    throw new InvalidFields({ number: [wrongNumber('invalid_format', `The number field ${read.problem}.`, number)] });
  const expiresAt = (until && parseDateOrTime(until, 'end')) || null;
  if (expiresAt && expiresAt <= new Date())
    throw new InvalidFields({ expires_at: [withCode('out_of_range', 'The expires at field must be in the future.')] });
  return { ...read, reason: reason ?? null, expiresAt };
}

export class ImportQueryDto {
  @ApiPropertyOptional({
    type: 'string',
    maxLength: 2,
    description:
      'Country of numbers without a country code, ISO 3166-1 alpha-2. Absent: the `default_country` of the account.',
    example: 'DE',
  })
  @IsCountry()
  @IsOptional()
  default_country?: string;
}

/** A multipart form. */
export class ImportEntriesDto extends TableFormDto {
  @ApiPropertyOptional(
    columnsField('`number`, `reason` or `expires_at`', '{"Telefon": "number", "Grund": "reason", "Notes": null}'),
  )
  override columns?: string | null;
}

class EntryCountsDto extends PreviewCountsDto {
  @ApiProperty({ type: 'integer', description: 'Rows whose number is on the list already.', example: 8 })
  unchanged: number;
}

class EntriesPreviewDto extends TablePreviewDto implements EntriesPreview {
  @ApiProperty({ type: EntryCountsDto, description: 'What would become of the rows. All 0 if there are `errors`.' })
  counts: EntryCountsDto;
}

export class FoundEntriesPreviewDto {
  @ApiProperty({ type: EntriesPreviewDto, description: 'What the import would do.' })
  data: EntriesPreview;
}

export class ListEntriesDto extends ListQueryDto {
  @TextFilter('number', 16, 'Entries whose number begins with this text.')
  number?: string;

  @EnumFilter(ENTRY_SOURCES, 'Entries from this source.')
  source?: EntrySource;

  @EnumFilter(['true', 'false'], '`true`: without expired entries. `false`: expired entries only.')
  active?: 'true' | 'false';

  @FromTimeFilter('Entries added')
  date_from?: string;

  @ToTimeFilter('Entries added')
  date_to?: string;
}

export const toFilter = ({ number, source, active, date_from: from, date_to: to }: ListEntriesDto): EntryFilter => ({
  // `+` in a query means a space.
  number: number === undefined ? undefined : `+${number.replace(/\D/g, '')}`,
  source,
  active: active === undefined ? undefined : active === 'true',
  from: from === undefined ? undefined : parseDateOrTime(from, 'start'),
  to: to === undefined ? undefined : parseDateOrTime(to, 'end'),
});

export class CheckNumberDto {
  @ApiProperty({
    type: 'string',
    maxLength: 255,
    description:
      'Number in E.164 format, or as it is dialled in the default country of the account, or a SIP URI whose user part is a number. Encode `+` as `%2B`.',
    example: '+15551234567',
  })
  @MaxLength(255, { message: must.beShort(255) })
  @IsString({ message: must.beText })
  number: string;
}

class EntryDto implements EntryView {
  @ApiProperty({ type: 'string', format: 'uuid', description: 'Unique identifier.', example: ENTRY_ID })
  id: string;

  @ApiProperty({ type: 'string', description: 'E.164 number, or its beginning.', example: '+15551234567' })
  number: string;

  @ApiProperty({
    type: 'string',
    enum: [...MATCHES],
    description: '`number`: exactly this number. `prefix`: all numbers that begin like it.',
    example: 'number',
  })
  match: (typeof MATCHES)[number];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Why the number is not called.',
    example: 'asked by e-mail',
  })
  reason: string | null;

  @ApiProperty({
    type: 'string',
    enum: [...ENTRY_SOURCES],
    description:
      '`api`: a request. `agent`: an agent added the person it talked to. `import`: an import over the API. `file`: a file that the operator imported.',
    example: 'api',
  })
  source: EntrySource;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'ID of the call in which the agent added the entry. Null for other sources.',
    example: null,
  })
  call_id: string | null;

  @ApiProperty(nullableTime('End of the entry. Null: it does not end.', null))
  expires_at: string | null;

  @ApiProperty(time('Time at which the number came onto the list.'))
  created_at: string;
}

export class EntryListDto {
  @ApiProperty({ type: [EntryDto], description: 'The entries on this page, newest first.' })
  data: EntryDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: ListMetaDto, description: 'Position of this page in the list.' })
  meta: ListMetaDto;
}

export class FoundEntryDto {
  @ApiProperty({ type: EntryDto, description: 'The entry.' })
  data: EntryDto;
}

export class EntryAddedDto extends FoundEntryDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'The number will not be called.' })
  message: string;

  @ApiProperty({
    type: 'integer',
    description: 'Queued calls that ended as `failed` with the cause `do_not_call`.',
    example: 0,
  })
  ended_calls: number;
}

export class EntryDeletedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Entry deleted successfully.' })
  message: string;
}

class AttemptsDto {
  @ApiProperty({ type: 'integer', description: 'Dialled calls in the last 24 hours.', example: 1 })
  last_24_hours: number;

  @ApiProperty({ type: 'integer', description: 'Dialled calls in the last seven days.', example: 2 })
  last_7_days: number;
}

class LocalTimeDto {
  @ApiProperty({ type: 'string', description: 'IANA time zone of the number.', example: 'America/New_York' })
  time_zone: string;

  @ApiProperty({ type: 'string', description: 'Time there.', example: '2026-12-02T10:15:00-05:00' })
  local_time: string;
}

const REASONS = ['do_not_call', 'contact_limit', 'outside_window'] as const;

class CheckDto implements CheckView {
  @ApiProperty({ type: 'string', description: 'The number that would be dialled.', example: '+15551234567' })
  number: string;

  @ApiProperty({ type: 'boolean', description: 'Whether the number may be called now.', example: true })
  allowed: boolean;

  @ApiProperty({
    type: 'string',
    enum: [...REASONS],
    nullable: true,
    description: 'Why the number may not be called now. Null: it may.',
    example: null,
  })
  reason: (typeof REASONS)[number] | null;

  @ApiProperty(nullableTime('When the contact hours begin again. Null: they hold now, or never.', null))
  opens_at: string | null;

  @ApiProperty({ type: EntryDto, nullable: true, description: 'The entry that covers the number. Null: none.' })
  entry: EntryDto | null;

  @ApiProperty({ type: AttemptsDto, description: 'Calls that count towards the contact limits.' })
  attempts: AttemptsDto;

  @ApiProperty({ type: [LocalTimeDto], description: 'The time in each time zone of the number.' })
  local_times: LocalTimeDto[];
}

export class NumberCheckedDto {
  @ApiProperty({ type: CheckDto, description: 'Whether the number may be called.' })
  data: CheckDto;
}

class RefusedRowDto {
  @ApiProperty({ type: 'integer', description: 'Line of the file, from 1.', example: 17 })
  line: number;

  @ApiProperty({
    type: 'string',
    description: 'Why the row was refused.',
    example: 'number must be an E.164 number such as +15551234567',
  })
  problem: string;
}

class ImportReportDto implements ImportReport {
  @ApiProperty({ type: 'integer', description: 'Rows of the file without its header.', example: 1000 })
  rows: number;

  @ApiProperty({ type: 'integer', description: 'New entries.', example: 990 })
  added: number;

  @ApiProperty({ type: 'integer', description: 'Rows whose number was on the list already.', example: 7 })
  unchanged: number;

  @ApiProperty({ type: 'integer', description: 'Refused rows.', example: 3 })
  refused: number;

  @ApiProperty({ type: [RefusedRowDto], description: 'The refused rows; at most 1,000.' })
  refused_rows: RefusedRowDto[];

  @ApiProperty({
    type: 'integer',
    description: 'Queued calls that ended as `failed` with the cause `do_not_call`.',
    example: 0,
  })
  ended_calls: number;
}

export class ImportedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: '990 entries were added.' })
  message: string;

  @ApiProperty({ type: ImportReportDto, description: 'What the import did.' })
  data: ImportReportDto;
}

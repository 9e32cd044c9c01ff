import { type CampaignImportView, DUPLICATE_RULES, IMPORT_STATUSES } from '@app/campaigns';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength, ValidateBy } from 'class-validator';
import { nullableTime, time } from '../http/responses/api-time.js';
import { IsOptionalOrBlank, must } from '../http/validation/field-validators.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';
import { DUPLICATES_FIELD } from './contacts.dto.js';

const isFile = (value: unknown): boolean => typeof value === 'object' && value !== null && 'path' in value;

/** A multipart form. */
export class ImportContactsDto {
  @ApiProperty({
    type: 'string',
    format: 'binary',
    description:
      'CSV file of at most 256 MB and 1,000,000 rows. The first row names the columns. Delimiter (comma, semicolon, tab, pipe) and encoding (UTF-8, UTF-16, Windows code pages and others) are detected.',
  })
  @ValidateBy(
    { name: 'isFile', validator: { validate: isFile } },
    { message: 'The file field must be a file, sent as multipart/form-data.' },
  )
  file: unknown;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 20_000,
    nullable: true,
    description:
      'JSON object from names of columns to `to_number`, `time_zone`, `not_before`, `metadata.<name>`, `variables.<name>`, or null to ignore a column. Columns that are not in it go by their name.',
    example: '{"Phone": "to_number", "First name": "variables.first_name", "Notes": null}',
  })
  @IsOptionalOrBlank()
  @MaxLength(20_000, { message: must.beShort(20_000) })
  @IsString({ message: must.beText })
  columns?: string | null;

  @ApiPropertyOptional(DUPLICATES_FIELD)
  @IsOptionalOrBlank()
  @IsIn(DUPLICATE_RULES, { message: must.beOneOf })
  duplicates?: (typeof DUPLICATE_RULES)[number] | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 40,
    nullable: true,
    description: 'IANA name of the encoding. Absent: it is detected.',
    example: 'windows-1252',
  })
  @IsOptionalOrBlank()
  @MaxLength(40, { message: must.beShort(40) })
  @IsString({ message: must.beText })
  encoding?: string | null;
}

class ImportColumnDto {
  @ApiProperty({ type: 'string', description: 'Name in the file.', example: 'Phone' })
  name: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Field of the contact. Null: the column is ignored.',
    example: 'to_number',
  })
  field: string | null;
}

class CampaignImportDto implements CampaignImportView {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'Unique identifier.',
    example: '0197c3f0-5f9e-7c3a-9d55-2f6d1c1f4f10',
  })
  id: string;

  @ApiProperty({ type: 'integer', description: 'The `id` of the campaign.', example: 1 })
  campaign_id: number;

  @ApiProperty({
    type: 'string',
    enum: IMPORT_STATUSES,
    description: '`pending`, `processing`, then `completed`, or `failed` with a `processing_error`.',
    example: 'processing',
  })
  status: CampaignImportView['status'];

  @ApiProperty({ type: 'string', description: 'Name of the file.', example: 'customers.csv' })
  file_name: string;

  @ApiProperty({ type: 'integer', description: 'Size of the file in bytes.', example: 48_311 })
  file_size: number;

  @ApiProperty({ type: 'string', description: 'Encoding of the file.', example: 'utf-8' })
  encoding: string;

  @ApiProperty({ type: 'string', description: 'Delimiter of the file.', example: ';' })
  delimiter: string;

  @ApiProperty({ type: [ImportColumnDto], description: 'Columns of the file in their order.' })
  columns: ImportColumnDto[];

  @ApiProperty({ type: 'string', enum: DUPLICATE_RULES, description: 'What happens to duplicates.', example: 'merge' })
  duplicates: CampaignImportView['duplicates'];

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'Percentage of the file that was read.',
    example: 40,
  })
  progress: number;

  @ApiProperty({ type: 'integer', description: 'Rows so far, without the header.', example: 400 })
  rows: number;

  @ApiProperty({ type: 'integer', description: 'New contacts.', example: 390 })
  added: number;

  @ApiProperty({ type: 'integer', description: 'Rows that were merged into another contact.', example: 6 })
  merged: number;

  @ApiProperty({ type: 'integer', description: 'Refused rows; see the report of refused rows.', example: 4 })
  refused: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Code and sentence of the error that ended the import. The rows before it stay added.',
    example: null,
  })
  processing_error: string | null;

  @ApiProperty(time('Time of the upload.'))
  created_at: string;

  @ApiProperty(nullableTime('Time at which the first row was read.'))
  started_at: string | null;

  @ApiProperty(nullableTime('Time of the end.', null))
  ended_at: string | null;
}

export class FoundImportDto {
  @ApiProperty({ type: CampaignImportDto, description: 'The import.' })
  data: CampaignImportView;
}

export class ImportWithMessageDto {
  @ApiProperty({ type: 'string', description: 'Confirmation message.', example: 'The import has begun.' })
  message: string;

  @ApiProperty({ type: CampaignImportDto, description: 'The import.' })
  data: CampaignImportView;
}

export class ImportListDto {
  @ApiProperty({ type: [CampaignImportDto], description: 'Imports on this page.' })
  data: CampaignImportDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position and size of the page.' })
  meta: PageMetaDto;
}

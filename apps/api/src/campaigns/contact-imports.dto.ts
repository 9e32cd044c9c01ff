import { type CampaignImportView, DUPLICATE_RULES, IMPORT_STATUSES, type ImportPreview } from '@app/campaigns';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { nullableTime, time } from '../http/responses/api-time.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';
import {
  columnsField,
  PreviewCountsDto,
  TableColumnDto,
  TableFormDto,
  TablePreviewDto,
} from '../http/uploads/table-form.js';
import { IsOptionalOrBlank, must } from '../http/validation/field-validators.js';
import { DUPLICATES_FIELD } from './contacts.dto.js';

/** A multipart form. */
export class ImportContactsDto extends TableFormDto {
  @ApiPropertyOptional(
    columnsField(
      '`to_number`, `time_zone`, `not_before`, `metadata.<name>` or `variables.<name>`',
      '{"Phone": "to_number", "First name": "variables.first_name", "Notes": null}',
    ),
  )
  override columns?: string | null;

  @ApiPropertyOptional(DUPLICATES_FIELD)
  @IsOptionalOrBlank()
  @IsIn(DUPLICATE_RULES, { message: must.beOneOf })
  duplicates?: (typeof DUPLICATE_RULES)[number] | null;
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

  @ApiProperty({ type: [TableColumnDto], description: 'Columns of the file in their order.' })
  columns: TableColumnDto[];

  @ApiProperty({ type: 'string', enum: DUPLICATE_RULES, description: 'What happens to duplicates.', example: 'merge' })
  duplicates: CampaignImportView['duplicates'];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Country of numbers without a country code. Null: they are refused.',
    example: 'DE',
  })
  default_country: string | null;

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

class ContactCountsDto extends PreviewCountsDto {
  @ApiProperty({ type: 'integer', description: 'Rows that would be merged into another contact.', example: 8 })
  merged: number;
}

class ImportPreviewDto extends TablePreviewDto implements ImportPreview {
  @ApiProperty({ type: ContactCountsDto, description: 'What would become of the rows. All 0 if there are `errors`.' })
  counts: ContactCountsDto;
}

export class FoundPreviewDto {
  @ApiProperty({ type: ImportPreviewDto, description: 'What the import would do.' })
  data: ImportPreview;
}

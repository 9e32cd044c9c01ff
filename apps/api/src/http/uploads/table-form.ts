import { InvalidFields, withCode } from '@app/common';
import type { TablePreview } from '@app/common/tables';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength, ValidateBy } from 'class-validator';
import type { Request, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { IsCountry, IsOptionalOrBlank, must } from '../validation/field-validators.js';
import { UploadedFile } from './staged-file.js';
import { type FormRules, UploadsService } from './uploads.service.js';

const FORM: FormRules = {
  fileBytes: 268_435_456,
  tooLarge: 'The file field must not be greater than 256 MB (268,435,456 bytes).',
  fieldBytes: 65_536,
  fields: 10,
  // A workbook becomes CSV.
  typeOf: (name) => (/\.(?:csv|tsv|txt|xlsx)$/i.test(name) ? 'csv' : undefined),
};

/** Reads the form of an import. */
@Injectable()
export class TableFormInterceptor implements NestInterceptor {
  constructor(private readonly uploads: UploadsService) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!request.is('multipart/form-data'))
      throw new UnsupportedMediaTypeException('The request body must be multipart/form-data.');
    const handle = (): Promise<unknown> => lastValueFrom(next.handle());
    return of(await this.uploads.receive(request, http.getResponse<Response>(), FORM, handle));
  }
}

const isFile = (value: unknown): boolean => typeof value === 'object' && value !== null && 'path' in value;

/** The description of the field `columns`. */
export const columnsField = (fields: string, example: string) => ({
  type: 'string' as const,
  maxLength: 20_000,
  nullable: true,
  description: `JSON object from names of columns to ${fields}, or null to ignore a column. Columns that are not in it go by their name.`,
  example,
});

/** A multipart form with a table. */
export class TableFormDto {
  @ApiProperty({
    type: 'string',
    format: 'binary',
    description:
      'CSV file of at most 256 MB and 1,000,000 rows, or Excel workbook (.xlsx), of which the first visible sheet is read. The first row names the columns. Delimiter (comma, semicolon, tab, pipe) and encoding (UTF-8, UTF-16, Windows code pages and others) are detected.',
  })
  @ValidateBy(
    { name: 'isFile', validator: { validate: isFile } },
    { message: 'The file field must be a file, sent as multipart/form-data.' },
  )
  file: unknown;

  @IsOptionalOrBlank()
  @MaxLength(20_000, { message: must.beShort(20_000) })
  @IsString({ message: must.beText })
  columns?: string | null;

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

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 2,
    nullable: true,
    description:
      'Country of numbers without a country code, ISO 3166-1 alpha-2. Absent: the `default_country` of the account.',
    example: 'DE',
  })
  @IsCountry()
  @IsOptionalOrBlank()
  default_country?: string | null;
}

/** Throws InvalidFields. */
export function tableFileOf({ file }: TableFormDto): UploadedFile {
  if (!(file instanceof UploadedFile))
    throw new InvalidFields({ file: [withCode('wrong_type', 'The file field must be a file.')] });
  if (file.type === undefined)
    throw new InvalidFields({
      file: [withCode('invalid_format', 'The file field must be a file of type: csv, tsv, txt, xlsx.')],
    });
  return file;
}

/** Throws InvalidFields. */
export const tableRequestOf = ({ columns, encoding, default_country: country }: TableFormDto) => ({
  columns: mappingOf(columns ?? undefined),
  encoding: encoding ?? undefined,
  defaultCountry: country ?? undefined,
});

/** The JSON object of the field `columns`. Throws InvalidFields. */
function mappingOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  try {
    const mapping: unknown = JSON.parse(text);
    if (typeof mapping === 'object' && mapping !== null && !Array.isArray(mapping)) return { ...mapping };
  } catch {
    // The same message as for other values.
  }
  throw new InvalidFields({ columns: [withCode('wrong_type', 'The columns field must be a JSON object.')] });
}

export class TableColumnDto {
  @ApiProperty({ type: 'string', description: 'Name in the file.', example: 'Phone' })
  name: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Field of the column. Null: the column is ignored.',
    example: 'to_number',
  })
  field: string | null;
}

class PreviewColumnDto extends TableColumnDto {
  @ApiProperty({ type: [String], description: 'The first values.', example: ['030 123456'] })
  samples: string[];
}

class PreviewRowDto {
  @ApiProperty({ type: 'integer', description: 'Line of the file, or row of the sheet.', example: 2 })
  line: number;

  @ApiProperty({ type: [String], description: 'Cells in the order of the columns.', example: ['030 123456', 'Anna'] })
  cells: string[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Number as it would be stored. Null: the row would be refused.',
    example: '+4930123456',
  })
  number: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why the row would be refused.', example: null })
  problem: string | null;
}

class PreviewRefusalDto {
  @ApiProperty({ type: 'string', description: 'Field with the problem.', example: 'to_number' })
  field: string;

  @ApiProperty({ type: 'string', description: 'The reason.', example: 'The number is missing.' })
  message: string;

  @ApiProperty({ type: 'integer', description: 'Number of such rows.', example: 12 })
  rows: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    description: 'Lines of the first such rows.',
    example: [3, 17, 21],
  })
  lines: number[];
}

export class PreviewCountsDto {
  @ApiProperty({ type: 'integer', description: 'Counted rows, without the header.', example: 1200 })
  rows: number;

  @ApiProperty({ type: 'integer', description: 'Rows that would be new.', example: 1180 })
  added: number;

  @ApiProperty({ type: 'integer', description: 'Rows that would be refused.', example: 12 })
  refused: number;
}

/** A preview without its counts. */
export class TablePreviewDto implements Omit<TablePreview, 'counts'> {
  @ApiProperty({ type: 'string', description: 'Encoding of the file.', example: 'utf-8' })
  encoding: string;

  @ApiProperty({ type: 'string', description: 'Delimiter of the file.', example: ';' })
  delimiter: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Country of numbers without a country code. Null: they would be refused.',
    example: 'DE',
  })
  default_country: string | null;

  @ApiProperty({
    type: [PreviewColumnDto],
    description:
      'Columns of the file in their order. Columns that are not in `columns` of the request have the field that their name or their values suggest.',
  })
  columns: PreviewColumnDto[];

  @ApiProperty({ type: [PreviewRowDto], description: 'The first ten rows.' })
  rows: PreviewRowDto[];

  @ApiProperty({
    type: 'boolean',
    description: 'Whether all rows were counted. Counting ends after five seconds.',
    example: true,
  })
  is_complete: boolean;

  @ApiProperty({ type: [PreviewRefusalDto], description: 'Why rows would be refused, the most frequent reason first.' })
  refusals: PreviewRefusalDto[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'Why the import would be refused as a whole, by field. Empty: it would begin.',
    example: {},
  })
  errors: Record<string, string[]>;
}

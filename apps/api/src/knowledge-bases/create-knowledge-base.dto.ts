import { CONTENT_LENGTH, SOURCE_TYPES, type SourceType, TITLE_LENGTH } from '@app/knowledge';
import { ApiHideProperty, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength, MinLength, NotContains } from 'class-validator';
import { must } from '../http/validation-messages.js';
import { Trimmed } from '../http/transforms.js';
import { IsSourceField } from './is-source-field.js';
import { addressProblem, contentProblem, fileProblem } from './source-problems.js';
import type { UploadedFile } from './staged-file.js';

export class CreateKnowledgeBaseDto {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: TITLE_LENGTH,
    description: 'What people call it.',
    example: 'Returns',
  })
  @Trimmed()
  @NotContains('\0', { message: 'The title field must not contain null characters.' })
  @MaxLength(TITLE_LENGTH, { message: must.beShort(TITLE_LENGTH) })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  title: string;

  @ApiProperty({ type: 'string', enum: SOURCE_TYPES, description: 'Where its content comes from.', example: 'text' })
  @IsIn(SOURCE_TYPES, { message: must.beOneOf })
  source_type: SourceType;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: CONTENT_LENGTH,
    nullable: true,
    description: 'The text, plain or in Markdown, of a `text`. A longer one is uploaded as a file.',
    example: 'Goods can be returned within 30 days.',
  })
  @IsSourceField('text', contentProblem)
  content?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 2048,
    nullable: true,
    description: 'The http or https address of a `url`: a page, or a PDF, DOCX, CSV, Markdown or text file.',
    example: null,
  })
  @Trimmed()
  @IsSourceField('url', addressProblem)
  source_reference?: string | null;

  /** Put here by UploadInterceptor. */
  @ApiHideProperty()
  @IsSourceField('file', fileProblem)
  file?: UploadedFile;
}

/** The form that a file is sent in; its fields may come in any order. */
export class UploadKnowledgeBaseDto {
  @ApiProperty({ type: 'string', maxLength: TITLE_LENGTH, description: 'What people call it.', example: 'Price list' })
  title: string;

  @ApiProperty({ type: 'string', enum: ['file'], description: '`file`.', example: 'file' })
  source_type: 'file';

  @ApiProperty({
    type: 'string',
    format: 'binary',
    description: 'PDF, TXT, DOC, DOCX, MD or CSV, told by the extension of its name; at most 10 MB (10,485,760 bytes).',
  })
  file: unknown;
}

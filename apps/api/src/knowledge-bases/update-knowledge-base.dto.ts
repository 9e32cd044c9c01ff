import { CONTENT_LENGTH, TITLE_LENGTH } from '@app/knowledge';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional, IsString, MaxLength, MinLength, NotContains, ValidateBy } from 'class-validator';
import { IsOptionalOrBlank } from '../http/transforms.js';
import { must } from '../http/validation-messages.js';
import { Trimmed } from '../http/transforms.js';
import { contentProblem } from './source-validation.js';

const sentenceOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() === '' ? 'The content field is required.' : contentProblem(value);

const IsContent = (): PropertyDecorator =>
  ValidateBy({
    name: 'isContent',
    validator: {
      validate: (value: unknown) => sentenceOf(value) === undefined,
      defaultMessage: (args) => sentenceOf(args?.value) ?? '',
    },
  });

/** What is absent or null stays as it is. */
export class UpdateKnowledgeBaseDto {
  @ApiPropertyOptional({
    type: 'string',
    minLength: 1,
    maxLength: TITLE_LENGTH,
    nullable: true,
    description: 'A new title.',
    example: 'Returns and refunds',
  })
  @Trimmed()
  @IsOptional()
  @NotContains('\0', { message: 'The title field must not contain null characters.' })
  @MaxLength(TITLE_LENGTH, { message: must.beShort(TITLE_LENGTH) })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  title?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: CONTENT_LENGTH,
    nullable: true,
    description: 'A new text, only of a `text`. Searches find the old one until the answer is there, then the new one.',
    example: 'Goods can be returned within 60 days.',
  })
  @IsOptional()
  @IsContent()
  content?: string | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    description: 'Whether agents may use it.',
    example: true,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  is_active?: boolean | null;
}

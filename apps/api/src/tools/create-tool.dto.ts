import { ACTIONS_PER_TOOL, DESCRIPTION_LENGTH, type JsonSchema, RESERVED_NAMES, TOOL_NAME } from '@app/tools';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsNotIn,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { AsSent, IsOptionalOrBlank, Trimmed } from '../http/transforms.js';
import { IsObjectList } from '../http/validators.js';
import { must } from '../http/validation-messages.js';
import { IsToolSchema } from './json-fields.js';
import { CreateWebhookActionDto } from './webhook-action.dto.js';

const SNAKE_CASE =
  'The name field must be in snake_case: a lower-case letter, then at most 63 letters, digits and underscores.';

/** Fields that are null are as those that are absent. Unknown fields are ignored. */
export class CreateToolDto {
  @ApiProperty({
    type: 'string',
    pattern: TOOL_NAME.source,
    minLength: 1,
    maxLength: 64,
    description: `What the agent calls it; unlike the other tools of the agent and ${RESERVED_NAMES.join(', ')}.`,
    example: 'book_table',
  })
  @IsNotIn(RESERVED_NAMES, { message: 'The name is that of a built-in tool.' })
  @Matches(TOOL_NAME, { message: SNAKE_CASE })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  name: string;

  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: DESCRIPTION_LENGTH,
    description: 'By this the agent decides when to use it.',
    example: 'Books a table. Use it when the caller has told a day and the number of guests.',
  })
  @MaxLength(DESCRIPTION_LENGTH, { message: must.beShort(DESCRIPTION_LENGTH) })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  @Trimmed()
  description: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'JSON Schema (draft 2020-12, 2019-09 or 07) of its input: that of an object, at most 16 KB, 256 schemas in 8 levels and 100 properties, with `$ref` to its own `$defs` only, patterns without look-around and back-references. Without it the tool takes no arguments.',
    example: {
      type: 'object',
      properties: {
        date: { type: 'string', format: 'date', description: 'The day, as 2026-05-24.' },
        guests: { type: 'integer', minimum: 1, maximum: 12, description: 'How many come.' },
      },
      required: ['date', 'guests'],
    },
  })
  @AsSent()
  @IsOptional()
  @IsToolSchema()
  parameters?: JsonSchema | null;

  @ApiPropertyOptional({
    type: 'boolean',
    default: true,
    nullable: true,
    description: 'Whether the agent may use it.',
    example: true,
  })
  @IsOptionalOrBlank()
  @IsBoolean({ message: must.beTrueOrFalse })
  is_active?: boolean | null;

  @ApiPropertyOptional({
    type: [CreateWebhookActionDto],
    maxItems: ACTIONS_PER_TOOL,
    nullable: true,
    description: 'The requests that are made when it is invoked, in this order.',
  })
  @IsOptional()
  @IsObjectList()
  @ValidateNested({ each: true })
  @Type(() => CreateWebhookActionDto)
  webhook_actions?: CreateWebhookActionDto[] | null;
}

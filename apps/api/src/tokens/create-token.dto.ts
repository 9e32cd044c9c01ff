import { MAX_OVERLAP_MINUTES, SCOPES, type Scope } from '@app/auth';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  NotContains,
} from 'class-validator';
import { IsDateOrTime } from '../http/is-date-or-time.js';
import { must } from '../http/validation-messages.js';

const MAX_NAME = 255;

export class CreateTokenDto {
  @ApiProperty({ type: 'string', minLength: 1, maxLength: MAX_NAME, description: 'What it is for.', example: 'crm' })
  @NotContains('\0', { message: 'The name field must not contain null characters.' })
  @MaxLength(MAX_NAME, { message: must.beShort(MAX_NAME) })
  @IsString({ message: must.beText })
  @IsNotEmpty({ message: must.beText })
  name: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', enum: [...SCOPES] },
    uniqueItems: true,
    nullable: true,
    description: "What it may do: some of what the request's own token may. Left out: the same.",
    example: ['calls:read'],
  })
  @IsOptional()
  @IsIn(SCOPES, { each: true, message: must.beOneOf })
  @ArrayUnique({ message: 'The scopes field must not name a scope twice.' })
  @ArrayMaxSize(SCOPES.length, { message: 'The scopes field must not name a scope twice.' })
  @IsArray({ message: 'The scopes field must be a list.' })
  scopes?: Scope[] | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description:
      'When it ends: an ISO 8601 date (its last moment, UTC) or time. Left out, or later: when the token of the request ends, if it does.',
    example: '2030-01-31',
  })
  @IsOptional()
  @IsDateOrTime({ message: must.beDate })
  expires_at?: string | null;
}

export class RotateTokenDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_OVERLAP_MINUTES,
    nullable: true,
    default: 60,
    description: 'How long the old token works on. 0: it ends at once (within 5 s).',
  })
  @IsOptional()
  @Min(0, { message: must.beBetween(0, MAX_OVERLAP_MINUTES) })
  @Max(MAX_OVERLAP_MINUTES, { message: must.beBetween(0, MAX_OVERLAP_MINUTES) })
  @IsInt({ message: must.beInteger })
  overlap_minutes?: number | null;
}

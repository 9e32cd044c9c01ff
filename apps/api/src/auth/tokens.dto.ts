import { MAX_OVERLAP_MINUTES, type Scope, SCOPES, type TokenView } from '@app/auth';
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
import { nullableTime } from '../http/responses/api-time.js';
import { IsDateOrTime, must } from '../http/validation/field-validators.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';

const MAX_NAME = 255;

export class CreateTokenDto {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'Purpose of the token.',
    example: 'crm',
  })
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
    description: 'Scopes of the token: a subset of the scopes of the requesting token. Defaults to all of them.',
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
      'Expiry of the token: an ISO 8601 time, or a date (end of the day, UTC). Defaults to, and is limited by, the expiry of the requesting token.',
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
    description: 'Minutes for which the old token remains valid. 0 revokes it immediately (within 5 s).',
  })
  @IsOptional()
  @Min(0, { message: must.beBetween(0, MAX_OVERLAP_MINUTES) })
  @Max(MAX_OVERLAP_MINUTES, { message: must.beBetween(0, MAX_OVERLAP_MINUTES) })
  @IsInt({ message: must.beInteger })
  overlap_minutes?: number | null;
}

class TokenDto implements TokenView {
  @ApiProperty({ type: 'integer', description: 'Unique identifier.', example: 12 })
  id: number;

  @ApiProperty({ type: 'string', description: 'Purpose of the token.', example: 'crm' })
  name: string;

  @ApiProperty({ type: 'string', description: 'First characters of the token.', example: 'tk_4fGh…' })
  hint: string;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...SCOPES] }, description: 'Scopes of the token.' })
  scopes: Scope[];

  @ApiProperty(nullableTime('Expiry of the token. Null if it does not expire.'))
  expires_at: string | null;

  @ApiProperty(nullableTime('Time of the revocation. Null if the token was not revoked.'))
  revoked_at: string | null;

  @ApiProperty(nullableTime('Time of the last use, to the minute. Null if the token was never used.'))
  last_used_at: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'ID of the token that replaced this one.',
    example: null,
  })
  replaced_by: number | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of creation.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  created_at: string;
}

class IssuedTokenDto extends TokenDto {
  @ApiProperty({
    type: 'string',
    description: 'The token. It is returned only once.',
    example: 'tk_4fGhExampleExampleExampleExampleExampleExampleExamp',
  })
  token: string;
}

export class TokenIssuedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Token created successfully.' })
  message: string;

  @ApiProperty({ type: IssuedTokenDto, description: 'The new token.' })
  data: IssuedTokenDto;
}

export class TokenRevokedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Token revoked successfully.' })
  message: string;
}

export class TokenListDto {
  @ApiProperty({ type: [TokenDto], description: 'The tokens on this page, newest first.' })
  data: TokenDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

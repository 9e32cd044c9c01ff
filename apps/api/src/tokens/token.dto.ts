import { SCOPES, type Scope, type TokenView } from '@app/auth';
import { ApiProperty } from '@nestjs/swagger';
import { ListLinksDto, PageMetaDto } from '../calls/call.dto.js';

const time = (description: string) =>
  ({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description,
    example: '2026-01-02T03:04:05.678+00:00',
  }) as const;

class TokenDto implements TokenView {
  @ApiProperty({ type: 'integer', description: 'Identifier.', example: 12 })
  id: number;

  @ApiProperty({ type: 'string', description: 'What it is for.', example: 'crm' })
  name: string;

  @ApiProperty({ type: 'string', description: 'Its first characters.', example: 'tk_4fGh…' })
  hint: string;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...SCOPES] }, description: 'What it may do.' })
  scopes: Scope[];

  @ApiProperty(time('When it ends; null: never.'))
  expires_at: string | null;

  @ApiProperty(time('When it was revoked; null: it was not.'))
  revoked_at: string | null;

  @ApiProperty(time('When it was last used, to the minute; null: never.'))
  last_used_at: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The token that took its place.', example: null })
  replaced_by: number | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When it was made.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  created_at: string;
}

class IssuedTokenDto extends TokenDto {
  @ApiProperty({
    type: 'string',
    description: 'The token itself. It is shown this once.',
    example: 'tk_4fGhExampleExampleExampleExampleExampleExampleExamp',
  })
  token: string;
}

export class TokenIssuedDto {
  @ApiProperty({ type: 'string', description: 'What was done.', example: 'Token created successfully.' })
  message: string;

  @ApiProperty({ type: IssuedTokenDto, description: 'The new token.' })
  data: IssuedTokenDto;
}

export class TokenRevokedDto {
  @ApiProperty({ type: 'string', description: 'What was done.', example: 'Token revoked successfully.' })
  message: string;
}

export class TokenListDto {
  @ApiProperty({ type: [TokenDto], description: 'The tokens of this page, newest first.' })
  data: TokenDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Neighbouring pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Where this page lies in the list.' })
  meta: PageMetaDto;
}

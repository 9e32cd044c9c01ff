import { type Role, ROLES } from '@app/accounts';
import { type Scope, SCOPES, type SessionView } from '@app/auth';
import { ApiProperty } from '@nestjs/swagger';
import { nullableTime, time } from '../http/responses/api-time.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';

const email = {
  type: 'string',
  nullable: true,
  description: 'E-mail address. Null if the issuer does not reveal it.',
  example: 'anna@example.com',
} as const;
const personName = {
  type: 'string',
  nullable: true,
  description: 'Name. Null if the issuer does not reveal it.',
  example: 'Anna Smith',
} as const;
const personId = { type: 'integer', description: 'ID of the person, as in the audit log.', example: 3 } as const;

class SessionAccountDto {
  @ApiProperty({ type: 'integer', description: 'ID of the account.', example: 1 })
  id: number;

  @ApiProperty({ type: 'string', description: 'Name of the account.', example: 'default' })
  name: string;
}

class PersonDto {
  @ApiProperty(personId)
  id: number;

  @ApiProperty(email)
  email: string | null;

  @ApiProperty(personName)
  name: string | null;
}

class SessionDto {
  @ApiProperty({ type: SessionAccountDto, description: 'Account of the request.' })
  account: SessionAccountDto;

  @ApiProperty({ type: 'integer', nullable: true, description: 'ID of the token. Null for a person.', example: 12 })
  token_id: number | null;

  @ApiProperty({ type: PersonDto, nullable: true, description: 'Person of the request. Null for a token.' })
  person: PersonDto | null;

  @ApiProperty({
    type: 'string',
    enum: ROLES,
    nullable: true,
    description: 'Role of the person. Null for a token.',
    example: 'operator',
  })
  role: Role | null;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...SCOPES] }, description: 'Scopes of the request.' })
  scopes: Scope[];

  @ApiProperty(nullableTime('End of the session or access token. Null for a token of the account.'))
  expires_at: string | null;
}

export class FoundSessionDto {
  @ApiProperty({ type: SessionDto, description: 'The session.' })
  data: SessionDto;
}

class SignedOutDataDto {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Address of the logout at the issuer. Null if the issuer offers none.',
    example: null,
  })
  end_session_url: string | null;
}

export class SignedOutDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Signed out.' })
  message: string;

  @ApiProperty({ type: SignedOutDataDto, description: 'The next step.' })
  data: SignedOutDataDto;
}

class ListedPersonDto extends PersonDto {
  @ApiProperty({ type: 'string', description: 'Subject at the issuer.', example: '248289761001' })
  subject: string;
}

class ListedSessionDto implements SessionView {
  @ApiProperty({ type: 'integer', description: 'Unique identifier of the session.', example: 7 })
  id: number;

  @ApiProperty({ type: ListedPersonDto, description: 'The person.' })
  person: ListedPersonDto;

  @ApiProperty({ type: 'string', enum: ROLES, description: 'Role of the person.', example: 'operator' })
  role: Role;

  @ApiProperty(time('Time of the sign-in.'))
  created_at: string;

  @ApiProperty(time('Time of the last request, to the minute.'))
  last_used_at: string;

  @ApiProperty(time('Latest end of the session.'))
  expires_at: string;
}

export class SessionListDto {
  @ApiProperty({ type: [ListedSessionDto], description: 'The sessions on this page, newest first.' })
  data: ListedSessionDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

export class SessionEndedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'The session has ended.' })
  message: string;
}

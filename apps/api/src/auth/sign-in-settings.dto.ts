import { type Role, ROLES, signIn, type SignInView } from '@app/accounts';
import { SIGN_IN_CHECKS, SIGN_IN_RESULTS, type SignInCheck } from '@app/auth';
import { ApiProperty, type ApiPropertyOptions, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUrl, MaxLength } from 'class-validator';
import { time } from '../http/responses/api-time.js';
import { must } from '../http/validation/field-validators.js';
import { EmptyToUndefined } from '../http/validation/list-filters.js';
import { SchemaDto } from '../http/validation/schema-dto.js';

export class SignInSettingsDto extends SchemaDto(signIn, {
  organisation: 'acme',
  issuer: 'https://login.example.com/realms/acme',
  client_id: 'trunkline-console',
  client_secret: 'a secret of the issuer',
  scopes: 'openid profile email',
  audience: 'https://calls.example.com/api',
  api_clients: ['reporting'],
  group_claim: 'groups',
  roles: { 'voice-admins': 'owner', 'voice-team': 'operator' },
  people: { 'anna@example.com': 'owner' },
  default_role: 'viewer',
  allowed_domains: ['example.com'],
}) {}

export const SIGN_IN_EXAMPLES = {
  installation: {
    summary: 'The issuer of the installation',
    value: { roles: { 'voice-admins': 'owner', 'voice-team': 'operator' }, default_role: 'viewer' },
  },
  own: {
    summary: 'An own issuer',
    value: {
      organisation: 'acme',
      issuer: 'https://login.example.com/realms/acme',
      client_id: 'trunkline-console',
      client_secret: 'a secret of the issuer',
      roles: { 'voice-admins': 'owner' },
    },
  },
};

const text = (description: string, example: string | null) =>
  ({ type: 'string', nullable: true, description, example }) as const;
const rolesBy = (key: string, example: Record<string, Role>): ApiPropertyOptions => ({
  type: 'object',
  additionalProperties: { type: 'string', enum: [...ROLES] },
  description: `Roles by ${key}.`,
  example,
});

const redirectUri = {
  type: 'string',
  description: 'Redirect URI to register at the issuer. Each issuer has its own.',
  example: 'https://calls.example.com/sign-in/callback/a75133ad3f7ef6e09c7091c4a52d3494',
} as const;

class SignInDto implements SignInView {
  @ApiProperty(text('Short name that people enter to sign in.', 'acme'))
  organisation: string | null;

  @ApiProperty(text('Issuer. Null: that of the installation.', 'https://login.example.com/realms/acme'))
  issuer: string | null;

  @ApiProperty(text('Client ID of the console at the issuer.', 'trunkline-console'))
  client_id: string | null;

  @ApiProperty({ type: 'boolean', description: 'Whether a client secret is stored.', example: true })
  has_client_secret: boolean;

  @ApiProperty(text('Scopes of sign-in requests. Null: `openid profile email`.', null))
  scopes: string | null;

  @ApiProperty(text('Audience of access tokens for the API.', 'https://calls.example.com/api'))
  audience: string | null;

  @ApiProperty({ type: [String], description: 'Further client IDs whose access tokens are accepted.', example: [] })
  api_clients: string[];

  @ApiProperty(text('Claim with the groups of a person. Null: `groups`.', null))
  group_claim: string | null;

  @ApiProperty(rolesBy('group', { 'voice-admins': 'owner' }))
  roles: Record<string, Role>;

  @ApiProperty(rolesBy('verified e-mail address', { 'anna@example.com': 'owner' }))
  people: Record<string, Role>;

  @ApiProperty({ ...text('Role of people without a matching group. Null: none.', 'viewer'), enum: ROLES })
  default_role: Role | null;

  @ApiProperty({ type: [String], description: 'Domains that may sign in. Empty: all.', example: ['example.com'] })
  allowed_domains: string[];

  @ApiProperty(redirectUri)
  redirect_uri: string;

  @ApiProperty(time('Time of the last change.'))
  updated_at: string;
}

export class FoundSignInDto {
  @ApiProperty({ type: SignInDto, description: 'The settings.' })
  data: SignInDto;
}

const MAX_ISSUER = 300;

export class SignInAddressesQueryDto {
  @IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false },
    { message: 'The issuer field must be the URL of an issuer.' },
  )
  @MaxLength(MAX_ISSUER, { message: must.beShort(MAX_ISSUER) })
  @IsOptional()
  @EmptyToUndefined()
  @ApiPropertyOptional({
    type: 'string',
    format: 'uri',
    maxLength: MAX_ISSUER,
    description: 'Issuer. Absent: that of the installation.',
    example: 'https://login.example.com/realms/acme',
  })
  issuer?: string;
}

class SignInAddressesDto {
  @ApiProperty(redirectUri)
  redirect_uri: string;

  @ApiProperty({
    type: 'string',
    description: 'Where the issuer sends people after the sign-out. Optional at the issuer.',
    example: 'https://calls.example.com/console/',
  })
  post_logout_redirect_uri: string;

  @ApiProperty({
    type: 'string',
    description: 'Where the issuer reports ended sessions. Optional at the issuer.',
    example: 'https://calls.example.com/sign-in/back-channel-logout',
  })
  back_channel_logout_uri: string;
}

export class FoundSignInAddressesDto {
  @ApiProperty({ type: SignInAddressesDto, description: 'The addresses.' })
  data: SignInAddressesDto;
}

export class SignInWithMessageDto extends FoundSignInDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Sign-in updated successfully.' })
  message: string;
}

export class SignInRemovedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Sign-in removed successfully.' })
  message: string;
}

class SignInCheckDto implements SignInCheck {
  @ApiProperty({ type: 'string', enum: SIGN_IN_CHECKS, description: 'What was tested.', example: 'client' })
  name: SignInCheck['name'];

  @ApiProperty({
    type: 'string',
    enum: SIGN_IN_RESULTS,
    description: 'The result. `unknown`: the answer of the issuer does not show it.',
    example: 'passed',
  })
  result: SignInCheck['result'];

  @ApiProperty({
    type: 'string',
    description: 'The result as a sentence.',
    example: 'The issuer accepts the client and its secret. It checks the redirect URI at a sign-in.',
  })
  message: string;
}

class SignInTestDto {
  @ApiProperty({ type: 'boolean', description: 'Whether no check failed.', example: true })
  passed: boolean;

  @ApiProperty(redirectUri)
  redirect_uri: string;

  @ApiProperty({
    type: [SignInCheckDto],
    description: 'The checks in their order. After a failed check of the issuer there is none of the client.',
  })
  checks: SignInCheckDto[];
}

export class SignInTestedDto {
  @ApiProperty({ type: SignInTestDto, description: 'The results.' })
  data: SignInTestDto;
}

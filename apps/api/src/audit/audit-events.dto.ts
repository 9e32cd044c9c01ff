import { ACTOR_KINDS, type AuditEventView } from '@app/audit';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';
import { must } from '../http/validation/field-validators.js';
import { EmptyToUndefined, FromTimeFilter, ToTimeFilter } from '../http/validation/list-filters.js';
import { ListLinksDto, ListMetaDto, PageQueryDto } from '../http/responses/pagination.js';

const ACTION = /^[a-z_]{1,64}\.[a-z_]{1,64}$/;
/** A kind, or a kind and an id. */
const NAMED = /^[a-z_]{1,64}(?::[\w.@+-]{1,254})?$/;

export class ListAuditEventsDto extends PageQueryDto {
  @ApiPropertyOptional({
    type: 'string',
    description: 'Events with this action, such as `tool.created` or `token.revoked`.',
  })
  @EmptyToUndefined()
  @IsOptional()
  @Matches(ACTION, { message: 'The action field must be like tool.created.' })
  @IsString({ message: must.beText })
  action?: string;

  @ApiPropertyOptional({
    type: 'string',
    description:
      'Events of this actor: `token`, `person`, `cli` or `system`, optionally with an ID, such as `token:12`, or the e-mail address of a person, such as `person:anna@example.com`.',
  })
  @EmptyToUndefined()
  @IsOptional()
  @Matches(NAMED, { message: 'The actor field must be like token or token:12.' })
  @IsString({ message: must.beText })
  actor?: string;

  @ApiPropertyOptional({
    type: 'string',
    description: 'Events about this subject: a kind such as `tool`, optionally with an ID, such as `tool:7`.',
  })
  @EmptyToUndefined()
  @IsOptional()
  @Matches(NAMED, { message: 'The subject field must be like tool or tool:7.' })
  @IsString({ message: must.beText })
  subject?: string;

  @FromTimeFilter('Events')
  date_from?: string;

  @ToTimeFilter('Events')
  date_to?: string;
}

class AuditActorDto {
  @ApiProperty({
    type: 'string',
    enum: ACTOR_KINDS,
    description:
      'Kind of the actor: an API token, a person who signed in, a user of the command line, or the service itself.',
    example: 'token',
  })
  kind: (typeof ACTOR_KINDS)[number];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'ID of the token or person, or name of the command-line user. Null if unknown.',
    example: '12',
  })
  id: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'E-mail address of a person. Null for other actors, or if the issuer does not reveal it.',
    example: 'anna@example.com',
  })
  email: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Name of a person. Null for other actors, or if the issuer does not reveal it.',
    example: 'Anna Smith',
  })
  name: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Subject of a person at the issuer. Null for other actors.',
    example: '248289761001',
  })
  subject: string | null;
}

class AuditSubjectDto {
  @ApiProperty({ type: 'string', description: 'Kind of the resource.', example: 'tool' })
  kind: string;

  @ApiProperty({ type: 'string', description: 'ID of the resource.', example: '7' })
  id: string;
}

class AuditEventDto implements AuditEventView {
  @ApiProperty({ type: 'integer', description: 'Unique identifier; later events have higher values.', example: 1 })
  id: number;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'Time of the event.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  at: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'ID of the account.', example: 1 })
  account_id: number | null;

  @ApiProperty({ type: AuditActorDto, description: 'Token, user or service that performed the action.' })
  actor: AuditActorDto;

  @ApiProperty({ type: 'string', description: 'Action that was performed.', example: 'tool.created' })
  action: string;

  @ApiProperty({ type: AuditSubjectDto, nullable: true, description: 'Resource that the action changed.' })
  subject: AuditSubjectDto | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Names, IDs and settings of the change. Secrets are never included.',
    example: { name: 'book_table', agent_id: 1 },
  })
  details: Record<string, unknown>;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The `X-Request-Id` of the request that performed the action.',
    example: '0b7e5c1e-5f0a-4d55-9d0e-4a7f4c1f7f7b',
  })
  request_id: string | null;
}

export class AuditEventListDto {
  @ApiProperty({ type: [AuditEventDto], description: 'The events on this page, newest first.' })
  data: AuditEventDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: ListMetaDto, description: 'Position of this page in the list.' })
  meta: ListMetaDto;
}

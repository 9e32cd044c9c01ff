import type { AuditEventView } from '@app/audit';
import { ApiProperty } from '@nestjs/swagger';
import { ListLinksDto, ListMetaDto } from '../calls/call.dto.js';

const ACTOR_KINDS = ['token', 'cli', 'system'] as const;

class AuditActorDto {
  @ApiProperty({
    type: 'string',
    enum: ACTOR_KINDS,
    description: 'A token of the API, somebody at the command line, or the service itself.',
    example: 'token',
  })
  kind: (typeof ACTOR_KINDS)[number];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Of a token its id; at the command line the name of the user; null when it is not known.',
    example: '12',
  })
  id: string | null;
}

class AuditSubjectDto {
  @ApiProperty({ type: 'string', description: 'What kind of thing it was done to.', example: 'tool' })
  kind: string;

  @ApiProperty({ type: 'string', description: 'Its id.', example: '7' })
  id: string;
}

class AuditEventDto implements AuditEventView {
  @ApiProperty({ type: 'integer', description: 'Identifier; later events have higher ones.', example: 1 })
  id: number;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When it was done.',
    example: '2026-01-02T03:04:05.678+00:00',
  })
  at: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Whose it is.', example: 1 })
  account_id: number | null;

  @ApiProperty({ type: AuditActorDto, description: 'Who did it.' })
  actor: AuditActorDto;

  @ApiProperty({ type: 'string', description: 'What was done.', example: 'tool.created' })
  action: string;

  @ApiProperty({ type: AuditSubjectDto, nullable: true, description: 'What it was done to.' })
  subject: AuditSubjectDto | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Names, ids and settings; never secrets.',
    example: { name: 'book_table', agent_id: 1 },
  })
  details: Record<string, unknown>;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The `X-Request-Id` of the request that asked for it.',
    example: '0b7e5c1e-5f0a-4d55-9d0e-4a7f4c1f7f7b',
  })
  request_id: string | null;
}

export class AuditEventListDto {
  @ApiProperty({ type: [AuditEventDto], description: 'The events of this page, newest first.' })
  data: AuditEventDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Neighbouring pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: ListMetaDto, description: 'Where this page lies in the list.' })
  meta: ListMetaDto;
}

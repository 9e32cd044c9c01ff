import {
  draftChange,
  VERSION_STATES,
  type VersionState,
  type VersionView,
  type VersionWithSettingsView,
} from '@app/agents';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { must } from '../http/validation/field-validators.js';
import { WarningDto } from '../http/responses/warning.dto.js';
import { SchemaDto } from '../http/validation/schema-dto.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';
import { AgentSettingsDto, SETTINGS_EXAMPLES } from './agent-settings.dto.js';

class VersionAuthorDto {
  @ApiProperty({ type: 'string', description: '`token`, `cli` or `system`.', example: 'token' })
  kind: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'ID of the token, or name of the user.', example: '1' })
  id: string | null;
}

const time = { type: 'string', format: 'date-time', example: '2026-01-02T03:04:05.678+00:00' } as const;

class AgentVersionDto implements VersionView {
  @ApiProperty({ type: 'integer', description: 'Number of the version, from 1.', example: 1 })
  version: number;

  @ApiProperty({
    type: 'string',
    enum: VERSION_STATES,
    description:
      '`draft`: never published, can be changed. `current`: new calls get it. `canary`: a share of the new calls gets it. `superseded`: new calls do not get it; calls that have it keep it.',
    example: 'current',
  })
  state: VersionState;

  @ApiProperty({ type: 'integer', description: 'Share of the new calls in percent.', example: 100 })
  traffic_percent: number;

  @ApiProperty({ type: 'string', description: 'Note of its author.', example: 'Shorter greeting' })
  note: string;

  @ApiProperty({
    type: VersionAuthorDto,
    nullable: true,
    description: 'Creator of the version. Null for version 1 of agents that an earlier release created.',
  })
  created_by: VersionAuthorDto | null;

  @ApiProperty({ ...time, description: 'Time of creation.' })
  created_at: string;

  @ApiProperty({ ...time, nullable: true, description: 'Time of the last publication. Null for drafts.' })
  published_at: string | null;
}

class AgentVersionWithSettingsDto extends AgentVersionDto implements VersionWithSettingsView {
  @ApiProperty({ type: AgentSettingsDto, description: 'The settings of the version.' })
  settings: AgentSettingsDto;
}

export class AgentVersionListDto {
  @ApiProperty({ type: [AgentVersionDto], description: 'The versions on this page, newest first.' })
  data: AgentVersionDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

export class FoundAgentVersionDto {
  @ApiProperty({ type: AgentVersionWithSettingsDto, description: 'The version with its settings.' })
  data: AgentVersionWithSettingsDto;

  @ApiPropertyOptional({
    type: [WarningDto],
    description:
      '`agent_not_configured`: calls fail, because the dialers lack a key or a model. `provider_not_configured`: calls work without this provider.',
  })
  warnings?: WarningDto[];
}

export class AgentVersionWithMessageDto extends FoundAgentVersionDto {
  @ApiProperty({ type: 'string', description: 'Confirmation.', example: 'Version published successfully.' })
  message: string;
}

export class AgentVersionMessageDto {
  @ApiProperty({ type: 'string', description: 'Confirmation.', example: 'Version deleted successfully.' })
  message: string;
}

/** Absent fields have the values of the version that the draft begins with. */
export class AgentDraftDto extends SchemaDto(draftChange, {
  ...SETTINGS_EXAMPLES,
  note: 'Shorter greeting',
  from_version: 1,
}) {}

export class PublishVersionDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 100,
    nullable: true,
    description: 'Share of the new calls that the version gets. Below 100 it is a canary beside the current version.',
    example: 100,
  })
  @IsOptional()
  @Max(100, { message: must.beBetween(1, 100) })
  @Min(1, { message: must.beBetween(1, 100) })
  @IsInt({ message: must.beInteger })
  traffic_percent?: number | null;
}

/** JSON bodies for Swagger UI. */
export const DRAFT_EXAMPLES = {
  greeting: {
    summary: 'A draft with another greeting',
    value: { greeting: 'Good day, this is ACME.', note: 'Shorter greeting' },
  },
  transfer: {
    summary: 'A draft with another caller ID for transfers',
    value: { call_transfer: { caller_id_number_id: 1 } },
  },
};

export const PUBLISH_EXAMPLES = {
  all: { summary: 'For all new calls', value: {} },
  canary: { summary: 'For a tenth of the new calls', value: { traffic_percent: 10 } },
};

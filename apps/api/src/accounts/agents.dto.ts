import type { AgentSummaryView } from '@app/accounts';
import { ApiProperty } from '@nestjs/swagger';
import { ListLinksDto, PageMetaDto } from '../http/pagination.js';

const time = (description: string) =>
  ({ type: 'string', format: 'date-time', description, example: '2026-01-02T03:04:05.678+00:00' }) as const;

class AgentDto implements AgentSummaryView {
  @ApiProperty({
    type: 'integer',
    description: 'Unique identifier: the `agent_id` of calls, knowledge bases and tools.',
    example: 1,
  })
  id: number;

  @ApiProperty({ type: 'string', description: 'Name, unique in the account.', example: 'Receptionist' })
  name: string;

  @ApiProperty({ type: 'string', description: 'Voice provider that the agent uses.', example: 'sandbox' })
  provider: string;

  @ApiProperty({ type: 'boolean', description: 'Whether the agent can be used for calls.', example: true })
  active: boolean;

  @ApiProperty({
    type: 'string',
    description: 'Text that the agent speaks first. Empty if it waits for the user.',
    example: 'Hello, this is ACME.',
  })
  greeting: string;

  @ApiProperty({ type: 'integer', description: 'Maximum duration of a call in seconds.', example: 600 })
  max_call_seconds: number;

  @ApiProperty({ type: 'integer', description: 'Maximum ringing time of a call in seconds.', example: 60 })
  ring_timeout_seconds: number;

  @ApiProperty({ type: 'boolean', description: 'Whether the agent can transfer calls.', example: false })
  transfer_enabled: boolean;

  @ApiProperty({ type: 'integer', description: 'Number of the current version of the settings.', example: 1 })
  version: number;

  @ApiProperty(time('Time of creation.'))
  created_at: string;

  @ApiProperty(time('Time of the last change of its settings.'))
  updated_at: string;
}

export class AgentListDto {
  @ApiProperty({ type: [AgentDto], description: 'The agents on this page, sorted by name.' })
  data: AgentDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

import type { AgentView } from '@app/accounts';
import { ApiProperty, PickType } from '@nestjs/swagger';
import { ListLinksDto, PageMetaDto } from '../calls/call.dto.js';
import { ListCallsDto } from '../calls/list-calls.dto.js';

const time = (description: string) =>
  ({ type: 'string', format: 'date-time', description, example: '2026-01-02T03:04:05.678+00:00' }) as const;

export class ListAgentsDto extends PickType(ListCallsDto, ['page', 'per_page'] as const) {}

class AgentDto implements AgentView {
  @ApiProperty({ type: 'integer', description: 'The `agent_id` of calls, knowledge bases and tools.', example: 1 })
  id: number;

  @ApiProperty({ type: 'string', description: 'Unique in the account.', example: 'Receptionist' })
  name: string;

  @ApiProperty({ type: 'string', description: 'Whose voice model speaks.', example: 'sandbox' })
  provider: string;

  @ApiProperty({ type: 'boolean', description: 'It may be given calls.', example: true })
  active: boolean;

  @ApiProperty({ type: 'string', description: 'Its first words; empty: it waits.', example: 'Hello, this is ACME.' })
  greeting: string;

  @ApiProperty({ type: 'integer', description: 'Longest duration of its calls.', example: 600 })
  max_call_seconds: number;

  @ApiProperty({ type: 'integer', description: 'How long its calls ring at most.', example: 60 })
  ring_timeout_seconds: number;

  @ApiProperty({ type: 'boolean', description: 'It may transfer calls.', example: false })
  transfer_enabled: boolean;

  @ApiProperty(time('When it was made.'))
  created_at: string;

  @ApiProperty(time('When its settings changed.'))
  updated_at: string;
}

export class AgentListDto {
  @ApiProperty({ type: [AgentDto], description: 'The agents of this page, by name.' })
  data: AgentDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Neighbouring pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Where this page lies in the list.' })
  meta: PageMetaDto;
}

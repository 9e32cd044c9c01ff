import { newNumber, type NumberView } from '@app/accounts';
import { ApiProperty } from '@nestjs/swagger';
import { time } from '../http/responses/api-time.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';
import { PartialDto, SchemaDto } from '../http/validation/schema-dto.js';
import { NumberClosedDto, NumberHoursDto, NumberQueueDto } from './number-front.dto.js';

const HOURS_EXAMPLE = {
  time_zone: 'Europe/Berlin',
  windows: [{ days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'], from: '09:00', to: '17:30' }],
  excluded_dates: ['2026-12-25'],
};
const CLOSED_EXAMPLE = {
  action: 'say_and_hang_up',
  message: 'We are closed. Please call again on Monday.',
  language: 'en',
};
const QUEUE_EXAMPLE = { max_waiting: 20, max_wait_seconds: 300, announce: { every_seconds: 30 } };

export class CreateNumberDto extends SchemaDto(newNumber, {
  e164: '+15550002222',
  name: 'support',
  agent_id: 1,
  active: true,
  hours: HOURS_EXAMPLE,
  closed: CLOSED_EXAMPLE,
  queue: QUEUE_EXAMPLE,
}) {}

/** Absent fields stay unchanged. */
export class UpdateNumberDto extends PartialDto(CreateNumberDto) {}

export const CREATE_NUMBER_EXAMPLES = {
  answered: {
    summary: 'A number whose inbound calls an agent answers',
    value: { e164: '+15550002222', name: 'support', agent_id: 1 },
  },
  front: {
    summary: 'Business hours, a closed message, and a queue',
    value: {
      e164: '+15550004444',
      agent_id: 1,
      hours: HOURS_EXAMPLE,
      closed: CLOSED_EXAMPLE,
      queue: QUEUE_EXAMPLE,
    },
  },
  unnamed: { summary: 'A number for outbound calls', value: { e164: '+15550003333' } },
};

export const UPDATE_NUMBER_EXAMPLES = {
  agent: { summary: 'Another agent', value: { agent_id: 1 } },
  unanswered: { summary: 'Inbound calls are refused', value: { agent_id: null } },
};

class NumberDto implements NumberView {
  @ApiProperty({ type: 'integer', description: 'Unique identifier: the `number_id` of calls.', example: 1 })
  id: number;

  @ApiProperty({ type: 'string', description: 'Name, unique in the account.', example: 'main' })
  name: string;

  @ApiProperty({ type: 'string', description: 'Phone number in E.164 format.', example: '+15550001111' })
  e164: string;

  @ApiProperty({ type: 'boolean', description: 'Whether the number can be used for calls.', example: true })
  active: boolean;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'ID of the agent that answers calls to this number. Null if they are not answered.',
    example: 1,
  })
  agent_id: number | null;

  @ApiProperty({
    type: NumberHoursDto,
    nullable: true,
    description: 'When the agent answers. Null: always.',
    example: HOURS_EXAMPLE,
  })
  hours: NumberHoursDto | null;

  @ApiProperty({
    type: NumberClosedDto,
    nullable: true,
    description: 'What happens to calls outside the hours. Null: they are rejected (480).',
    example: { ...CLOSED_EXAMPLE, agent_id: null },
  })
  closed: NumberClosedDto | null;

  @ApiProperty({
    type: NumberQueueDto,
    nullable: true,
    description:
      'The queue of callers when the account or the trunk has reached its concurrent calls. Null: they hear the busy tone.',
    example: null,
  })
  queue: NumberQueueDto | null;

  @ApiProperty(time('Time of creation.'))
  created_at: string;

  @ApiProperty(time('Time of the last change of its settings.'))
  updated_at: string;
}

export class NumberListDto {
  @ApiProperty({ type: [NumberDto], description: 'The phone numbers on this page, sorted by name.' })
  data: NumberDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

export class FoundNumberDto {
  @ApiProperty({ type: NumberDto, description: 'The phone number.' })
  data: NumberDto;
}

export class NumberWithMessageDto extends FoundNumberDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Number created successfully.' })
  message: string;
}

export class NumberDeletedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Number deleted successfully.' })
  message: string;
}

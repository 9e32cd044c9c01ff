import { newNumber, type NumberView } from '@app/accounts';
import { ApiProperty, PartialType } from '@nestjs/swagger';
import { time } from '../http/api-time.js';
import { ListLinksDto, PageMetaDto } from '../http/pagination.js';
import { SchemaField } from '../http/schema-field.js';

const { shape } = newNumber;

export class CreateNumberDto {
  @SchemaField(shape.e164, '+15550002222')
  e164: string;

  @SchemaField(shape.name, 'support')
  name?: string;

  @SchemaField(shape.agent_id, 1)
  agent_id?: number | null;

  @SchemaField(shape.active, true)
  active?: boolean;
}

/** Absent fields stay unchanged. */
export class UpdateNumberDto extends PartialType(CreateNumberDto) {}

export const CREATE_NUMBER_EXAMPLES = {
  answered: {
    summary: 'A number whose inbound calls an agent answers',
    value: { e164: '+15550002222', name: 'support', agent_id: 1 },
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

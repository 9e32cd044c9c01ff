import type { NumberView } from '@app/accounts';
import { ApiProperty } from '@nestjs/swagger';
import { ListLinksDto, PageMetaDto } from '../http/pagination.js';

const time = (description: string) =>
  ({ type: 'string', format: 'date-time', description, example: '2026-01-02T03:04:05.678+00:00' }) as const;

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

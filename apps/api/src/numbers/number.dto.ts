import type { NumberView } from '@app/accounts';
import { ApiProperty, PickType } from '@nestjs/swagger';
import { ListLinksDto, PageMetaDto } from '../calls/call.dto.js';
import { ListCallsDto } from '../calls/list-calls.dto.js';

const time = (description: string) =>
  ({ type: 'string', format: 'date-time', description, example: '2026-01-02T03:04:05.678+00:00' }) as const;

export class ListNumbersDto extends PickType(ListCallsDto, ['page', 'per_page'] as const) {}

class NumberDto implements NumberView {
  @ApiProperty({ type: 'integer', description: 'The `number_id` of calls.', example: 1 })
  id: number;

  @ApiProperty({ type: 'string', description: 'Unique in the account.', example: 'main' })
  name: string;

  @ApiProperty({ type: 'string', description: 'The number itself.', example: '+15550001111' })
  e164: string;

  @ApiProperty({ type: 'boolean', description: 'Calls may come from it.', example: true })
  active: boolean;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The agent that answers calls to it; null: they are not answered.',
    example: 1,
  })
  agent_id: number | null;

  @ApiProperty(time('When it was made.'))
  created_at: string;

  @ApiProperty(time('When its settings changed.'))
  updated_at: string;
}

export class NumberListDto {
  @ApiProperty({ type: [NumberDto], description: 'The phone numbers of this page, by name.' })
  data: NumberDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Neighbouring pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Where this page lies in the list.' })
  meta: PageMetaDto;
}

import { ApiProperty } from '@nestjs/swagger';
import type { Warning } from '../validation/ignored-fields.js';

/** What a successful request did not do, or left in a state that may surprise. */
export class WarningDto implements Warning {
  @ApiProperty({
    type: 'string',
    description: 'Kind of the warning; `unknown_field`: a field of the request was ignored.',
    example: 'number_without_agent',
  })
  code: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Path of the field or record; null: the whole request.',
    example: 'numbers.1',
  })
  field: string | null;

  @ApiProperty({
    type: 'string',
    description: 'The warning as a sentence.',
    example: 'Calls to +15551230000 (Main line) are not answered any more: the number has no agent.',
  })
  message: string;
}

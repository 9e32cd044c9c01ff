import type { CallWithResultsView } from '@app/calls';
import { ApiProperty } from '@nestjs/swagger';
import { CostLineDto } from '../webhooks/webhook-events.dto.js';
import { CallDto } from './call.dto.js';

/** The call as it is read alone: with what came of it. */
export class CallWithResultsDto extends CallDto implements CallWithResultsView {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'The conversation in a few sentences. Null until the call has ended, if it was not answered, and when the transcript was deleted.',
    example:
      'The agent spoke 8.2 s in 3 turns, the callee 4.1 s in 2 turns. Tools used: find_order. The agent ended the call.',
  })
  summary: string | null;

  @ApiProperty({
    type: [CostLineDto],
    description: 'What `cost` is made of; empty if the call is not completed. The same as in the post-call webhook.',
  })
  costs: CostLineDto[];
}

export class FoundCallDto {
  @ApiProperty({ type: CallWithResultsDto, description: 'The call.' })
  data: CallWithResultsDto;
}

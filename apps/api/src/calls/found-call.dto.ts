import type { CallWithResultsView } from '@app/calls';
import { ApiProperty } from '@nestjs/swagger';
import { CostLineDto, TranscriptTurnDto } from '../webhooks/webhook-events.dto.js';
import { CallDto } from './call.dto.js';

/** One call with its results. */
class CallWithResultsDto extends CallDto implements CallWithResultsView {
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
    description: 'The lines of `cost`; empty if the call is not completed. The same as in the post-call webhook.',
  })
  costs: CostLineDto[];
}

export class FoundCallDto {
  @ApiProperty({ type: CallWithResultsDto, description: 'The call.' })
  data: CallWithResultsDto;
}

class TranscriptDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'The call.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11',
  })
  call_id: string;

  @ApiProperty({
    type: 'boolean',
    description: 'The call is over. Before, `turns` has those that have ended so far.',
    example: true,
  })
  complete: boolean;

  @ApiProperty({
    type: [TranscriptTurnDto],
    description: 'Everything that was said, in order, as in `transcript` of the post-call webhook.',
  })
  turns: TranscriptTurnDto[];
}

export class FoundTranscriptDto {
  @ApiProperty({ type: TranscriptDto, description: 'The transcript.' })
  data: TranscriptDto;
}

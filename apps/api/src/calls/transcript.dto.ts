import { ApiProperty } from '@nestjs/swagger';
import { TranscriptTurnDto } from '../webhooks/webhook-events.dto.js';

export class TranscriptDto {
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

import { ApiProperty } from '@nestjs/swagger';
import { EventDto } from './webhook-events.dto.js';

class TestEventDataDto {
  @ApiProperty({ type: 'string', description: 'A sentence.', example: 'This is a test of your webhook.' })
  message: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The agent whose webhook is tested.', example: 1 })
  agent_id: number | null;
}

/** Body of a test webhook. */
export class TestEventDto extends EventDto {
  @ApiProperty({ type: 'string', enum: ['test'], description: 'Kind of webhook.', example: 'test' })
  type: 'test';

  @ApiProperty({ type: 'string', enum: ['test'], description: 'What happened.', example: 'test' })
  event: 'test';

  @ApiProperty({ type: TestEventDataDto, description: 'The message of the test.' })
  data: TestEventDataDto;
}

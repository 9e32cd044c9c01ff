import { ApiProperty } from '@nestjs/swagger';
import { RecordedAssignmentDto } from '../tools/tool-invocations.dto.js';
import { EventDto } from './webhook-events.dto.js';

class ToolResultEventDataDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'ID of the call.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11',
  })
  call_id: string;

  @ApiProperty({ type: 'integer', description: 'ID of the agent.', example: 1 })
  agent_id: number;

  @ApiProperty({ type: 'string', description: 'Name of the agent.', example: 'Receptionist' })
  agent: string;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'ID of the tool invocation.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33',
  })
  invocation_id: string;

  @ApiProperty({ type: 'integer', description: 'ID of the tool.', example: 1 })
  tool_id: number;

  @ApiProperty({ type: 'string', description: 'Name of the tool.', example: 'book_table' })
  tool: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The `tool_call_id` of the post-call webhook.',
    example: 'call_8Zk2',
  })
  tool_call_id: string | null;

  @ApiProperty({ type: 'boolean', description: 'Whether the tool reported no failure.', example: true })
  ok: boolean;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The result, or `{error: {code, message}}`.',
    example: { id: 'b-4711' },
  })
  result: Record<string, unknown>;

  @ApiProperty({ type: [RecordedAssignmentDto], required: false, description: 'Variables that the result set.' })
  assigned?: RecordedAssignmentDto[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The `metadata` of the call.',
    example: { customer_id: 42 },
  })
  metadata: Record<string, unknown> | null;
}

/** Body of the webhook of a result that a background tool reported after the end of its call. */
export class ToolResultEventDto extends EventDto {
  @ApiProperty({ type: 'string', enum: ['tool-result'], description: 'Type of the webhook.', example: 'tool-result' })
  type: 'tool-result';

  @ApiProperty({
    type: 'string',
    enum: ['tool-completed', 'tool-failed'],
    description: 'Event.',
    example: 'tool-completed',
  })
  event: 'tool-completed' | 'tool-failed';

  @ApiProperty({ type: ToolResultEventDataDto, description: 'The result.' })
  data: ToolResultEventDataDto;
}

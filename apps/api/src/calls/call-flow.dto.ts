import type { CallFlowView } from '@app/calls';
import { ApiProperty } from '@nestjs/swagger';
import { MeasuredCallDto } from './call-measures.dto.js';

class CollectedValueDto {
  @ApiProperty({ type: 'string', description: 'Name of the value.', example: 'reason' })
  name: string;

  @ApiProperty({
    oneOf: [
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'array', items: {} },
      { type: 'object', additionalProperties: true },
    ],
    description: 'The value, of the type that its schema has.',
    example: 'book',
  })
  value: unknown;

  @ApiProperty({ type: 'string', description: 'Name of the step that collected it.', example: 'identify' })
  step: string;

  @ApiProperty({
    type: 'integer',
    description: 'Number of the turn of the user in which it was reported, from 1; 0 before the first.',
    example: 2,
  })
  turn: number;

  @ApiProperty({ type: 'integer', description: 'Time in milliseconds since the answer.', example: 8120 })
  at_ms: number;
}

class SpeakingAgentDto {
  @ApiProperty({ type: 'integer', description: 'ID of the agent.', example: 7 })
  agent_id: number;

  @ApiProperty({ type: 'string', description: 'Name of the agent at that time.', example: 'Cancellations' })
  name: string;

  @ApiProperty({
    type: 'integer',
    description: 'Time from which it spoke, in milliseconds since the answer.',
    example: 21_400,
  })
  from_ms: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Why it took over. Null: it began the call, or the transcript was deleted.',
    example: 'The caller wants to cancel.',
  })
  reason: string | null;
}

/** A call with the results of its flow and its handoffs. */
export class FlowedCallDto extends MeasuredCallDto implements CallFlowView {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'Values that the flow of the agent has collected so far, by name. Empty without a flow, and when the transcript was deleted.',
    example: { name: 'Ada', reason: 'book' },
  })
  values: Record<string, unknown>;

  @ApiProperty({ type: [CollectedValueDto], description: 'Where each of `values` comes from, the oldest first.' })
  value_evidence: CollectedValueDto[];

  @ApiProperty({
    type: [String],
    description: 'Names of the steps of flows in the order in which they were entered. Empty without a flow.',
    example: ['identify', 'book', 'confirm'],
  })
  path: string[];

  @ApiProperty({
    type: [SpeakingAgentDto],
    description: 'The agents that spoke, from the first to the last. Empty when no other agent took over.',
  })
  agents: SpeakingAgentDto[];
}

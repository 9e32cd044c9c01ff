import { ApiProperty } from '@nestjs/swagger';
import { KnowledgeSearchDto, TranscriptTurnDto } from '../webhooks/webhook-events.dto.js';

class StepResultDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of the step, from 1.', example: 1 })
  step: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'Its name, if it has one.', example: 'greeting' })
  name: string | null;

  @ApiProperty({ type: 'boolean', description: 'All that it expects was met.', example: true })
  passed: boolean;

  @ApiProperty({ type: [String], description: 'A sentence for each thing that was not.', example: [] })
  failures: string[];

  @ApiProperty({ type: [String], description: 'What the agent said.', example: ['Hello, this is ACME.'] })
  said: string[];

  @ApiProperty({ type: [String], description: 'Names of the tools that it called.', example: ['order_status'] })
  tool_calls: string[];

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Milliseconds from the input to its first words, in the time of the conversation; null: it said nothing.',
    example: 412,
  })
  spoke_after_ms: number | null;
}

class SimulationEndDto {
  @ApiProperty({ type: 'string', enum: ['agent', 'callee', 'system'], description: 'Who ended it.', example: 'agent' })
  ended_by: string;

  @ApiProperty({ type: 'string', description: 'Why, as `hangup_cause` of a call.', example: 'agent_hangup' })
  cause: string;
}

class SimulationUsageDto {
  @ApiProperty({ type: 'string', description: 'What was used.', example: 'output_text_tokens' })
  kind: string;

  @ApiProperty({ type: 'number', description: 'How much of it.', example: 0.128 })
  quantity: number;

  @ApiProperty({ type: 'string', description: 'Unit of `quantity`.', example: 'thousand_tokens' })
  unit: string;

  @ApiProperty({ type: 'string', description: 'Who charges for it.', example: 'openai-realtime' })
  source: string;
}

class SimulationDto {
  @ApiProperty({ type: 'string', description: 'Name of the scenario.', example: 'asks for a price' })
  name: string;

  @ApiProperty({ type: 'boolean', description: 'Every step passed.', example: true })
  passed: boolean;

  @ApiProperty({ type: [StepResultDto], description: 'How each step went.' })
  steps: StepResultDto[];

  @ApiProperty({ type: [TranscriptTurnDto], description: 'What was said by both sides, in order.' })
  transcript: TranscriptTurnDto[];

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Tools the agent called, with arguments and results, as in the post-call webhook.',
    example: [],
  })
  tool_calls: Record<string, unknown>[];

  @ApiProperty({ type: [KnowledgeSearchDto], description: 'What the agent looked up in its knowledge bases.' })
  knowledge_searches: KnowledgeSearchDto[];

  @ApiProperty({ type: [SimulationUsageDto], description: 'What the provider counted.' })
  usage: SimulationUsageDto[];

  @ApiProperty({
    type: 'number',
    description: 'What that costs by the price book, in USD; counts towards the daily spend of the account.',
    example: 0.00142,
  })
  cost: number;

  @ApiProperty({
    type: SimulationEndDto,
    nullable: true,
    description: 'How the conversation ended; null: the steps were over first.',
  })
  end: SimulationEndDto | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Why it could not be played to its end, whatever the agent is like.',
    example: null,
  })
  error: string | null;

  @ApiProperty({ type: 'integer', description: 'How long the conversation would have taken.', example: 14_200 })
  conversation_ms: number;

  @ApiProperty({ type: 'integer', description: 'How long it took.', example: 310 })
  duration_ms: number;

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'With `tools: record`: the answers of the tools, to be given as `mocks`.',
    example: null,
  })
  mocks: Record<string, unknown> | null;
}

export class SimulatedDto {
  @ApiProperty({ type: SimulationDto, description: 'What became of the scenario, whether it passed or not.' })
  data: SimulationDto;
}

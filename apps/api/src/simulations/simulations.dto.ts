import { scenarioJsonSchema } from '@app/sandbox';
import { ApiProperty, type OpenAPIObject } from '@nestjs/swagger';
import { KnowledgeSearchDto, TranscriptTurnDto } from '../calls/call-results.dto.js';

class StepResultDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of the step, from 1.', example: 1 })
  step: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'Name of the step, if given.', example: 'greeting' })
  name: string | null;

  @ApiProperty({ type: 'boolean', description: 'Whether every expectation was met.', example: true })
  passed: boolean;

  @ApiProperty({ type: [String], description: 'One message per failed expectation.', example: [] })
  failures: string[];

  @ApiProperty({ type: [String], description: 'Texts spoken by the agent.', example: ['Hello, this is ACME.'] })
  said: string[];

  @ApiProperty({ type: [String], description: 'Names of the tools called by the agent.', example: ['order_status'] })
  tool_calls: string[];

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Milliseconds of conversation time from the input to the first words of the agent. Null if it said nothing.',
    example: 412,
  })
  spoke_after_ms: number | null;
}

class SimulationEndDto {
  @ApiProperty({
    type: 'string',
    enum: ['agent', 'callee', 'system'],
    description: 'Party that ended the conversation.',
    example: 'agent',
  })
  ended_by: string;

  @ApiProperty({ type: 'string', description: 'Reason, as in `hangup_cause` of a call.', example: 'agent_hangup' })
  cause: string;
}

class SimulationUsageDto {
  @ApiProperty({ type: 'string', description: 'Kind of usage.', example: 'output_text_tokens' })
  kind: string;

  @ApiProperty({ type: 'number', description: 'Amount of usage.', example: 0.128 })
  quantity: number;

  @ApiProperty({ type: 'string', description: 'Unit of `quantity`.', example: 'thousand_tokens' })
  unit: string;

  @ApiProperty({ type: 'string', description: 'Provider that charges for the usage.', example: 'openai-realtime' })
  source: string;
}

class SimulationDto {
  @ApiProperty({ type: 'string', description: 'Name of the scenario.', example: 'asks for a price' })
  name: string;

  @ApiProperty({ type: 'boolean', description: 'Whether every step passed.', example: true })
  passed: boolean;

  @ApiProperty({ type: [StepResultDto], description: 'Result of each step.' })
  steps: StepResultDto[];

  @ApiProperty({ type: [TranscriptTurnDto], description: 'Turns of both parties in order.' })
  transcript: TranscriptTurnDto[];

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Tool calls of the agent with arguments and results, as in the post-call webhook.',
    example: [],
  })
  tool_calls: Record<string, unknown>[];

  @ApiProperty({ type: [KnowledgeSearchDto], description: 'Knowledge searches of the agent.' })
  knowledge_searches: KnowledgeSearchDto[];

  @ApiProperty({ type: [SimulationUsageDto], description: 'Usage reported by the provider.' })
  usage: SimulationUsageDto[];

  @ApiProperty({
    type: 'number',
    description:
      'Cost of the usage according to the price book, in USD. Counts towards the daily spend of the account.',
    example: 0.00142,
  })
  cost: number;

  @ApiProperty({
    type: SimulationEndDto,
    nullable: true,
    description: 'End of the conversation. Null if all steps completed first.',
  })
  end: SimulationEndDto | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Reason why the scenario could not be completed, independent of the expectations.',
    example: null,
  })
  error: string | null;

  @ApiProperty({
    type: 'integer',
    description: 'Duration of the conversation in conversation time, in milliseconds.',
    example: 14_200,
  })
  conversation_ms: number;

  @ApiProperty({ type: 'integer', description: 'Duration of the simulation in milliseconds.', example: 310 })
  duration_ms: number;

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'With `tools: record`: the recorded tool results, usable as `mocks`.',
    example: null,
  })
  mocks: Record<string, unknown> | null;
}

export class SimulatedDto {
  @ApiProperty({ type: SimulationDto, description: 'Result of the scenario, passed or not.' })
  data: SimulationDto;
}

export const SCENARIO = 'Scenario';

/** Adds the schema that `readScenario` validates with. */
export function withScenario(document: OpenAPIObject): OpenAPIObject {
  const text = JSON.stringify(scenarioJsonSchema()).replaceAll('#/$defs/', '#/components/schemas/');
  const { $defs, $schema: _dialect, ...scenario } = JSON.parse(text) as Record<string, object>;
  const parts = Object.entries($defs ?? {}).map(([name, { id: _id, ...part }]: [string, { id?: string }]) => [
    name,
    part,
  ]);
  const description = 'A scripted conversation with expectations.';
  Object.assign((document.components ??= {}), {
    schemas: { ...document.components.schemas, [SCENARIO]: { description, ...scenario }, ...Object.fromEntries(parts) },
  });
  return document;
}

/** Both work unchanged in the workspace of `npm start`. */
export const SCENARIO_EXAMPLES = {
  conversation: {
    summary: 'Greeting, a key, a question, silence, goodbye',
    value: {
      name: 'a short visit',
      steps: [
        { name: 'greeting', expects: 'How can I help you?' },
        { keys: '5', expects: { contains: 'key 5' }, absent: { calls: 'end_call' } },
        { says: 'Good morning.', expects: { any_of: ['Good morning', { matches: 'how (can|may) I help' }] } },
        { silence: 11, expects: 'still there', ends: false },
        { keys: '9', expects: 'Goodbye', calls: 'end_call', ends: 'hangup' },
      ],
    },
  },
  mocks: {
    summary: 'A tool mocked by the scenario',
    value: {
      name: 'the search finds something',
      direction: 'outbound',
      metadata: { customer: 7 },
      mocks: {
        end_call: { arguments: {}, result: { ending: true } },
      },
      steps: [{ keys: '9', calls: { tool: 'end_call', ok: true }, ends: false }],
    },
  },
};

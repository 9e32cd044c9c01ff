import { scenarioJsonSchema } from '@app/agents/scenarios';
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

class CheckResultDto {
  @ApiProperty({
    type: 'string',
    description: '`persona`, or a field of `judge`.',
    example: 'must_not_say',
  })
  name: string;

  @ApiProperty({ type: 'boolean', description: 'Whether every expectation was met.', example: true })
  passed: boolean;

  @ApiProperty({ type: [String], description: 'One message per failed expectation.', example: [] })
  failures: string[];
}

class RubricEvidenceDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of the turn in the transcript.', example: 3 })
  turn: number;

  @ApiProperty({ type: 'number', description: 'Beginning of the turn in milliseconds.', example: 4100 })
  started_ms: number;

  @ApiProperty({ type: 'number', description: 'End of the turn in milliseconds.', example: 6300 })
  ended_ms: number;

  @ApiProperty({ type: 'string', description: 'Words that are in the turn.', example: 'It costs three euros.' })
  quote: string;
}

class RubricAnswerDto {
  @ApiProperty({ type: 'string', description: 'Name of the question.', example: 'friendly' })
  name: string;

  @ApiProperty({
    nullable: true,
    oneOf: [{ type: 'boolean' }, { type: 'number' }, { type: 'string' }],
    description: 'Answer of the judge. Null without evidence.',
    example: true,
  })
  value: boolean | number | string | null;

  @ApiProperty({ type: 'boolean', description: 'Whether the answer passes.', example: true })
  passed: boolean;

  @ApiProperty({ type: 'boolean', description: 'No cited quote is in the transcript.', example: false })
  unsupported: boolean;

  @ApiProperty({ type: 'string', description: 'Reason of the judge.', example: 'The agent greets and thanks.' })
  reason: string;

  @ApiProperty({ type: [RubricEvidenceDto], description: 'Quotes, verified against the transcript.' })
  evidence: RubricEvidenceDto[];
}

class RepetitionsDto {
  @ApiProperty({ type: 'integer', description: 'Conversations of the scenario.', example: 20 })
  count: number;

  @ApiProperty({ type: 'integer', description: 'Conversations that passed.', example: 19 })
  passed: number;

  @ApiProperty({ type: 'number', description: 'Share that must pass.', example: 0.95 })
  required_rate: number;
}

const milliseconds = (description: string, example: number) => ({ type: 'integer', description, example }) as const;

class SimulationAudioDto {
  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    description: "From the caller's last sound to the agent's first, in milliseconds, for each answered turn.",
    example: [820, 760],
  })
  responses: number[];

  @ApiProperty(milliseconds('Longest time in which neither spoke, without the silences of the scenario.', 1_900))
  longest_silence_ms: number;

  @ApiProperty(milliseconds('Time in which both spoke.', 240))
  overlap_ms: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    description:
      "From the caller's first sound to the agent's last, in milliseconds, for each interruption of the agent.",
    example: [310],
  })
  interruptions: number[];

  @ApiProperty({ type: 'integer', description: 'How often the agent began to speak over the caller.', example: 0 })
  talked_over: number;

  @ApiProperty({
    ...milliseconds("From the answer to the agent's first sound. Null: it said nothing.", 340),
    nullable: true,
  })
  first_sound_ms: number | null;

  @ApiProperty(milliseconds('Speech of the agent.', 9_200))
  agent_speech_ms: number;

  @ApiProperty(milliseconds('Speech of the caller.', 4_100))
  caller_speech_ms: number;

  @ApiProperty({
    type: 'number',
    nullable: true,
    required: false,
    description: "Quality of the agent's audio at the phone, from 1 to 4.5.",
    example: 4.3,
  })
  mos?: number | null;

  @ApiProperty({ type: 'number', required: false, description: 'Share of lost packets.', example: 0.02 })
  loss?: number;

  @ApiProperty({ ...milliseconds('Jitter of the packets.', 4), required: false })
  jitter_ms?: number;

  @ApiProperty({ type: 'string', nullable: true, required: false, description: 'Codec of the call.', example: 'PCMU' })
  codec?: string | null;
}

export class SimulationCallDto {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    description: 'ID of the call.',
    example: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33',
  })
  id: string;

  @ApiProperty({ type: 'string', description: 'Status of the call.', example: 'completed' })
  status: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Reason for the end of the call.',
    example: 'agent_hangup',
  })
  hangup_cause: string | null;

  @ApiProperty({ type: 'boolean', description: 'Whether the call has a recording.', example: true })
  recorded: boolean;

  @ApiProperty({ type: 'number', description: 'Cost of the call in USD, also contained in `cost`.', example: 0.0021 })
  cost: number;
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

/** The result of one conversation. */
export class ConversationResultDto {
  @ApiProperty({ type: [StepResultDto], description: 'Result of each step.' })
  steps: StepResultDto[];

  @ApiProperty({ type: [CheckResultDto], description: 'Results of the persona and of the rules of the judge.' })
  checks: CheckResultDto[];

  @ApiProperty({
    type: [RubricAnswerDto],
    nullable: true,
    description: "Answers to the judge's rubric. Null without a rubric.",
  })
  rubric: RubricAnswerDto[] | null;

  @ApiProperty({ type: [TranscriptTurnDto], description: 'Turns of both parties in order.' })
  transcript: TranscriptTurnDto[];

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Tool calls of the agent with arguments and results, as in the post-call webhook.',
    example: [],
  })
  tool_calls: Record<string, unknown>[];

  @ApiProperty({ type: [SimulationUsageDto], description: 'Usage reported by the provider.' })
  usage: SimulationUsageDto[];

  @ApiProperty({
    type: 'number',
    description: 'Cost according to the price book, in USD. Counts towards the daily spend of the account.',
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
}

class SimulationDto extends ConversationResultDto {
  @ApiProperty({ type: 'string', description: 'Name of the scenario.', example: 'asks for a price' })
  name: string;

  @ApiProperty({ type: 'boolean', description: 'Whether enough conversations passed.', example: true })
  passed: boolean;

  @ApiProperty({
    type: RepetitionsDto,
    description:
      'Results of `repeat`. The other fields are those of the first conversation that failed, or of the first.',
  })
  repetitions: RepetitionsDto;

  @ApiProperty({
    type: [String],
    description: 'Names of the steps of flows in the order in which they were entered. Empty without a flow.',
    example: ['identify', 'book'],
  })
  path: string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Values that the flow has collected, by name. Empty without a flow.',
    example: { name: 'Ada' },
  })
  values: Record<string, unknown>;

  @ApiProperty({ type: [KnowledgeSearchDto], description: 'Knowledge searches of the agent.' })
  knowledge_searches: KnowledgeSearchDto[];

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'With `tools: record`: the recorded tool results, usable as `mocks`.',
    example: null,
  })
  mocks: Record<string, unknown> | null;

  @ApiProperty({
    type: SimulationAudioDto,
    nullable: true,
    description: "What the caller's phone heard. Null in the channel `text`.",
  })
  audio: SimulationAudioDto | null;

  @ApiProperty({
    type: SimulationCallDto,
    nullable: true,
    description: 'The call of the channel `sip`. Null without a call.',
  })
  call: SimulationCallDto | null;
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
  const description = 'A conversation with a tester caller: steps or a persona, and expectations.';
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
  persona: {
    summary: 'A caller with rules, and a judge',
    value: {
      name: 'asks for a menu, then says goodbye',
      repeat: 3,
      pass_rate: 0.9,
      persona: {
        seed: 7,
        rules: [
          { when: 'How can I help you', say: ['Good morning.', 'Good morning to you.'] },
          { when: { any_of: ['Good morning', { matches: 'how (can|may) I help' }] }, keys: '9' },
        ],
        goal: { calls: 'end_call' },
      },
      judge: { must_say: 'Goodbye', must_not_call: 'call_transfer', max_turns: 4, ends: 'hangup' },
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

import type { AgentSettingsView } from '@app/agents';
import {
  MODEL_NAMES,
  REASONING_EFFORTS,
  type ReasoningEffort,
  type ModelName,
  SYNTHESIZER_NAMES,
  type SynthesizerName,
  TRANSCRIBER_NAMES,
  type TranscriberName,
} from '@app/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const word = (description: string, example: string) =>
  ({ type: 'string', minLength: 1, maxLength: 200, description, example }) as const;

const model = (example: string) => word('Model of the vendor. Absent: its default, if it has one.', example);

const legs = (type: () => unknown, leg: string) =>
  ({
    type: () => [type() as never],
    maxItems: 3,
    description: `Take over in this order when the ${leg} before fails.`,
  }) as const;

class AgentTranscriberChoiceDto {
  @ApiProperty({
    type: 'string',
    enum: TRANSCRIBER_NAMES,
    description: 'Vendor that recognises speech. `sandbox` detects speech and recognises no words.',
    example: 'sandbox',
  })
  provider: TranscriberName;

  @ApiPropertyOptional(model('nova-3'))
  model?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 100 },
    maxItems: 100,
    description: 'Words that users are likely to say, such as product names.',
    example: ['Trunkline'],
  })
  keywords?: string[];
}

class AgentTranscriberDto extends AgentTranscriberChoiceDto {
  @ApiPropertyOptional(legs(() => AgentTranscriberChoiceDto, 'transcriber'))
  fallbacks?: AgentTranscriberChoiceDto[];
}

class AgentModelChoiceDto {
  @ApiProperty({
    type: 'string',
    enum: MODEL_NAMES,
    description: 'Vendor of the language model. `sandbox` plays the script of the agent.',
    example: 'sandbox',
  })
  provider: ModelName;

  @ApiPropertyOptional(model('gpt-5.1-mini'))
  model?: string;

  @ApiPropertyOptional({
    type: 'number',
    minimum: 0,
    maximum: 2,
    description: 'Variety of the answers.',
    example: 0.3,
  })
  temperature?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    description: 'Longest answer in tokens.',
    example: 500,
  })
  max_tokens?: number;

  @ApiPropertyOptional({
    type: 'string',
    enum: REASONING_EFFORTS,
    description:
      'How long the model thinks before it answers. Users hear this time as silence: without it, known models think as little as they can, and others as they do by default.',
    example: 'low',
  })
  reasoning_effort?: ReasoningEffort;
}

class AgentModelDto extends AgentModelChoiceDto {
  @ApiPropertyOptional(legs(() => AgentModelChoiceDto, 'language model'))
  fallbacks?: AgentModelChoiceDto[];
}

class AgentSynthesizerChoiceDto {
  @ApiProperty({
    type: 'string',
    enum: SYNTHESIZER_NAMES,
    description: 'Vendor that speaks. `program` is espeak-ng, flite or piper on the machine of the dialer.',
    example: 'sandbox',
  })
  provider: SynthesizerName;

  @ApiPropertyOptional(model('eleven_flash_v2_5'))
  model?: string;

  @ApiPropertyOptional(word('Voice of the vendor. Absent: its default, if it has one.', 'aura-2-thalia-en'))
  voice?: string;

  @ApiPropertyOptional({
    type: 'number',
    minimum: 0.5,
    maximum: 2,
    description: 'Speed of the speech. 1 is natural.',
    example: 1,
  })
  speed?: number;

  @ApiPropertyOptional({
    type: 'string',
    minLength: 1,
    maxLength: 1_000,
    description: 'How to speak, for voices that take instructions: those of OpenAI.',
    example: 'Calm and friendly.',
  })
  instructions?: string;
}

class AgentSynthesizerDto extends AgentSynthesizerChoiceDto {
  @ApiPropertyOptional(legs(() => AgentSynthesizerChoiceDto, 'synthesizer'))
  fallbacks?: AgentSynthesizerChoiceDto[];
}

class AgentTurnsDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 50,
    maximum: 10_000,
    default: 300,
    description: 'Silence that ends a turn whose words end a sentence, in milliseconds. At most `longest_ms`.',
    example: 300,
  })
  after_punctuation_ms?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 50,
    maximum: 10_000,
    default: 700,
    description: 'Silence that ends any other turn, in milliseconds. At most `longest_ms`.',
    example: 700,
  })
  without_punctuation_ms?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 50,
    maximum: 20_000,
    default: 1_500,
    description: 'Longest silence of a turn, whatever its words are, in milliseconds.',
    example: 1_500,
  })
  longest_ms?: number;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 50 },
    maxItems: 100,
    description: 'Words that do not interrupt the agent, beside those of the language.',
    example: ['mhm'],
  })
  acknowledgements?: string[];

  @ApiPropertyOptional({
    type: 'boolean',
    default: true,
    description: 'Whether the model starts to answer before the turn has certainly ended.',
    example: true,
  })
  speculation?: boolean;
}

class AgentPronunciationDto {
  @ApiProperty({ type: 'string', minLength: 1, maxLength: 100, description: 'Written form.', example: 'SQL' })
  text: string;

  @ApiProperty({ type: 'string', minLength: 1, maxLength: 200, description: 'Spoken form.', example: 'sequel' })
  spoken: string;
}

export class AgentPipelineDto implements NonNullable<AgentSettingsView['pipeline']> {
  @ApiPropertyOptional({ type: AgentTranscriberDto, description: 'Speech recognition. Absent: `sandbox`.' })
  transcriber?: AgentTranscriberDto;

  @ApiPropertyOptional({ type: AgentModelDto, description: 'Language model. Absent: `sandbox`.' })
  model?: AgentModelDto;

  @ApiPropertyOptional({ type: AgentSynthesizerDto, description: 'Speech synthesis. Absent: `sandbox`.' })
  synthesizer?: AgentSynthesizerDto;

  @ApiPropertyOptional({ type: AgentTurnsDto, description: 'End of turns, and interruptions.' })
  turns?: AgentTurnsDto;

  @ApiPropertyOptional({
    type: [AgentPronunciationDto],
    maxItems: 500,
    description: 'Spoken forms of written words, applied before the synthesis.',
  })
  pronunciations?: AgentPronunciationDto[];

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', maxLength: 35 },
    maxItems: 20,
    description: 'Languages (BCP 47) that users may speak beside that of the conversation.',
    example: ['de', 'fr'],
  })
  languages?: string[];
}

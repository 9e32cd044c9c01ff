import { ApiPropertyOptional } from '@nestjs/swagger';

class AgentIdleDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 2,
    maximum: 600,
    description: 'Silence of both sides before a prompt, in seconds.',
    example: 10,
  })
  after_seconds?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: 10, description: 'Number of prompts.', example: 2 })
  prompts?: number;
}

class AgentBargeInDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 20,
    maximum: 5_000,
    description: 'Speech of the user that makes the agent quieter, in milliseconds.',
    example: 60,
  })
  duck_ms?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 40,
    maximum: 5_000,
    description: 'Speech of the user that interrupts the agent, in milliseconds.',
    example: 200,
  })
  interrupt_ms?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: 30_000,
    description: 'Time at the beginning in which the agent cannot be interrupted, in milliseconds.',
    example: 1_000,
  })
  guard_ms?: number;
}

const phrase = (description: string, example: string) =>
  ({ type: 'string', minLength: 1, maxLength: 500, description, example }) as const;

class AgentPhrasesDto {
  @ApiPropertyOptional(phrase('Spoken while a tool runs.', 'One moment, please.'))
  filler?: string;

  @ApiPropertyOptional(phrase('Spoken while the provider is reconnected.', 'Just a moment.'))
  moment?: string;

  @ApiPropertyOptional(phrase('Spoken after a silence.', 'Are you still there?'))
  idle?: string;

  @ApiPropertyOptional(phrase('Spoken before the agent hangs up after a silence.', 'Goodbye.'))
  goodbye?: string;

  @ApiPropertyOptional(phrase('Spoken when no provider is left.', 'We have a problem. Please call again.'))
  apology?: string;
}

export class AgentConversationDto {
  @ApiPropertyOptional({ type: AgentIdleDto, description: 'Prompts after a silence.' })
  idle?: AgentIdleDto;

  @ApiPropertyOptional({ type: AgentBargeInDto, description: 'Interruptions by the user.' })
  barge_in?: AgentBargeInDto;

  @ApiPropertyOptional({ type: AgentPhrasesDto, description: 'Phrases that the service speaks.' })
  phrases?: AgentPhrasesDto;

  @ApiPropertyOptional({ type: 'string', maxLength: 35, description: 'Language tag (BCP 47).', example: 'en' })
  language?: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['energy', 'neural'],
    default: 'energy',
    description: 'Detector of speech: `energy` measures the volume, `neural` is a small network that ignores noise.',
    example: 'energy',
  })
  voice_activity?: 'energy' | 'neural';

  @ApiPropertyOptional({
    type: 'boolean',
    default: false,
    description: 'Whether noise is removed from the audio for the provider. Recordings keep it.',
    example: false,
  })
  noise_suppression?: boolean;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['off', 'typing', 'music'],
    default: 'off',
    description: 'Sound in the background while a tool works.',
    example: 'off',
  })
  tool_sound?: 'off' | 'typing' | 'music';
}

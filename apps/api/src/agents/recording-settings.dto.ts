import type { AgentSettingsView } from '@app/agents';
import { ApiProperty, ApiPropertyOptional, IntersectionType, OmitType, PartialType, PickType } from '@nestjs/swagger';

/** Digits that an agent may ask for. */
export class DigitInputDto {
  @ApiProperty({
    type: 'string',
    pattern: '^[a-z][a-z0-9_]*$',
    maxLength: 64,
    description: 'Name of the digits; tools receive secret ones as `{{secure.NAME}}`.',
    example: 'card_number',
  })
  name: string;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 500,
    description: 'For the model: what the digits are and when to ask for them.',
    example: 'The number of the card that the caller pays with.',
  })
  description?: string;

  @ApiProperty({
    type: 'string',
    maxLength: 500,
    description: 'Question that is spoken; keys are taken from its beginning.',
    example: 'Please enter your card number, followed by the hash key.',
  })
  prompt: string;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 500,
    description: 'Question of later attempts; absent: the same.',
    example: 'That was not a card number. Please enter it again.',
  })
  retry_prompt?: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 32, default: 1, description: 'Fewest digits.', example: 12 })
  min_length: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 32,
    default: 32,
    description: 'Most digits; the input ends with the last one.',
    example: 19,
  })
  max_length: number;

  @ApiProperty({
    type: 'string',
    enum: ['#', '*', ''],
    default: '#',
    description: 'Key that ends the input; empty: none.',
    example: '#',
  })
  finish_key: '#' | '*' | '';

  @ApiProperty({
    type: 'integer',
    minimum: 2,
    maximum: 60,
    default: 10,
    description: 'Longest pause before the first key and between two keys.',
    example: 10,
  })
  timeout_seconds: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 5,
    default: 2,
    description: 'How often the user may try.',
    example: 2,
  })
  attempts: number;

  @ApiProperty({
    type: 'boolean',
    default: true,
    description: 'Whether the digits are hidden from events, recording, transcript, logs and the model.',
    example: true,
  })
  secure: boolean;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['luhn'],
    description: '`luhn`: a wrong check digit of a card is refused.',
    example: 'luhn',
  })
  validate?: 'luhn';
}

/** How the other party learns of the recording, or agrees to it. */
export class RecordingConsentDto implements NonNullable<AgentSettingsView['recording_consent']> {
  @ApiProperty({
    type: 'string',
    enum: ['announce', 'ask'],
    description: '`announce`: the message is spoken before the recording. `ask`: the other party must agree.',
    example: 'ask',
  })
  mode: 'announce' | 'ask';

  @ApiProperty({
    type: 'string',
    maxLength: 1_000,
    description: 'Announcement or question, spoken as it is.',
    example: 'May we record this call? Press one for yes, or two for no.',
  })
  message: string;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 35,
    description: "Language of the message when it is not the agent's; the built-in voice speaks it.",
    example: 'de-DE',
  })
  language?: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', maxLength: 16 },
    maxItems: 200,
    default: [],
    description: 'E.164 prefixes of the other parties; empty: all. Unknown numbers always count.',
    example: ['+49', '+1415'],
  })
  prefixes: string[];

  @ApiProperty({
    type: 'string',
    pattern: '^[0-9*#]+$',
    maxLength: 12,
    default: '1',
    description: 'Keys that agree; any other refuses.',
    example: '1',
  })
  accept_keys: string;

  @ApiProperty({
    type: 'string',
    enum: ['continue_without_recording', 'hang_up'],
    default: 'continue_without_recording',
    description: 'What happens after a no, or no answer.',
    example: 'continue_without_recording',
  })
  on_refusal: 'continue_without_recording' | 'hang_up';

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 500,
    description: 'Spoken before `hang_up`.',
    example: 'Then we cannot talk. Goodbye.',
  })
  refusal_message?: string;
}

export class DigitInputInputDto extends IntersectionType(
  PickType(DigitInputDto, ['name', 'prompt']),
  PartialType(OmitType(DigitInputDto, ['name', 'prompt'])),
) {}

export class RecordingConsentInputDto extends IntersectionType(
  PickType(RecordingConsentDto, ['mode', 'message']),
  PartialType(OmitType(RecordingConsentDto, ['mode', 'message'])),
) {}

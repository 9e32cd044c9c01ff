import type { AgentSettingsView } from '@app/accounts';
import { PROVIDER_NAMES } from '@app/common';
import { ApiProperty, ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import { AgentConversationDto } from './agent-conversation.dto.js';
import { AgentPipelineDto } from './agent-pipeline.dto.js';
import { AgentTransferDto, AgentTransferInputDto } from './agent-transfer.dto.js';
import { AgentCallInputsDto, AgentVariableInputDto } from './agent-variables.dto.js';
import { AgentPreCallWebhookInputDto, AgentWebhookDto, AgentWebhookInputDto } from './agent-webhooks.dto.js';

const ON_MACHINE = ['hang_up', 'leave_message', 'go_on'] as const;
const EAGERNESS = ['low', 'medium', 'high', 'auto'] as const;

type Stored<K extends keyof AgentSettingsView> = NonNullable<AgentSettingsView[K]>;

const word = (description: string, example: string | null) =>
  ({ type: 'string', minLength: 1, maxLength: 200, nullable: true, description, example }) as const;

class AgentTurnDetectionDto {
  @ApiPropertyOptional({
    type: 'string',
    enum: ['server_vad', 'semantic_vad'],
    default: 'server_vad',
    description: '`server_vad` detects pauses, `semantic_vad` the end of a thought.',
    example: 'server_vad',
  })
  type?: 'server_vad' | 'semantic_vad';

  @ApiPropertyOptional({
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'Only `server_vad`: loudness that counts as speech.',
    example: 0.5,
  })
  threshold?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: 5_000,
    description: 'Only `server_vad`: audio before the speech that belongs to it, in milliseconds.',
    example: 300,
  })
  prefix_padding_ms?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 100,
    maximum: 10_000,
    description: 'Only `server_vad`: silence that ends a turn, in milliseconds.',
    example: 500,
  })
  silence_ms?: number;

  @ApiPropertyOptional({
    type: 'string',
    enum: EAGERNESS,
    description: 'Only `semantic_vad`: how soon the agent answers.',
    example: 'auto',
  })
  eagerness?: (typeof EAGERNESS)[number];
}

class AgentFallbackDto {
  @ApiProperty({ type: 'string', enum: PROVIDER_NAMES, description: 'Voice provider.', example: 'sandbox' })
  provider: string;

  @ApiPropertyOptional(word('Model of the provider.', 'gpt-realtime-2.1-mini'))
  model?: string;

  @ApiPropertyOptional(word('Voice of the provider.', 'marin'))
  voice?: string;

  @ApiPropertyOptional(word('Model that transcribes the speech of the user.', 'gpt-realtime-whisper'))
  transcription_model?: string;

  @ApiPropertyOptional({ type: AgentTurnDetectionDto, nullable: true, description: 'Turn detection of the provider.' })
  turn_detection?: Stored<'turn_detection'>;

  @ApiPropertyOptional({ type: AgentPipelineDto, nullable: true, description: 'Only `pipeline`: its legs.' })
  pipeline?: AgentPipelineDto;
}

class AgentAnsweringMachineDto implements Stored<'answering_machine'> {
  @ApiProperty({
    type: 'boolean',
    default: true,
    description: 'Whether humans and machines are distinguished.',
    example: true,
  })
  detect: boolean;

  @ApiProperty({
    type: 'string',
    enum: ON_MACHINE,
    default: 'hang_up',
    description: 'Reaction to an answering machine.',
    example: 'leave_message',
  })
  on_machine: (typeof ON_MACHINE)[number];

  @ApiProperty({
    type: 'string',
    maxLength: 2_000,
    default: '',
    description: 'Text that is spoken after the beep; required for `leave_message`.',
    example: 'This is ACME. Please call us back.',
  })
  message: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 120,
    default: 30,
    description: 'Maximum waiting time for the beep in seconds.',
    example: 30,
  })
  wait_for_beep_seconds: number;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['answer', 'hang_up', 'go_on'],
    description:
      'Reaction to a service that asks who is calling, recognised by its words. `answer`: `screening_message` is spoken, and the agent waits for the person. Absent: as `on_machine`.',
    example: 'answer',
  })
  on_screening?: 'answer' | 'hang_up' | 'go_on';

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 2_000,
    description: 'Text that is spoken by `answer`: who is calling, and why. May contain placeholders.',
    example: 'This is ACME, about your delivery.',
  })
  screening_message?: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['hang_up', 'go_on'],
    description: 'Reaction to a menu or an announcement, recognised by its words. Absent: as `on_machine`.',
    example: 'go_on',
  })
  on_ivr?: 'hang_up' | 'go_on';
}

/** The settings that each version of an agent has. */
export class AgentSettingsDto extends AgentCallInputsDto implements AgentSettingsView {
  @ApiProperty({
    type: 'string',
    enum: PROVIDER_NAMES,
    default: 'sandbox',
    description: 'Voice provider that the agent uses.',
    example: 'sandbox',
  })
  provider: string;

  @ApiProperty(word('Model of the provider. Null: the default of the installation.', null))
  model: string | null;

  @ApiProperty(word('Voice of the provider. Null: the default of the installation or the provider.', null))
  voice: string | null;

  @ApiProperty(word('Model that transcribes the speech of the user.', null))
  transcription_model: string | null;

  @ApiProperty({
    type: AgentTurnDetectionDto,
    nullable: true,
    description: 'Turn detection of the provider. It replaces the stored object.',
  })
  turn_detection: Stored<'turn_detection'> | null;

  @ApiProperty({
    type: AgentPipelineDto,
    nullable: true,
    description:
      'Only `pipeline`: its legs, turn-taking and pronunciations. It replaces the stored object; a change to another provider removes it.',
  })
  pipeline: AgentPipelineDto | null;

  @ApiProperty({
    type: [AgentFallbackDto],
    maxItems: 3,
    description: 'Providers that take over in this order when the previous one fails.',
  })
  fallbacks: AgentFallbackDto[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Script of a `sandbox` agent, which sandbox legs of a pipeline play, too.',
    example: null,
  })
  script: Record<string, unknown> | null;

  @ApiProperty({
    type: 'string',
    maxLength: 100_000,
    default: '',
    description: 'Instructions for the model.',
    example: 'You answer for ACME.',
  })
  instructions: string;

  @ApiProperty({
    type: 'string',
    maxLength: 2_000,
    default: '',
    description: 'Text that the agent speaks first. Empty if it waits for the user.',
    example: 'Hello, this is ACME.',
  })
  greeting: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 14_400,
    default: 600,
    description: 'Maximum duration of a call in seconds.',
    example: 600,
  })
  max_call_seconds: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 600,
    default: 60,
    description: 'Maximum ringing time of a call in seconds.',
    example: 60,
  })
  ring_timeout_seconds: number;

  @ApiProperty({
    type: AgentWebhookDto,
    nullable: true,
    description: 'Webhook after each call, unless the call sets another one.',
  })
  post_call_webhook: AgentWebhookDto | null;

  @ApiProperty({
    type: AgentWebhookDto,
    nullable: true,
    description: 'Webhook at each change of the status, unless the call sets another one.',
  })
  call_status_webhook: AgentWebhookDto | null;

  @ApiProperty({ type: AgentTransferDto, description: 'Transfers, unless the call sets others.' })
  call_transfer: AgentTransferDto;

  @ApiProperty({
    type: 'boolean',
    default: false,
    description:
      'Whether the agent has the tool `do_not_call`, with which it puts the other party on the do-not-call list when the person asks for it.',
    example: true,
  })
  do_not_call_tool: boolean;

  @ApiProperty({
    type: AgentAnsweringMachineDto,
    nullable: true,
    description: 'Reaction to answering machines. Null: calls are not screened.',
  })
  answering_machine: AgentAnsweringMachineDto | null;

  @ApiProperty({
    type: AgentConversationDto,
    nullable: true,
    description: 'Conversation settings; absent ones have their defaults. It replaces the stored object.',
  })
  conversation: AgentConversationDto | null;
}

class AgentAnsweringMachineInputDto extends PartialType(AgentAnsweringMachineDto) {}

const NESTED = [
  ...(['post_call_webhook', 'call_status_webhook', 'pre_call_webhook'] as const),
  ...(['variables', 'call_transfer', 'answering_machine'] as const),
] as const;

/** The settings in a request: absent fields stay unchanged (a new agent has their defaults), null clears those that may be null. */
export class AgentSettingsInputDto extends PartialType(OmitType(AgentSettingsDto, NESTED)) {
  @ApiPropertyOptional({
    type: AgentWebhookInputDto,
    nullable: true,
    description: 'Webhook after each call, unless the call sets another one. It replaces the stored one.',
  })
  post_call_webhook?: AgentWebhookInputDto | null;

  @ApiPropertyOptional({
    type: AgentWebhookInputDto,
    nullable: true,
    description: 'Webhook at each change of the status. It replaces the stored one.',
  })
  call_status_webhook?: AgentWebhookInputDto | null;

  @ApiPropertyOptional({
    type: AgentPreCallWebhookInputDto,
    nullable: true,
    description: 'Webhook that is asked before each call is dialled or answered. It replaces the stored one.',
  })
  pre_call_webhook?: AgentPreCallWebhookInputDto | null;

  @ApiPropertyOptional({
    type: [AgentVariableInputDto],
    maxItems: 50,
    nullable: true,
    description: 'Declared variables, which texts use as `{{name}}`. The list replaces the stored one.',
  })
  variables?: AgentVariableInputDto[] | null;

  @ApiPropertyOptional({
    type: AgentTransferInputDto,
    description: 'Transfers, unless the call sets others. Absent fields stay unchanged.',
  })
  call_transfer?: AgentTransferInputDto;

  @ApiPropertyOptional({
    type: AgentAnsweringMachineInputDto,
    nullable: true,
    description: 'Reaction to answering machines. It replaces the stored object; null: calls are not screened.',
  })
  answering_machine?: AgentAnsweringMachineInputDto | null;
}

import { RedactionDto } from '../accounts/account.dto.js';
import type { AgentSettingsView } from '@app/agents';
import { PROVIDER_NAMES } from '@app/common';
import { ApiProperty, ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import { AgentAnalysisDto } from './agent-analysis.dto.js';
import { AgentAnsweringMachineDto } from './agent-answering-machine.dto.js';
import { AgentConversationDto } from './agent-conversation.dto.js';
import { AgentPipelineDto } from './agent-pipeline.dto.js';
import { AgentTransferDto, AgentTransferInputDto } from './agent-transfer.dto.js';
import { AgentCallInputsDto, AgentVariableInputDto } from './agent-variables.dto.js';
import {
  DigitInputDto,
  DigitInputInputDto,
  RecordingConsentDto,
  RecordingConsentInputDto,
} from './recording-settings.dto.js';
import { AgentPreCallWebhookInputDto, AgentWebhookDto, AgentWebhookInputDto } from './agent-webhooks.dto.js';

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
    type: 'boolean',
    default: false,
    description: 'Whether the agent has the tools `pause_recording` and `resume_recording`.',
    example: true,
  })
  pause_recording_tool: boolean;

  @ApiProperty({
    type: [DigitInputDto],
    maxItems: 10,
    description: 'Digits that the agent may ask for, with the tool `collect_digits`.',
  })
  digit_inputs: DigitInputDto[];

  @ApiProperty({
    type: RecordingConsentDto,
    nullable: true,
    description: 'Announcement or question before the recording of a call. Null: none.',
  })
  recording_consent: RecordingConsentDto | null;

  @ApiProperty({
    type: RedactionDto,
    nullable: true,
    description:
      'Secrets that are removed from everything stored about its calls, in addition to those of the account.',
  })
  redaction: RedactionDto | null;

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

  @ApiProperty({
    type: AgentAnalysisDto,
    nullable: true,
    description: 'What is read out of each answered call after its end. It replaces the stored object; null: nothing.',
  })
  analysis: AgentAnalysisDto | null;
}

class AgentAnsweringMachineInputDto extends PartialType(AgentAnsweringMachineDto) {}

const NESTED = [
  ...(['post_call_webhook', 'call_status_webhook', 'pre_call_webhook'] as const),
  ...(['variables', 'call_transfer', 'answering_machine'] as const),
  ...(['digit_inputs', 'recording_consent'] as const),
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

  @ApiPropertyOptional({
    type: [DigitInputInputDto],
    maxItems: 10,
    nullable: true,
    description: 'Digits that the agent may ask for. The list replaces the stored one.',
  })
  digit_inputs?: DigitInputInputDto[] | null;

  @ApiPropertyOptional({
    type: RecordingConsentInputDto,
    nullable: true,
    description: 'Announcement or question before the recording. It replaces the stored object; null: none.',
  })
  recording_consent?: RecordingConsentInputDto | null;
}

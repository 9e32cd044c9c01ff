import { DisclosureDto, DisclosureInputDto, GuardrailDto, GuardrailInputDto } from './guardrail-settings.dto.js';
import { RedactionDto, RedactionInputDto } from '../accounts/account.dto.js';
import { agentRequest, type AgentSettingsView, draftChange } from '@app/agents';
import { PROVIDER_NAMES } from '@app/common';
import { ApiProperty } from '@nestjs/swagger';
import { SchemaDto, ViewDto } from '../http/validation/schema-dto.js';
import { AgentAnalysisDto, AgentAnalysisInputDto } from './agent-analysis.dto.js';
import { AgentAnsweringMachineDto, AgentAnsweringMachineInputDto } from './agent-answering-machine.dto.js';
import { AgentConversationDto } from './agent-conversation.dto.js';
import { AgentFlowDto, AgentHandoffDto } from './agent-flow.dto.js';
import { AgentPipelineDto } from './agent-pipeline.dto.js';
import { AgentTransferDto, AgentTransferInputDto } from './agent-transfer.dto.js';
import { AgentVariableDto, AgentVariableInputDto } from './agent-variables.dto.js';
import {
  DigitInputDto,
  DigitInputInputDto,
  RecordingConsentDto,
  RecordingConsentInputDto,
} from './recording-settings.dto.js';
import {
  AgentPreCallWebhookDto,
  AgentPreCallWebhookInputDto,
  AgentStatusWebhookInputDto,
  AgentWebhookDto,
  AgentWebhookInputDto,
} from './agent-webhooks.dto.js';

type Stored<K extends keyof AgentSettingsView> = NonNullable<AgentSettingsView[K]>;

const { turn_detection: turnDetection, fallbacks } = agentRequest.shape;

class AgentTurnDetectionDto extends SchemaDto(turnDetection, {
  type: 'server_vad',
  threshold: 0.5,
  prefix_padding_ms: 300,
  silence_ms: 500,
  eagerness: 'auto',
}) {}

class AgentFallbackDto extends SchemaDto(fallbacks, {
  provider: 'sandbox',
  model: 'gpt-realtime-2.1-mini',
  voice: 'marin',
  transcription_model: 'gpt-realtime-whisper',
  turn_detection: AgentTurnDetectionDto,
  pipeline: AgentPipelineDto,
}) {}

const EXAMPLES = {
  model: null,
  voice: null,
  transcription_model: null,
  pipeline: AgentPipelineDto,
  script: null,
  instructions: 'You answer for ACME.',
  greeting: 'Hello, this is ACME.',
  timezone: 'Europe/Berlin',
  max_call_seconds: 600,
  ring_timeout_seconds: 60,
  do_not_call_tool: true,
  pause_recording_tool: true,
  conversation: AgentConversationDto,
  flow: AgentFlowDto,
};

/** Examples of the settings in a request: absent fields stay unchanged, null clears those that may be null. */
export const SETTINGS_EXAMPLES = {
  ...EXAMPLES,
  provider: 'sandbox',
  turn_detection: AgentTurnDetectionDto,
  fallbacks: AgentFallbackDto,
  variables: AgentVariableInputDto,
  post_call_webhook: AgentWebhookInputDto,
  call_status_webhook: AgentStatusWebhookInputDto,
  pre_call_webhook: AgentPreCallWebhookInputDto,
  call_transfer: AgentTransferInputDto,
  digit_inputs: DigitInputInputDto,
  recording_consent: RecordingConsentInputDto,
  guardrails: GuardrailInputDto,
  disclosure: DisclosureInputDto,
  redaction: RedactionInputDto,
  answering_machine: AgentAnsweringMachineInputDto,
  analysis: AgentAnalysisInputDto,
  handoffs: AgentHandoffDto,
};

/** The settings that a response shows in the form of a request. */
const shown = draftChange.omit({
  note: true,
  from_version: true,
  provider: true,
  turn_detection: true,
  fallbacks: true,
  variables: true,
  digit_inputs: true,
  guardrails: true,
  disclosure: true,
  handoffs: true,
  call_transfer: true,
  post_call_webhook: true,
  call_status_webhook: true,
  pre_call_webhook: true,
});

class ShownSettingsDto extends ViewDto(shown, {
  ...EXAMPLES,
  recording_consent: RecordingConsentDto,
  redaction: RedactionDto,
  answering_machine: AgentAnsweringMachineDto,
  analysis: AgentAnalysisDto,
}) {}

/** The settings that each version of an agent has. */
export class AgentSettingsDto extends ShownSettingsDto implements AgentSettingsView {
  @ApiProperty({
    type: 'string',
    enum: PROVIDER_NAMES,
    description: 'Voice provider that the agent uses.',
    example: 'sandbox',
  })
  provider: string;

  @ApiProperty({
    type: AgentTurnDetectionDto,
    nullable: true,
    description: 'Turn detection of the provider. It replaces the stored object.',
  })
  turn_detection: Stored<'turn_detection'> | null;

  @ApiProperty({
    type: [AgentFallbackDto],
    maxItems: 3,
    description: 'Providers that take over in this order when the previous one fails.',
  })
  fallbacks: Stored<'fallbacks'>;

  @ApiProperty({
    type: [AgentVariableDto],
    maxItems: 50,
    description: 'Declared variables, which texts use as `{{name}}`. The list replaces the stored one.',
  })
  variables: AgentVariableDto[];

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

  @ApiProperty({
    type: AgentPreCallWebhookDto,
    nullable: true,
    description:
      'Webhook that is asked before each call is dialled or answered. Its answer may give variables and overrides, or skip the call. Null: none.',
  })
  pre_call_webhook: AgentPreCallWebhookDto | null;

  @ApiProperty({ type: AgentTransferDto, description: 'Transfers, unless the call sets others.' })
  call_transfer: AgentTransferDto;

  @ApiProperty({
    type: [DigitInputDto],
    maxItems: 10,
    description: 'Digits that the agent may ask for, with the tool `collect_digits`.',
  })
  digit_inputs: DigitInputDto[];

  @ApiProperty({
    type: [GuardrailDto],
    maxItems: 20,
    description: 'Rules about what is said and which tools run. Empty: none.',
  })
  guardrails: GuardrailDto[];

  @ApiProperty({
    type: [DisclosureDto],
    maxItems: 50,
    description: 'Sentences that are spoken before everything else and cannot be interrupted. Empty: none.',
  })
  disclosure: DisclosureDto[];

  @ApiProperty({
    type: [AgentHandoffDto],
    maxItems: 10,
    description: 'Agents that the model may hand the call over to, each by a tool.',
  })
  handoffs: AgentHandoffDto[];
}

import { agentRequest, type AgentSummaryView, type AgentView } from '@app/agents';
import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { time } from '../http/responses/api-time.js';
import { ListLinksDto, PageMetaDto, PageQueryDto } from '../http/responses/pagination.js';
import { WarningDto } from '../http/responses/warning.dto.js';
import { TextFilter } from '../http/validation/list-filters.js';
import { PartialDto, SchemaDto } from '../http/validation/schema-dto.js';
import { AgentSettingsDto, SETTINGS_EXAMPLES } from './agent-settings.dto.js';

const MAX_SEARCH = 255;

export class ListAgentsDto extends PageQueryDto {
  @TextFilter('search', MAX_SEARCH, 'Agents whose name contains this text (case-insensitive).')
  search?: string;
}

class AgentSummaryDto implements AgentSummaryView {
  @ApiProperty({
    type: 'integer',
    description: 'Unique identifier: the `agent_id` of calls, knowledge bases and tools.',
    example: 1,
  })
  id: number;

  @ApiProperty({ type: 'string', description: 'Name, unique in the account.', example: 'Receptionist' })
  name: string;

  @ApiProperty({ type: 'string', description: 'Voice provider that the agent uses.', example: 'sandbox' })
  provider: string;

  @ApiProperty({ type: 'boolean', description: 'Whether the agent can be used for calls.', example: true })
  active: boolean;

  @ApiProperty({
    type: 'string',
    description: 'Text that the agent speaks first. Empty if it waits for the user.',
    example: 'Hello, this is ACME.',
  })
  greeting: string;

  @ApiProperty({ type: 'integer', description: 'Maximum duration of a call in seconds.', example: 600 })
  max_call_seconds: number;

  @ApiProperty({ type: 'integer', description: 'Maximum ringing time of a call in seconds.', example: 60 })
  ring_timeout_seconds: number;

  @ApiProperty({ type: 'boolean', description: 'Whether the agent can transfer calls.', example: false })
  transfer_enabled: boolean;

  @ApiProperty({ type: 'integer', description: 'Number of the current version of the settings.', example: 1 })
  version: number;

  @ApiProperty(time('Time of creation.'))
  created_at: string;

  @ApiProperty(time('Time of the last change of its settings.'))
  updated_at: string;
}

export class AgentListDto {
  @ApiProperty({ type: [AgentSummaryDto], description: 'The agents on this page, sorted by name.' })
  data: AgentSummaryDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;

  @ApiPropertyOptional({
    type: [WarningDto],
    description:
      '`agent_not_configured`: calls fail, because the dialers lack a key or a model. `provider_not_configured`: calls work without this provider. The fields begin with `agents.{id}`.',
  })
  warnings?: WarningDto[];
}

const { tools, scenarios } = agentRequest.shape;

class AgentScenarioDto extends SchemaDto(scenarios, {
  name: 'greeting.yaml',
  scenario: { steps: [{ name: 'greeting', expects: 'ACME' }] },
}) {}

class ListedMcpServerDto extends SchemaDto(tools.unwrap().element.shape.mcp, {
  name: 'shop',
  url: 'https://example.com/mcp',
  headers: { Authorization: 'Bearer 4f1c9a' },
  tools: ['find_order'],
  timeout_seconds: 10,
}) {}

class AgentToolDto extends SchemaDto(tools, { mcp: ListedMcpServerDto }) {}

class AgentCanaryDto {
  @ApiProperty({ type: 'integer', description: 'Number of the version.', example: 4 })
  version: number;

  @ApiProperty({ type: 'integer', description: 'Share of the new calls in percent.', example: 10 })
  traffic_percent: number;
}

class AgentOwnFieldsDto {
  @ApiProperty({
    type: 'integer',
    description: 'Unique identifier: the `agent_id` of calls, knowledge bases and tools.',
    example: 1,
  })
  id: number;

  @ApiProperty({ type: 'string', description: 'Name, unique in the account.', example: 'Receptionist' })
  name: string;

  @ApiProperty({ type: 'boolean', description: 'Whether the agent can be used for calls.', example: true })
  active: boolean;

  @ApiProperty({ type: [AgentScenarioDto], description: 'Scenarios of the agent.' })
  scenarios: AgentScenarioDto[];

  @ApiProperty({
    type: [String],
    description: 'Names of `scenarios` that must pass, as text simulations, before settings are published.',
    example: [],
  })
  publish_requires: string[];

  @ApiProperty({ type: 'integer', description: 'Number of the current version of the settings.', example: 3 })
  version: number;

  @ApiProperty({
    type: AgentCanaryDto,
    nullable: true,
    description: 'Version that takes a share of the new calls while the current one takes the rest.',
  })
  canary: AgentCanaryDto | null;

  @ApiProperty(time('Time of creation.'))
  created_at: string;

  @ApiProperty(time('Time of the last change of its settings.'))
  updated_at: string;
}

/** An agent with its current settings. */
class AgentDto extends IntersectionType(AgentOwnFieldsDto, AgentSettingsDto) implements AgentView {}

export class CreateAgentDto extends SchemaDto(agentRequest, {
  name: 'Receptionist',
  ...SETTINGS_EXAMPLES,
  active: true,
  tools: AgentToolDto,
  scenarios: AgentScenarioDto,
  publish_requires: [],
}) {}

/** Absent fields stay unchanged. */
export class UpdateAgentDto extends PartialDto(CreateAgentDto) {}

export class FoundAgentDto {
  @ApiProperty({ type: AgentDto, description: 'The agent.' })
  data: AgentDto;

  @ApiPropertyOptional({
    type: [WarningDto],
    description:
      '`agent_not_configured`: calls fail, because the dialers lack a key or a model. `provider_not_configured`: calls work without this provider.',
  })
  warnings?: WarningDto[];
}

export class AgentWithMessageDto extends FoundAgentDto {
  @ApiProperty({ type: 'string', description: 'Confirmation.', example: 'Agent created successfully.' })
  message: string;
}

/** JSON bodies for Swagger UI. */
export const CREATE_AGENT_EXAMPLES = {
  sandbox: {
    summary: 'An agent of the sandbox',
    value: {
      name: 'Front desk',
      provider: 'sandbox',
      instructions: 'You answer for ACME.',
      greeting: 'Hello, this is ACME.',
      call_status_webhook: {
        url: 'https://example.com/hooks/calls',
        headers: [{ key: 'X-Team', value: 'support' }],
      },
    },
  },
  realtime: {
    summary: 'A speech-to-speech model with a fallback',
    value: {
      name: 'Concierge',
      provider: 'openai-realtime',
      model: 'gpt-realtime-2.1',
      voice: 'marin',
      turn_detection: { type: 'server_vad', silence_ms: 500 },
      fallbacks: [{ provider: 'sandbox' }],
      instructions: 'You answer for the hotel ACME.',
      answering_machine: { on_machine: 'leave_message', message: 'This is ACME. Please call us back.' },
      conversation: { idle: { after_seconds: 8, prompts: 1 }, language: 'en' },
    },
  },
  pipeline: {
    summary: 'A pipeline of transcriber, language model and synthesizer',
    value: {
      name: 'Reception',
      provider: 'pipeline',
      pipeline: {
        transcriber: {
          provider: 'deepgram',
          model: 'nova-3',
          keywords: ['ACME'],
          fallbacks: [{ provider: 'sandbox' }],
        },
        model: { provider: 'openai', model: 'gpt-5.1-mini', temperature: 0.3, max_tokens: 500 },
        synthesizer: { provider: 'deepgram', model: 'aura-2-thalia-en', speed: 1 },
        turns: { after_punctuation_ms: 300, without_punctuation_ms: 700, longest_ms: 1_500 },
        pronunciations: [{ text: 'ACME', spoken: 'ak-mee' }],
        languages: ['de'],
      },
      instructions: 'You answer for ACME.',
      conversation: { language: 'en', voice_activity: 'energy', tool_sound: 'typing' },
    },
  },
  transfer: {
    summary: 'An agent that transfers calls',
    value: {
      name: 'Operator',
      greeting: 'Hello, whom do you want to talk to?',
      call_transfer: { enabled: true, phone_number: '+15550002222', caller_id_number_id: 1 },
    },
  },
};

export const UPDATE_AGENT_EXAMPLES = {
  greeting: { summary: 'A new greeting', value: { greeting: 'Good day, this is ACME.' } },
  requires: {
    summary: 'A scenario that must pass before a version is published',
    value: {
      scenarios: [{ name: 'greeting.yaml', scenario: { steps: [{ name: 'greeting', expects: { matches: '.' } }] } }],
      publish_requires: ['greeting.yaml'],
    },
  },
  pipeline: {
    summary: 'Turn-taking and pronunciations of a pipeline',
    value: {
      provider: 'pipeline',
      pipeline: {
        turns: { after_punctuation_ms: 250, acknowledgements: ['mhm'], speculation: true },
        pronunciations: [{ text: 'SQL', spoken: 'sequel' }],
      },
    },
  },
  transfer: {
    summary: 'Another caller ID for transfers',
    value: { call_transfer: { caller_id_number_id: 1 } },
  },
};

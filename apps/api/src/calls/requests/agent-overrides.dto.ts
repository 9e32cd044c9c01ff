import { agentOverrides } from '@app/agents';
import { AgentAnsweringMachineInputDto } from '../../agents/agent-answering-machine.dto.js';
import { TRANSFER_OPTIONS } from '../../agents/agent-transfer.dto.js';
import { SchemaDto } from '../../http/validation/schema-dto.js';

/** Text that follows the instructions of the agent. */
class AppendedInstructionsDto extends SchemaDto(agentOverrides.shape.instructions, {
  append: 'The customer has asked to be called back about order 4711.',
}) {}

class OverriddenTransferDto extends SchemaDto(agentOverrides.shape.call_transfer, TRANSFER_OPTIONS) {}

class OverriddenAnsweringMachineDto extends AgentAnsweringMachineInputDto {}

export class AgentOverridesDto extends SchemaDto(agentOverrides, {
  greeting: 'Hello {{customer_name | there}}, this is ACME.',
  instructions: AppendedInstructionsDto,
  voice: 'marin',
  language: 'en-GB',
  max_call_seconds: 300,
  tool_ids: [],
  knowledge_base_ids: [],
  answering_machine: OverriddenAnsweringMachineDto,
  call_transfer: OverriddenTransferDto,
}) {}

import { agentRequest } from '@app/agents';
import { SchemaDto, StoredDto } from '../http/validation/schema-dto.js';

const { answering_machine: answeringMachine } = agentRequest.shape;

const EXAMPLES = {
  detect: true,
  on_machine: 'leave_message',
  message: 'This is ACME. Please call us back.',
  wait_for_beep_seconds: 30,
  on_screening: 'answer',
  screening_message: 'This is ACME, about your delivery.',
  on_ivr: 'go_on',
};

export class AgentAnsweringMachineDto extends StoredDto(answeringMachine, EXAMPLES) {}

export class AgentAnsweringMachineInputDto extends SchemaDto(answeringMachine, EXAMPLES) {}

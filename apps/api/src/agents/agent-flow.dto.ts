import { agentRequest } from '@app/agents';
import { SchemaDto } from '../http/validation/schema-dto.js';

const { flow, handoffs } = agentRequest.shape;
const { steps } = flow.unwrap().unwrap().shape;
const { exits, action, handoff } = steps.element.shape;

class FlowExitDto extends SchemaDto(exits, {
  to: 'book',
  if: 'vars.reason == "book"',
  when: 'The caller wants to cancel.',
}) {}

class FlowActionDto extends SchemaDto(action, {
  transfer: 'reception',
  say: 'Thank you, {{name}}.',
  then: 'confirm',
  end: true,
}) {}

class FlowHandoffDto extends SchemaDto(handoff, { agent: 7, context: 'summary' }) {}

class FlowStepDto extends SchemaDto(steps, {
  name: 'identify',
  instructions: 'Find out who is calling and why.',
  collect: {
    type: 'object',
    properties: { name: { type: 'string' }, reason: { type: 'string', enum: ['book', 'cancel', 'other'] } },
    required: ['name', 'reason'],
  },
  tools: ['find_times', 'book_time'],
  knowledge_base_ids: [4],
  exits: FlowExitDto,
  action: FlowActionDto,
  handoff: FlowHandoffDto,
  model: 'gpt-realtime-2.1-mini',
  voice: 'marin',
  language: 'de-DE',
  max_turns: 8,
  timeout_seconds: 120,
  on_limit: 'person',
}) {}

/** The steps of the conversation of an agent. */
export class AgentFlowDto extends SchemaDto(flow, { start: 'identify', steps: FlowStepDto }) {}

/** An agent that the model may hand the call over to. */
export class AgentHandoffDto extends SchemaDto(handoffs, {
  agent: 7,
  when: 'The caller wants to cancel an appointment.',
  context: 'summary',
}) {}

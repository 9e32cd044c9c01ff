import { agentRequest } from '@app/agents';
import { SchemaDto } from '../http/validation/schema-dto.js';

const { conversation } = agentRequest.shape;
const { idle, barge_in: bargeIn, phrases } = conversation.unwrap().unwrap().shape;

class AgentIdleDto extends SchemaDto(idle, { after_seconds: 10, prompts: 2 }) {}

class AgentBargeInDto extends SchemaDto(bargeIn, { duck_ms: 60, interrupt_ms: 200, guard_ms: 1_000 }) {}

class AgentPhrasesDto extends SchemaDto(phrases, {
  filler: 'One moment, please.',
  moment: 'Just a moment.',
  idle: 'Are you still there?',
  goodbye: 'Goodbye.',
  apology: 'We have a problem. Please call again.',
}) {}

export class AgentConversationDto extends SchemaDto(conversation, {
  idle: AgentIdleDto,
  barge_in: AgentBargeInDto,
  phrases: AgentPhrasesDto,
  language: 'en',
  voice_activity: 'energy',
  noise_suppression: false,
  tool_sound: 'off',
}) {}

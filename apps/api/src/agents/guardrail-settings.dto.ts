import { agentRequest } from '@app/agents';
import { SchemaDto, StoredDto } from '../http/validation/schema-dto.js';

const { guardrails, disclosure } = agentRequest.shape;

const RULE = {
  name: 'no_guarantees',
  on: 'agent',
  pattern: 'guarantee(d|s)?',
  topics: ['guaranteed return'],
  policy: 'The agent promises a return on an investment.',
  on_timeout: 'allow',
  action: 'replace',
  text: 'I cannot promise that. An adviser can tell you more.',
};

const SENTENCE = { language: 'en', prefix: '+1', text: 'I am a virtual assistant of ACME.' };

/** A rule about what is said, or which tools run. */
export class GuardrailDto extends StoredDto(guardrails, RULE) {}

export class GuardrailInputDto extends SchemaDto(guardrails, RULE) {}

/** A sentence that is spoken before everything else. */
export class DisclosureDto extends StoredDto(disclosure, SENTENCE) {}

export class DisclosureInputDto extends SchemaDto(disclosure, SENTENCE) {}

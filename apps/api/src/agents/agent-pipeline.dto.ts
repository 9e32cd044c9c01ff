import { agentRequest } from '@app/agents';
import { SchemaDto } from '../http/validation/schema-dto.js';

const { pipeline } = agentRequest.shape;
const { transcriber, model, synthesizer, turns, pronunciations } = pipeline.unwrap().unwrap().shape;

const TRANSCRIBER = { provider: 'sandbox', model: 'nova-3', keywords: ['Trunkline'] };

class AgentTranscriberChoiceDto extends SchemaDto(transcriber.unwrap().shape.fallbacks, TRANSCRIBER) {}

class AgentTranscriberDto extends SchemaDto(transcriber, { ...TRANSCRIBER, fallbacks: AgentTranscriberChoiceDto }) {}

const MODEL = {
  provider: 'sandbox',
  model: 'gpt-5.1-mini',
  temperature: 0.3,
  max_tokens: 500,
  reasoning_effort: 'low',
};

class AgentModelChoiceDto extends SchemaDto(model.unwrap().shape.fallbacks, MODEL) {}

class AgentModelDto extends SchemaDto(model, { ...MODEL, fallbacks: AgentModelChoiceDto }) {}

const SYNTHESIZER = {
  provider: 'sandbox',
  model: 'eleven_flash_v2_5',
  voice: 'aura-2-thalia-en',
  speed: 1,
  instructions: 'Calm and friendly.',
};

class AgentSynthesizerChoiceDto extends SchemaDto(synthesizer.unwrap().shape.fallbacks, SYNTHESIZER) {}

class AgentSynthesizerDto extends SchemaDto(synthesizer, { ...SYNTHESIZER, fallbacks: AgentSynthesizerChoiceDto }) {}

class AgentTurnsDto extends SchemaDto(turns, {
  after_punctuation_ms: 300,
  without_punctuation_ms: 700,
  longest_ms: 1_500,
  acknowledgements: ['mhm'],
  speculation: true,
}) {}

class AgentPronunciationDto extends SchemaDto(pronunciations, { text: 'SQL', spoken: 'sequel' }) {}

export class AgentPipelineDto extends SchemaDto(pipeline, {
  transcriber: AgentTranscriberDto,
  model: AgentModelDto,
  synthesizer: AgentSynthesizerDto,
  turns: AgentTurnsDto,
  pronunciations: AgentPronunciationDto,
  languages: ['de', 'fr'],
}) {}

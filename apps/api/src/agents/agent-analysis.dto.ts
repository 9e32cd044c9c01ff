import { agentRequest, analysisChange } from '@app/agents';
import { SchemaDto, StoredDto } from '../http/validation/schema-dto.js';

const { rubric, model } = analysisChange.in.shape;

class RubricQuestionDto extends SchemaDto(rubric, {
  name: 'identity_checked',
  question: 'Did the agent check who is calling before it named the order?',
  type: 'boolean',
  options: ['satisfied', 'neutral', 'annoyed'],
}) {}

class AnalysisModelDto extends SchemaDto(model, {
  provider: 'openai',
  model: 'gpt-5.1-mini',
  reasoning_effort: 'low',
}) {}

const EXAMPLES = {
  extract: {
    type: 'object',
    properties: { order_number: { type: 'string' }, reason: { type: 'string', enum: ['delivery', 'billing'] } },
  },
  rubric: RubricQuestionDto,
  summary_prompt: 'Two sentences: what the caller wanted, and what was agreed.',
  model: AnalysisModelDto,
};

export class AgentAnalysisDto extends StoredDto(agentRequest.shape.analysis, EXAMPLES) {}

export class AgentAnalysisInputDto extends SchemaDto(analysisChange, EXAMPLES) {}

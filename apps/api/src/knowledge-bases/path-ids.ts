import { ApiParam } from '@nestjs/swagger';
import { PathId } from '../http/path-params.js';

export const AgentId = (): ParameterDecorator => PathId('agent_id', 'Agent');
export const KnowledgeBaseId = (): ParameterDecorator => PathId('id', 'Knowledge base');

const schema = { type: 'integer', minimum: 1 } as const;

/** Swagger UI fills it in: agent 1 is the one of the demo workspace. */
export const ApiAgentId = (): ClassDecorator & MethodDecorator =>
  ApiParam({
    name: 'agent_id',
    description: 'The agent, whether it is active or not.',
    schema: { ...schema, example: 1 },
  });

export const ApiKnowledgeBaseId = (): MethodDecorator =>
  ApiParam({ name: 'id', description: 'The `id` of the knowledge base.', schema });

import { expect } from '@jest/globals';
import type { TestApi } from './app.js';
import { anAgent, type Workspace } from './factories.js';

export const ANIMALS = { title: 'Animals', source_type: 'text', content: 'The wombat digs burrows.' };

/** A knowledge base as the API returns it. */
interface CreatedKnowledgeBase {
  id: number;
  agent_id: number;
  agent_ids: number[];
  title: string;
}

/** The path of an agent's knowledge bases. */
export const knowledgePathOf = (agentId: number): string => `/api/v1/agents/${agentId}/knowledge-bases`;

/** Requests about the knowledge bases of several agents of one account. `of` is called at each request. */
export function agentKnowledgeRequests(of: () => { api: Pick<TestApi, 'as' | 'pool'>; own: Workspace }) {
  const as = () => of().api.as(of().own.token);
  const search = (agentId: number, body: object = {}) =>
    as()
      .post(`${knowledgePathOf(agentId)}/search`)
      .send({ query: 'wombat', limit: 20, ...body });
  return {
    as,
    search,
    /** New agents by ascending id. */
    agents: async (count: number): Promise<number[]> => {
      const { api, own } = of();
      const ids = await Promise.all(Array.from({ length: count }, () => anAgent(api.pool, own.accountId)));
      return ids.toSorted((a, b) => a - b);
    },
    made: async (agentId: number, body: object = {}): Promise<CreatedKnowledgeBase> => {
      const answer = await as()
        .post(knowledgePathOf(agentId))
        .send({ ...ANIMALS, ...body });
      expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
      return answer.body.data as CreatedKnowledgeBase;
    },
    put: (agentId: number, id: number, body: object) =>
      as()
        .put(`${knowledgePathOf(agentId)}/${id}`)
        .send(body),
    /** The knowledge bases of the passages that an agent finds. */
    found: async (agentId: number, body: object = {}): Promise<number[]> => {
      const { data } = (await search(agentId, body)).body as { data: { knowledge_base_id: number }[] };
      return data.map((passage) => passage.knowledge_base_id).toSorted((a, b) => a - b);
    },
  };
}

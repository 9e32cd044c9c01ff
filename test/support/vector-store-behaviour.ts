import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Generation, NearChunk, VectorStore } from '@app/knowledge';
import type { Pool } from 'pg';
import { aWorkspace, anAgent } from './factories.js';
import { aGeneration, aKnowledgeBase, chunksOf, serve, share, versionOf, type AgentOf } from './knowledge-rows.js';
import { SeededRandom } from './seeded-random.js';

export const DIMENSIONS = 16;
export const MODEL = `ours@${DIMENSIONS}`;

export interface StoreUnderTest {
  pool: Pool;
  store: VectorStore;
  /** The worker's step before a generation is served. */
  add: (place: Generation) => Promise<void>;
  close: () => Promise<void>;
}

const random = new SeededRandom(7);

export function aVector(dimensions = DIMENSIONS): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random.next() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

/** The common behaviour of all vector stores. @param more additional tests of this store */
export function describeVectorStore(
  name: string,
  open: () => Promise<StoreUnderTest>,
  more?: (subject: () => StoreUnderTest) => void,
): void {
  describe(`vectors compared by ${name}`, () => {
    let subject: StoreUnderTest;

    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    const newAgent = async (): Promise<AgentOf> => {
      const { accountId, agentId } = await aWorkspace(subject.pool);
      return { accountId, agentId };
    };

    /** Builds and serves a generation of these vectors, named by their index. */
    async function served(
      agent: AgentOf,
      vectors: readonly Float32Array[],
      { model = MODEL, id }: { model?: string; id?: number } = {},
    ): Promise<number> {
      const knowledgeBaseId = id ?? (await aKnowledgeBase(subject.pool, agent));
      const place = await aGeneration(
        subject.pool,
        agent,
        knowledgeBaseId,
        chunksOf(
          vectors.map((_, i) => `${i}`),
          vectors,
          model,
        ),
      );
      await subject.add(place);
      await serve(subject.pool, place);
      return knowledgeBaseId;
    }

    async function nearest(agent: AgentOf, query: Float32Array, limit = 3): Promise<NearChunk[]> {
      const version = await versionOf(subject.pool, agent);
      return subject.store.nearest({ ...agent, version }, query, limit);
    }

    /** Knowledge base and index of each result. */
    async function placesOf(found: NearChunk[]): Promise<string[]> {
      const text = `SELECT knowledge_base_id || ':' || c.text AS place FROM unnest($1::bigint[]) WITH ORDINALITY AS f (id, n)
        JOIN knowledge_chunks c ON c.id = f.id ORDER BY n`;
      const { rows } = await subject.pool.query<{ place: string }>(text, [found.map(({ chunkId }) => chunkId)]);
      return rows.map(({ place }) => place);
    }

    it('are found nearest first, with their cosine, as an exact comparison finds them', async () => {
      const agent = await newAgent();
      const vectors = Array.from({ length: 400 }, () => aVector());
      const query = aVector();
      const id = await served(agent, vectors);
      const expected = vectors
        .map((vector, place) => ({ place, similarity: cosine(vector, query) }))
        .toSorted((a, b) => b.similarity - a.similarity)
        .slice(0, 10);
      const found = await nearest(agent, query, 10);
      expect(await placesOf(found)).toEqual(expected.map(({ place }) => `${id}:${place}`));
      for (const [i, { similarity }] of found.entries())
        expect(similarity).toBeCloseTo(expected[i]?.similarity ?? 9, 2);
    });

    it('are those of the agent and the account alone, and as many as asked in the midst of others', async () => {
      const query = aVector();
      const [own, other] = [await newAgent(), await newAgent()];
      const sibling = { accountId: own.accountId, agentId: await anAgent(subject.pool, own.accountId) };
      // All vectors of the other account are nearer.
      for (const agent of [other, sibling])
        await served(
          agent,
          Array.from({ length: 200 }, () => query),
        );
      const id = await served(
        own,
        Array.from({ length: 12 }, () => aVector()),
      );
      const found = await placesOf(await nearest(own, query, 10));
      expect(found).toHaveLength(10);
      expect(found.filter((place) => !place.startsWith(`${id}:`))).toEqual([]);
      expect(await nearest({ accountId: other.accountId, agentId: own.agentId }, query, 10)).toEqual([]);
    });

    it('are those of knowledge bases that other agents share, and of the selected ones among all', async () => {
      const [owner, outsider] = [await newAgent(), await newAgent()];
      const reader = { accountId: owner.accountId, agentId: await anAgent(subject.pool, owner.accountId) };
      const query = aVector();
      const near = Array.from({ length: 30 }, () => aVector());
      const [shared, kept] = [await served(owner, near), await served(owner, near)];
      const own = await served(reader, [aVector(), aVector()]);
      const basesOf = async (agent: AgentOf, knowledgeBaseIds?: number[], limit = 40) => {
        const found = await nearest({ ...agent, ...(knowledgeBaseIds && { knowledgeBaseIds }) }, query, limit);
        return (await placesOf(found)).map((place) => Number(place.split(':')[0]));
      };
      expect(new Set(await basesOf(reader))).toEqual(new Set([own]));
      await share(subject.pool, shared, reader);
      const found = await basesOf(reader);
      expect([found.length, new Set(found)]).toEqual([32, new Set([shared, own])]);
      // Nearly all of the nearest vectors are those of the shared one.
      expect(await basesOf(reader, [own], 2)).toEqual([own, own]);
      expect(new Set(await basesOf(owner, [kept]))).toEqual(new Set([kept]));
      expect(await basesOf(reader, [kept])).toEqual([]);
      expect(await basesOf(reader, [])).toEqual([]);
      // A link of another account finds nothing.
      await share(subject.pool, shared, outsider);
      expect(await basesOf(outsider)).toEqual([]);
    });

    it('are those of active knowledge bases, of what is served, and of this model', async () => {
      const agent = await newAgent();
      const query = aVector();
      const inactive = await served(agent, [query]);
      await subject.pool.query('UPDATE knowledge_bases SET is_active = false WHERE id = $1', [inactive]);
      await served(agent, [query], { model: `another@${DIMENSIONS}` });
      const building = await aGeneration(
        subject.pool,
        agent,
        await aKnowledgeBase(subject.pool, agent),
        chunksOf(['0'], [query], MODEL),
      );
      await subject.add(building);
      const found = await served(agent, [aVector()]);
      expect(await placesOf(await nearest(agent, query, 10))).toEqual([`${found}:0`]);
    });

    it('are those of the old generation until the new one is served, and of none when it is deleted', async () => {
      const agent = await newAgent();
      const [first, second] = [aVector(), aVector()];
      const kept = await served(agent, [first]);
      const id = await served(agent, [first, first]);
      expect(await placesOf(await nearest(agent, first, 9))).toHaveLength(3);
      const next = await aGeneration(subject.pool, agent, id, chunksOf(['new'], [second], MODEL));
      await subject.add(next);
      expect(await placesOf(await nearest(agent, second, 9))).toHaveLength(3);
      await serve(subject.pool, next);
      expect(await placesOf(await nearest(agent, second, 9))).toEqual([`${id}:new`, `${kept}:0`]);
      await subject.pool.query('DELETE FROM knowledge_bases WHERE id = $1', [id]);
      await subject.pool.query('UPDATE agents SET knowledge_version = knowledge_version + 1 WHERE id = $1', [
        agent.agentId,
      ]);
      expect(await placesOf(await nearest(agent, second, 9))).toEqual([`${kept}:0`]);
    });

    more?.(() => subject);

    it('are none for an agent without any', async () => expect(await nearest(await newAgent(), aVector())).toEqual([]));

    it('are not waited for any longer than the search has time', async () => {
      const agent = await newAgent();
      const signal = AbortSignal.abort(new Error('too late'));
      const work = subject.store.nearest({ ...agent, version: '0' }, aVector(), 3, signal);
      await expect(work).rejects.toThrow('too late');
    });
  });
}

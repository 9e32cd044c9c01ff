import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@app/database';
import { KnowledgeChunksRepository } from './knowledge-chunks.repository.js';
import { VectorBackfillRepository } from './vectors/vector-backfill.repository.js';
import { agentKnowledgeRequests, knowledgePathOf } from '../../../test/support/agent-knowledge-requests.js';
import { eventually } from '../../../test/support/eventually.js';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import { aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { statementsOf } from '../../../test/support/statements-of.js';

let api: InProcessApi;
let own: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const { agents, as, made, put, found, search } = agentKnowledgeRequests(() => ({ api, own }));

async function versions(agentIds: number[]): Promise<number[]> {
  const text = `SELECT a.knowledge_version::integer AS v FROM unnest($1::integer[]) WITH ORDINALITY AS wanted (id, place)
    JOIN agents a ON a.id = wanted.id ORDER BY place`;
  return (await api.pool.query<{ v: number }>(text, [agentIds])).rows.map(({ v }) => v);
}

async function waitingForLocks(): Promise<number> {
  const text = `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  return (await api.pool.query<{ n: number }>(text)).rows[0]?.n ?? 0;
}

describe('a knowledge base that several agents share', () => {
  it('raises the version of every agent with each change, and of no other one', async () => {
    const all = (await agents(4)) as [number, number, number, number];
    const [owner, reader, later, stranger] = all;
    let before = await versions(all);
    const { id } = await made(owner, { agent_ids: [reader] });
    const raise = async (): Promise<boolean[]> => {
      const now = await versions(all);
      const which = now.map((version, at) => version > before[at]!);
      before = now;
      return which;
    };
    expect(await raise()).toEqual([true, true, false, false]);
    await put(owner, id, { content: 'The koala sleeps.' });
    expect(await raise()).toEqual([true, true, false, false]);
    await put(owner, id, { title: 'Koalas' });
    expect(await raise()).toEqual([true, true, false, false]);
    await put(owner, id, { agent_ids: [later] });
    expect(await raise()).toEqual([true, true, true, false]);
    await as().post(`${knowledgePathOf(owner)}/${id}/reprocess`);
    expect(await raise()).toEqual([true, false, true, false]);
    await as().delete(`${knowledgePathOf(owner)}/${id}`);
    expect(await raise()).toEqual([true, false, true, false]);
    expect(await found(stranger)).toEqual([]);
  });

  it('raises the versions of its agents when its vectors are complete', async () => {
    const [owner, reader] = (await agents(2)) as [number, number];
    const { id } = await made(owner, { agent_ids: [reader] });
    const database = api.app.get(Database);
    const backfills = new VectorBackfillRepository(database, new KnowledgeChunksRepository(database));
    await api.pool.query('UPDATE knowledge_bases SET vectors_unannounced = true WHERE id = $1', [id]);
    const before = await versions([owner, reader]);
    await backfills.announce({ accountId: own.accountId, agentId: owner });
    expect(await versions([owner, reader])).toEqual(before.map((version) => version + 1));
  });

  it('is changed together with others of the same agents without a deadlock', async () => {
    const [first, second, third] = (await agents(3)) as [number, number, number];
    const orders = [
      [first, [second, third]],
      [second, [third, first]],
      [third, [first, second]],
    ] as const;
    const bases = await Promise.all(
      orders.map(async ([owner, others]) => ({ owner, others, id: (await made(owner, { agent_ids: others })).id })),
    );
    const before = await versions([first, second, third]);
    const changes = Array.from({ length: 10 }, (_, round) =>
      bases.map(({ owner, others, id }) =>
        put(owner, id, round % 2 === 0 ? { content: `Wombat ${round}.` } : { agent_ids: others }),
      ),
    ).flat();
    expect(new Set((await Promise.all(changes)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(await versions([first, second, third])).toEqual(before.map((version) => version + 30));
  });

  it('is changed by waiting transactions beside one that refers to the agent, without a deadlock', async () => {
    const [agentId] = (await agents(1)) as [number];
    const { id } = await made(agentId);
    const change = { accountId: own.accountId, knowledgeBaseId: id };
    const database = api.app.get(Database);
    const chunks = new KnowledgeChunksRepository(database);
    const raise = (): Promise<void> => database.transaction((tx) => chunks.raiseVersion(change, tx));
    const [before] = (await versions([agentId])) as [number];
    let waiting: Promise<unknown> = Promise.resolve();
    // As the foreign key of a row that is being inserted; it outlasts the first change.
    await database.transaction(async (reference) => {
      await reference.query('SELECT 1 FROM agents WHERE id = $1 FOR KEY SHARE', [agentId]);
      await database.transaction(async (first) => {
        await chunks.raiseVersion(change, first);
        waiting = Promise.all([raise(), raise()]);
        await eventually(
          () => waitingForLocks(),
          (count) => count === 2,
        );
      });
      await waiting;
    });
    expect(await versions([agentId])).toEqual([before + 3]);
  });
});

describe('thousands of knowledge bases', () => {
  it('are never read as a whole: every statement of lists, searches, calls and changes uses an index', async () => {
    const readers = await agents(40);
    const [reader] = readers as [number];
    await api.pool.query(
      `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, status, generation, serving, content)
       SELECT $1, agent, 'Title ' || n, 'text', 'completed', 1, 1, repeat('x', 1500) FROM unnest($2::integer[]) agent, generate_series(1, 200) n`,
      [own.accountId, readers],
    );
    await api.pool.query(
      `INSERT INTO knowledge_pages (account_id, knowledge_base_id, generation, url, url_hash, depth)
       SELECT account_id, id, 1, 'https://example.com/' || n, sha256(n::text::bytea), 0 FROM knowledge_bases, generate_series(1, 5) n`,
    );
    await api.pool.query(
      `INSERT INTO knowledge_chunks (account_id, agent_id, knowledge_base_id, generation, ordinal, text, start_offset, end_offset, tokens)
       SELECT account_id, agent_id, id, 1, 0, 'x', 0, 1, 1 FROM knowledge_bases WHERE serving = 1 AND agent_id = ANY ($1)`,
      [readers],
    );
    const { id } = await made(own.agentId, { agent_ids: [reader] });
    const mine = await made(reader);
    await api.pool.query('ANALYZE');
    const requests = async (): Promise<number[]> => {
      const answers = [
        await as().get(`${knowledgePathOf(reader)}?per_page=20`),
        await as().get(`${knowledgePathOf(reader)}/${id}`),
        await search(reader, { knowledge_base_ids: [id] }),
        await search(reader, {}),
        await put(reader, mine.id, { content: 'The koala sleeps.' }),
        await put(reader, mine.id, { agent_ids: [own.agentId] }),
        await put(reader, mine.id, { is_active: false }),
        await as()
          .post('/api/v1/calls')
          .send({
            to_number: 'sip:answer@127.0.0.1:5070',
            agent_id: reader,
            number_id: own.numberId,
            knowledge_base_ids: [id],
          }),
        await as()
          .post(`/api/v1/agents/${reader}/simulations`)
          .send({ knowledge_base_ids: [id], steps: [{ says: 'wombat' }] }),
      ];
      return answers.map(({ status }) => status);
    };
    const sent = await statementsOf(api.pool, async () =>
      expect(await requests()).toEqual([200, 200, 200, 200, 200, 200, 200, 201, 200]),
    );
    const statements = sent.filter(({ text }) => /knowledge_(?:bases|base_agents|chunks)/.test(text));
    expect(statements.length).toBeGreaterThan(15);
    for (const { text, values } of statements) {
      const plan = await api.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      const lines = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(`${text}\n${lines}`).not.toMatch(/Seq Scan on knowledge_/);
    }
  });
});

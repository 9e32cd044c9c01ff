import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@app/database';
import { type FoundChunk, type SearchedAgent } from './search/knowledge-search.repository.js';
import { type Generation } from './knowledge-chunks.repository.js';
import { type KnowledgeSearchService } from './search/knowledge-search.service.js';
import { type NearChunk } from './vectors/vector-store.js';
import { Pool } from 'pg';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aWorkspace, anAgent } from '../../../test/support/factories.js';
import { chunksIn } from '../../../test/support/knowledge-rows.js';
import { searchOver, type SearchOver } from '../../../test/support/search-over.js';

let database: TestDatabase;
let pool: Pool;
let agent: SearchedAgent;
const opened: SearchOver[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url });
});
beforeEach(async () => {
  agent = await aWorkspace(pool);
});
afterAll(async () => {
  await Promise.all(opened.map((search) => search.close()));
  await pool.end();
  await database.drop();
});

/** A search service with the caches of one process. */
function aSearch(given: Parameters<typeof searchOver>[1] = {}): KnowledgeSearchService {
  const one = searchOver(pool, given);
  opened.push(one);
  return one.search;
}

async function aKnowledgeBase(of: SearchedAgent, title = 'Handbook'): Promise<Generation> {
  const text = `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, source_reference, next_attempt_at)
    VALUES ($1, $2, $3, 'url', 'https://example.com/terms', now()) RETURNING id`;
  const { rows } = await pool.query<{ id: number }>(text, [of.accountId, of.agentId, title]);
  return { accountId: of.accountId, agentId: of.agentId, knowledgeBaseId: rows[0]!.id, generation: 0 };
}

/** Writes the next generation without serving it. */
async function written(place: Generation, texts: string[]): Promise<Generation> {
  const next = { ...place, generation: place.generation + 1 };
  await pool.query('UPDATE knowledge_bases SET generation = $2 WHERE id = $1', [
    place.knowledgeBaseId,
    next.generation,
  ]);
  const chunks = texts.map((text, ordinal) => ({
    ordinal,
    text,
    headingPath: ['Terms'],
    start: ordinal * 100,
    end: ordinal * 100 + text.length,
    tokens: 1,
  }));
  await chunksIn(pool).insert(next, chunks);
  return next;
}

async function served(place: Generation, texts: string[]): Promise<Generation> {
  const next = await written(place, texts);
  await inTransaction(pool, (tx) => chunksIn(pool).swap(next, { words: 1, characters: 1 }, tx));
  return next;
}

const aServed = async (of: SearchedAgent, texts: string[], title?: string): Promise<Generation> =>
  served(await aKnowledgeBase(of, title), texts);

/** Changes the text like the API. */
const change = (place: Generation, column: 'is_active' | 'title', value: unknown): Promise<void> =>
  inTransaction(pool, async (tx) => {
    await tx.query(`UPDATE knowledge_bases SET ${column} = $2 WHERE id = $1`, [place.knowledgeBaseId, value]);
    await tx.query('UPDATE agents SET knowledge_version = knowledge_version + 1 WHERE id = $1', [place.agentId]);
  });

const remove = (place: Generation): Promise<void> =>
  inTransaction(pool, async (tx) => {
    await tx.query('DELETE FROM knowledge_bases WHERE id = $1', [place.knowledgeBaseId]);
    await tx.query('UPDATE agents SET knowledge_version = knowledge_version + 1 WHERE id = $1', [place.agentId]);
  });

const texts = (found: FoundChunk[]): string[] => found.map(({ text }) => text);

describe('a knowledge search', () => {
  it('finds only active knowledge bases and serving generations of the agent in its account', async () => {
    const other = await aWorkspace(pool);
    const sibling = { accountId: agent.accountId, agentId: await anAgent(pool, agent.accountId) };
    await aServed(agent, ['fee: ten euros']);
    await written(await aServed(agent, ['fee: old, serving still']), ['fee: new, not yet']);
    await written(await aKnowledgeBase(agent), ['fee: unfinished']);
    await change(await aServed(agent, ['fee: inactive']), 'is_active', false);
    await remove(await aServed(agent, ['fee: deleted']));
    await served(await aServed(agent, ['fee: superseded']), ['fee: its successor']);
    await aServed(other, ['fee: of another account']);
    await aServed(sibling, ['fee: of another agent']);
    const search = aSearch();
    const found = texts(await search.search(agent, ['fee'], { limit: 20 }));
    expect(found.toSorted()).toEqual(['fee: its successor', 'fee: old, serving still', 'fee: ten euros']);
    const borrowed = { accountId: other.accountId, agentId: agent.agentId };
    expect(await search.search(borrowed, ['fee'], { limit: 20 })).toEqual([]);
    expect(texts(await search.search(sibling, ['fee'], { limit: 20 }))).toEqual(['fee: of another agent']);
  });

  it('sees changes made by another process', async () => {
    const place = await aServed(agent, ['Parking is free.'], 'Hotel');
    const [here, there] = [aSearch(), aSearch()];
    const both = async (query: string) => [
      texts(await here.search(agent, [query], { limit: 5 })),
      texts(await there.search(agent, [query], { limit: 5 })),
    ];
    expect(await both('parking')).toEqual([['Parking is free.'], ['Parking is free.']]);
    const next = await served(place, ['Parking costs ten euros.']);
    expect(await both('parking')).toEqual([['Parking costs ten euros.'], ['Parking costs ten euros.']]);
    await change(next, 'is_active', false);
    expect(await both('parking')).toEqual([[], []]);
    await change(next, 'is_active', true);
    await change(next, 'title', 'Guesthouse');
    expect(await both('guesthouse')).toEqual([['Parking costs ten euros.'], ['Parking costs ten euros.']]);
    expect(await both('hotel')).toEqual([[], []]);
    await remove(next);
    expect(await both('parking')).toEqual([[], []]);
  });

  it('finds exactly one generation while two are swapped', async () => {
    const parts = (generation: number) => [1, 2, 3].map((part) => `part ${part} of edition ${generation}`);
    let place = await aServed(agent, parts(1));
    await aServed(agent, ['part of what does not change']);
    const searches = [aSearch(), aSearch()];
    const searching = new AbortController();
    const swapping = (async () => {
      while (!searching.signal.aborted) place = await served(place, parts(place.generation + 1));
    })();
    const editions = new Set<string>();
    // However slowly another process swaps them.
    for (let n = 0; n < 100 || editions.size <= 5; n += 1) {
      const found = texts(await searches[n % 2]!.search(agent, ['part edition'], { limit: 10 }));
      const seen = new Set(found.filter((text) => text.includes('edition')).map((text) => text.split(' ').at(-1)!));
      expect([found.length, seen.size]).toEqual([4, 1]);
      editions.add([...seen].join());
    }
    searching.abort();
    await swapping;
    expect(editions.size).toBeGreaterThan(5);
  });

  it('gives the same results in every process after many changes to many small knowledge bases', async () => {
    const parts = (at: number) => [`room ${at} costs ${at % 7} euros`, `floor ${at % 5}`].slice(0, 1 + (at % 2));
    const places: Generation[] = [];
    for (let at = 0; at < 40; at += 1) places.push(await aServed(agent, parts(at), `House ${at}`));
    // Larger than one batch of the index, between smaller ones.
    const many = Array.from({ length: 300 }, (_, at) => `towel ${at} of room 7`);
    places[20] = await served(places[20]!, many);
    const changing = aSearch();
    const found = async (search: KnowledgeSearchService, query: string) =>
      (await search.search(agent, [query], { limit: 10 })).map(({ chunkId, score }) => [chunkId, score]);
    for (let at = 0; at < 40; at += 3) {
      if (at % 2) await remove(places[at]!);
      else places[at] = await served(places[at]!, parts(at + 100));
      for (const query of ['room 7', 'floor 3 euros', 'house 12'])
        expect(await found(changing, query)).toEqual(await found(aSearch(), query));
    }
  });

  it('builds an index once for all concurrent searches', async () => {
    await aServed(
      agent,
      Array.from({ length: 600 }, (_, n) => `room ${n}`),
    );
    const lines: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
    const search = aSearch({ log });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => search.search(agent, [`room ${n}`], { limit: 1 })),
    );
    expect(answers.map((found) => found[0]?.text)).toEqual(Array.from({ length: 8 }, (_, n) => `room ${n}`));
    expect(lines.filter((line) => line.includes('knowledge indexed'))).toHaveLength(1);
  });

  it('works for agents whose index exceeds the cache', async () => {
    const sibling = { accountId: agent.accountId, agentId: await anAgent(pool, agent.accountId) };
    await aServed(agent, ['Checkout at eleven.']);
    await aServed(sibling, ['Checkout at noon.']);
    const search = aSearch({ cacheBytes: 1 });
    for (let n = 0; n < 3; n += 1) {
      expect(texts(await search.search(agent, ['checkout'], { limit: 1 }))).toEqual(['Checkout at eleven.']);
      expect(texts(await search.search(sibling, ['checkout'], { limit: 1 }))).toEqual(['Checkout at noon.']);
    }
  });

  it('can be aborted without affecting other searches that wait for the same index', async () => {
    await aServed(agent, ['Checkout at eleven.']);
    const search = aSearch();
    const hangup = new AbortController();
    const given = search.search(agent, ['checkout'], { limit: 1, signal: hangup.signal });
    const other = search.search(agent, ['checkout'], { limit: 1 });
    hangup.abort(new Error('the caller hung up'));
    await expect(given).rejects.toThrow('the caller hung up');
    expect(texts(await other)).toEqual(['Checkout at eleven.']);
  });
});

describe('the knowledge of an agent for its system prompt', () => {
  it('has the text of short knowledge, the titles of long one, and nothing of others', async () => {
    const search = aSearch();
    const prices = await aServed(agent, ['Article 4711 costs three euros.'], 'Prices');
    expect(await search.knowledgeOf(agent)).toMatchObject({
      titles: ['Prices'],
      whole: [{ title: 'Prices', headingPath: ['Terms'], text: expect.stringContaining('4711') }],
    });
    const novel = await aServed(agent, ['It was a dark and stormy night.'], 'Novel');
    const lengthen = 'UPDATE knowledge_chunks SET tokens = 2000 WHERE knowledge_base_id = $1';
    await pool.query(lengthen, [novel.knowledgeBaseId]);
    const { titles, whole } = (await search.knowledgeOf(agent)) ?? {};
    expect([titles, whole]).toEqual([['Prices', 'Novel'], undefined]);
    // A call that names the short one has it in its system prompt.
    const select = (ids: number[]) => search.knowledgeOf({ ...agent, knowledgeBaseIds: ids });
    expect(await select([prices.knowledgeBaseId])).toMatchObject({
      titles: ['Prices'],
      whole: [{ title: 'Prices' }],
    });
    expect(await select([])).toBeUndefined();
    expect(await search.knowledgeOf({ ...agent, agentId: await anAgent(pool, agent.accountId) })).toBeUndefined();
  });
});

describe('a lexical and semantic search', () => {
  const MODEL = { model: 'm@2', dimensions: 2, embed: () => Promise.resolve([]) };
  const vector = new Float32Array([1, 0]);
  const nearby = (ids: string[]) => ({
    nearest: (): Promise<NearChunk[]> => Promise.resolve(ids.map((chunkId) => ({ chunkId, similarity: 0.9 }))),
  });
  const idOf = async (text: string): Promise<string> =>
    (
      await pool.query<{ id: string }>('SELECT id FROM knowledge_chunks WHERE text = $1 AND agent_id = $2', [
        text,
        agent.agentId,
      ])
    ).rows[0]!.id;

  beforeEach(async () => {
    await aServed(agent, ['Pets pay twenty euros.', 'Dogs are welcome.', 'We close at ten.']);
  });

  it('ranks results of both halves first and includes results of only one', async () => {
    const store = nearby([await idOf('Pets pay twenty euros.'), await idOf('Dogs are welcome.'), '999999999']);
    const search = aSearch({ dense: { embedder: { ...MODEL, embedQuery: () => Promise.resolve(vector) }, store } });
    const found = await search.search(agent, ['dogs'], { limit: 5 });
    expect(texts(found)).toEqual(['Dogs are welcome.', 'Pets pay twenty euros.']);
    expect(found[0]!.score).toBeLessThanOrEqual(1);
  });

  it.each([
    ['the embedder takes too long', { embedQuery: (_: string, signal: AbortSignal) => never(signal) }, nearby([])],
    ['the embedder fails', { embedQuery: () => Promise.reject(new Error('503')) }, nearby([])],
    [
      'the store fails',
      { embedQuery: () => Promise.resolve(vector) },
      { nearest: () => Promise.reject(new Error('no such table')) },
    ],
  ])('is lexical only if %s', async (_what, embedder, store) => {
    const search = aSearch({ dense: { embedder: { ...MODEL, ...embedder }, store } });
    expect(texts(await search.search(agent, ['dogs'], { limit: 5 }))).toEqual(['Dogs are welcome.']);
  });
});

const never = (signal: AbortSignal): Promise<Float32Array> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

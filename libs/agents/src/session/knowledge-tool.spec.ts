import { describe, expect, it } from '@jest/globals';
import type { FoundChunk } from '@app/knowledge';
import { knowledgeTool, searchForAgent, type SearchKnowledge } from './knowledge-tool.js';

const chunk = (more: Partial<FoundChunk> = {}): FoundChunk => ({
  chunkId: '17',
  knowledgeBaseId: 3,
  title: 'Price list',
  sourceType: 'file',
  source: 'prices.pdf',
  text: 'Article 4711 costs three euros.',
  score: 0.98765,
  matched: 'both',
  headingPath: ['Prices', 'Tea'],
  page: 2,
  rows: null,
  matchedRow: null,
  start: 10,
  end: 41,
  ...more,
});

const never = new AbortController().signal;
const finding =
  (...found: FoundChunk[]): SearchKnowledge =>
  () =>
    Promise.resolve(found);

describe('the knowledge search of an agent', () => {
  it('returns passages with their source, score and ids', async () => {
    const queries: unknown[] = [];
    const search: SearchKnowledge = (wordings, { limit }) => {
      queries.push([wordings, limit]);
      return Promise.resolve([chunk(), chunk({ chunkId: '18', source: null })]);
    };
    const { results } = await searchForAgent(search, { queries: [' 4711 ', 'Artikel 4711'] }, never);
    expect(queries).toEqual([[['4711', 'Artikel 4711'], 4]]);
    expect(results[0]).toEqual({
      text: 'Article 4711 costs three euros.',
      source: 'prices.pdf',
      title: 'Price list',
      score: 0.988,
      matched: 'both',
      page: 2,
      heading_path: ['Prices', 'Tea'],
      rows: null,
      matched_row: null,
      knowledge_base_id: 3,
      chunk_id: '17',
    });
    expect(results[1]).toMatchObject({ source: 'Price list', chunk_id: '18' });
  });

  it.each([
    [{}],
    [{ query: 7 }],
    [{ queries: [] }],
    [{ queries: ['a', 'b', 'c', 'd'] }],
    [{ queries: ['tea', 7] }],
    [{ query: ' ' }],
    [{ query: 'a'.repeat(1_001) }],
    [{ query: 'tea', limit: 0 }],
    [{ query: 'tea', limit: 6 }],
    [{ query: 'tea', limit: 1.5 }],
    [{ query: 'tea', limit: '3' }],
    [{ query: 'tea', agent_id: 9 }],
  ])('refuses %j as invalid_arguments', async (args) => {
    await expect(searchForAgent(finding(chunk()), args, never)).rejects.toMatchObject({ code: 'invalid_arguments' });
  });

  it.each([1, 3, 5])('returns at most the %d requested passages', async (limit) => {
    const many = Array.from({ length: 9 }, (_, i) => chunk({ chunkId: String(i) }));
    const { results } = await searchForAgent(finding(...many), { query: 'tea', limit }, never);
    expect(results.map((one) => one.chunk_id)).toEqual(['0', '1', '2', '3', '4'].slice(0, limit));
  });

  it.each([
    ['plain text', 'a', 3],
    ['text that JSON writes longer', '\u0002', 1],
    ['surrogate pairs', '😀', 3],
  ])('keeps within 8,000 characters of JSON, whole passages first: %s', async (_, character, kept) => {
    const long = [1, 2, 3, 4, 5].map((id) =>
      chunk({ chunkId: `${id}`, text: character.repeat(2_000 / character.length) }),
    );
    const answer = await searchForAgent(finding(...long), { query: 'tea', limit: 5 }, never);
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(8_000);
    expect(answer.results).toHaveLength(kept);
    expect(answer.results[0]!.text).toMatch(new RegExp(`^(?:${character})+$`, 'u'));
  });

  it('reports a failed search without its cause, and an ended call as aborted', async () => {
    const failing: SearchKnowledge = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1'));
    const failed = await searchForAgent(failing, { query: 'tea' }, never).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'search_failed', message: expect.not.stringContaining('10.0.0.1') });
    await expect(searchForAgent(finding(), { query: 'tea' }, AbortSignal.abort())).rejects.toMatchObject({
      code: 'aborted',
    });
  });

  it('lists the titles of the knowledge bases in its description, up to a limit', () => {
    const titles = Array.from({ length: 30 }, (_, i) => `Title ${i} ${'x'.repeat(300)}`);
    const { description } = knowledgeTool(finding(), { titles, languages: [] });
    expect(description).toContain('"Title 0 ');
    expect(description).toContain(' and more');
    expect(description.length).toBeLessThan(2_500);
  });

  it.each([
    [[], 'Prices").  Call'],
    [['German'], 'They are in German.'],
    [['German', 'English', 'French'], 'They are in German, English, and French.'],
  ])('names the languages %j of the documents, so that the model can search in them', (languages, sentence) => {
    const { description } = knowledgeTool(finding(), { titles: ['Prices'], languages });
    expect(description).toContain(sentence.replace('  ', ' '));
  });
});

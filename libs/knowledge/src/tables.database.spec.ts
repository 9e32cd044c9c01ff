import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type FoundChunk, type SearchedAgent } from './search/knowledge-search.repository.js';
import { type KnowledgeSearchService } from './search/knowledge-search.service.js';
import { chunkText } from './text-passages.js';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aWorkspace } from '../../../test/support/factories.js';
import { aGeneration, aKnowledgeBase, serve } from '../../../test/support/knowledge-rows.js';
import { searchOver, type SearchOver } from '../../../test/support/search-over.js';

let database: TestDatabase;
let pool: Pool;
let agent: SearchedAgent;
let opened: SearchOver;
let search: KnowledgeSearchService;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url });
});
beforeEach(async () => {
  agent = await aWorkspace(pool);
  opened = searchOver(pool);
  search = opened.search;
});
afterAll(async () => {
  await opened.close();
  await pool.end();
  await database.drop();
});

async function known(...texts: string[]): Promise<void> {
  for (const text of texts)
    await serve(pool, await aGeneration(pool, agent, await aKnowledgeBase(pool, agent), await chunkText(text)));
}

const find = (query: string, limit = 3): Promise<FoundChunk[]> => search.search(agent, [query], { limit });

const HOURS = `# Visit

Our opening hours:

| Day | Hours |
|---|---|
| Friday | 9 to 17 |
| Saturday | 10 to 14 |
| Sunday | closed |

Closed on public holidays.
`;
const WHOLE = `Our opening hours:

Day | Hours
Friday | 9 to 17
Saturday | 10 to 14
Sunday | closed

Closed on public holidays.`;

/** A price list of `count` articles, each with a colour of its own. */
const priceList = (count: number): string =>
  ['| Article no. | Name | Colour | Price |', '|---|---|---|---|']
    .concat(Array.from({ length: count }, (_, n) => `| BO${26_000 + n} | Garden hose ${n} | shade${n} | ${n}.90 |`))
    .join('\n');

describe('a table in a knowledge base', () => {
  it.each(['Are you open on Saturday?', 'opening hours', 'public holidays'])(
    'is found as a whole if it is small: %s',
    async (question) => {
      await known(HOURS);
      const [found, ...others] = await find(question);
      expect(others).toEqual([]);
      expect(found).toMatchObject({ text: WHOLE, headingPath: ['Visit'], rows: { first: 1, last: 3 } });
      expect(HOURS.slice(found!.start, found!.end)).toMatch(/^Our opening hours:[^]*Closed on public holidays\.$/);
    },
  );

  it('is found by the row that answers, which is shown with its neighbours below the column names', async () => {
    await known(priceList(500));
    const [found] = await find('do you have model BO26232 in stock?');
    expect(found!.matchedRow).toBe('BO26232 | Garden hose 232 | shade232 | 232.90');
    const lines = found!.text.split('\n');
    expect(lines[0]).toBe('Article no. | Name | Colour | Price');
    expect(lines.filter((line) => line === lines[0])).toHaveLength(1);
    const at = lines.indexOf(found!.matchedRow!);
    expect(lines[at - 1]).toContain('BO26231');
    expect(lines[at + 1]).toContain('BO26233');
    expect(found!.rows).toEqual({ first: 234 - at, last: 233 - at + lines.length - 1 });
    expect(Math.ceil(found!.text.length / 4)).toBeLessThan(400);
  });

  it.each(['BO26232', 'bo-26232', 'BO 26232', 'what does BO/26232 cost', 'the hose in shade232'])(
    'has the right row first: %s',
    async (question) => {
      await known(priceList(500), HOURS);
      expect((await find(question))[0]?.matchedRow).toContain('BO26232');
    },
  );

  it('shows rows that were found beside each other once', async () => {
    await known(priceList(500));
    const [first, second] = await find('BO26232 or BO26234');
    expect(first!.text).toContain('BO26232');
    expect(first!.text).toContain('BO26234');
    expect(second?.text ?? '').not.toMatch(/BO2623[24]/);
  });

  it('has the requested number of passages, none of which overlap', async () => {
    await known(priceList(500));
    const found = await find('garden hose', 20);
    expect(found).toHaveLength(20);
    const rows = found.flatMap(({ rows }) =>
      Array.from({ length: rows!.last - rows!.first + 1 }, (_, n) => rows!.first + n),
    );
    expect(new Set(rows).size).toBe(rows.length);
  });

  it('is not mixed with a table of another knowledge base or heading', async () => {
    await known('| Day | Pool |\n|---|---|\n| Monday | heated |', '| Day | Sauna |\n|---|---|\n| Monday | cold |');
    const found = await find('Monday', 5);
    expect(found.map(({ text }) => text).toSorted()).toEqual([
      'Day | Pool\nMonday | heated',
      'Day | Sauna\nMonday | cold',
    ]);
  });

  it('has its column names once in the system prompt of an agent with little knowledge', async () => {
    await known(HOURS);
    const knowledge = await search.knowledgeOf(agent);
    expect(knowledge?.whole?.map(({ text }) => text)).toEqual([WHOLE]);
  });

  it('of an earlier version is found as it was stored', async () => {
    const rows = { first: 1, last: 2 };
    const chunk = { ordinal: 0, text: 'Name: Ann\n\nName: Bob', headingPath: [], rows, start: 0, end: 9, tokens: 9 };
    await serve(pool, await aGeneration(pool, agent, await aKnowledgeBase(pool, agent), [chunk]));
    expect(await find('Bob')).toMatchObject([{ text: chunk.text, rows, matchedRow: null }]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { knowledgeSearches, toolCallView } from './knowledge-searches.js';

const times = { started_ms: 8_120, ended_ms: 8_124 };
const passage = { text: 'Article 4711 costs three euros.', source: 'prices.pdf', score: 0.9, chunk_id: '17' };
const search = {
  tool_call_id: 'tool-1',
  name: 'search_knowledge_base',
  arguments: { query: 'price of 4711', limit: 3 },
  result: { results: [passage] },
  ok: true,
  ...times,
};
const failed = { ...search, tool_call_id: 'tool-2', ok: false, result: { error: { code: 'search_failed' } } };
const nonsense = {
  ...search,
  tool_call_id: 'tool-3',
  ok: false,
  arguments: 'not json',
  result: { error: { code: 'x' } },
};
const other = { tool_call_id: 'tool-4', name: 'end_call', arguments: {}, result: { ending: true }, ok: true, ...times };

describe('what an agent has looked up', () => {
  it('is told search by search, with passages or why there are none', () => {
    expect(knowledgeSearches([other, search, failed, nonsense])).toEqual([
      { tool_call_id: 'tool-1', query: 'price of 4711', results: [passage], error: null, ...times },
      { tool_call_id: 'tool-2', query: 'price of 4711', results: [], error: { code: 'search_failed' }, ...times },
      { tool_call_id: 'tool-3', query: null, results: [], error: { code: 'x' }, ...times },
    ]);
  });

  it('is not told a second time among the tools', () => {
    expect(toolCallView(search)).toEqual({ ...search, result: { found: 1 } });
    const customers = { ...other, name: 'find_orders', result: { results: ['a', 'b'] } };
    expect([other, failed, customers].map(toolCallView)).toEqual([other, failed, customers]);
  });
});

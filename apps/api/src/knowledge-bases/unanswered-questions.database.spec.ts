import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { InProcessApi } from '../../../../test/support/in-process-api.js';
import { aCall, aWorkspace, type Workspace } from '../../../../test/support/factories.js';

let api: InProcessApi;
let own: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const passage = (matched?: string) => ({ text: 'Refunds take 30 days.', title: 'Terms', score: 0.2, matched });

const SEARCHES: [question: string, result: object][] = [
  ['nothing', { results: [] }],
  ['meaning alone', { results: [passage('meaning'), passage('meaning')] }],
  ['words of the second passage', { results: [passage('meaning'), passage('words')] }],
  ['words and meaning', { results: [passage('both')] }],
  ['passages of a call of an earlier release', { results: [passage()] }],
  ['failed', { error: { code: 'search_failed', message: 'The search failed.' } }],
];

it('are those that found nothing, or no passage with a word of the question', async () => {
  const id = await aCall(api.pool, own, { event_seq: SEARCHES.length });
  const events = SEARCHES.map(([query, result]) => ({
    name: 'search_knowledge_base',
    arguments: { queries: [query] },
    result,
  }));
  await api.pool.query(
    `INSERT INTO call_events (call_id, seq, type, data)
     SELECT $1, n, 'tool_call', e FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS t (e, n)`,
    [id, JSON.stringify(events)],
  );
  const path = `/api/v1/agents/${own.agentId}/knowledge-bases/unanswered-questions`;
  const { body } = await api.as(own.token).get(path).expect(200);
  const listed = (body.data as { question: string; nearest: object | null }[]).map(({ question, nearest }) => [
    question,
    nearest,
  ]);
  expect(listed).toEqual([
    ['meaning alone', passage('meaning')],
    ['nothing', null],
  ]);
});

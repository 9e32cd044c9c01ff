import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Workspace } from '../support/factories.js';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { LiveCall } from '../support/live-call.js';
import { Service } from '../support/service.js';

const service = Service.get();
let own: Workspace;
let other: Workspace;

beforeAll(async () => {
  [own, other] = await Promise.all([service.account(), service.account()]);
});
afterAll(() => service.close());

const pathOf = ({ agentId }: Workspace): string => `/api/v1/agents/${agentId}/knowledge-bases`;
const get = (path: string, token = own.token) => service.as(token).get(path);

/** Short sections share a passage. */
const long = (sentence: string): string => Array.from({ length: 20 }, () => sentence).join(' ');
const RETURNS = long('Goods can be returned within 30 days.');
const NORWAY = long('We ship to Norway and to no other country.');
const TEXT = `# Returns\n\n${RETURNS}\n\n# Shipping\n\n## Abroad\n\n${NORWAY}`;

describe('the passages of a knowledge base', () => {
  it('are listed in reading order, page by page, with their headings', async () => {
    const { id } = await new KnowledgeClient(service, own).text('Terms', TEXT);
    const { body } = await get(`${pathOf(own)}/${id}/passages?per_page=1&page=2`).expect(200);
    expect(body.meta).toMatchObject({ current_page: 2, last_page: 2, from: 2, to: 2, total: 2 });
    expect(body.data).toEqual([
      {
        chunk_id: expect.stringMatching(/^\d+$/),
        text: NORWAY,
        page: null,
        heading_path: ['Shipping', 'Abroad'],
        rows: null,
        start: TEXT.indexOf(NORWAY),
        end: TEXT.length,
        has_vector: expect.any(Boolean),
      },
    ]);
    const { body: first } = await get(`${pathOf(own)}/${id}/passages?per_page=1`).expect(200);
    expect(first.data).toMatchObject([{ text: RETURNS, heading_path: ['Returns'] }]);
  });

  it('name the rows of a table', async () => {
    const client = new KnowledgeClient(service, own);
    const { id } = await client.file('prices.csv', 'article,price\n4711,9\n4712,2\n');
    await eventually(
      () => client.get(id),
      ({ status }) => status === 'completed',
    );
    const { body } = await get(`${pathOf(own)}/${id}/passages`).expect(200);
    const rows = (body.data as { rows: unknown; text: string }[]).map(({ rows, text }) => [
      rows,
      /47\d+/.exec(text)?.[0],
    ]);
    expect(rows).toEqual([
      [{ first: 1, last: 1 }, '4711'],
      [{ first: 2, last: 2 }, '4712'],
    ]);
  });

  it('are those of the account only', async () => {
    const { id } = await new KnowledgeClient(service, own).text('Secret', 'Nobody else reads this.');
    const foreign = await get(`${pathOf(other)}/${id}/passages`, other.token);
    expect([foreign.status, foreign.body]).toEqual([404, { message: 'Knowledge base not found.' }]);
  });
});

describe('a question that a call asks and no passage answers', () => {
  const questionsOf = async (workspace: Workspace): Promise<Record<string, unknown>[]> =>
    (await get(`${pathOf(workspace)}/unanswered-questions`, workspace.token).expect(200)).body.data as Record<
      string,
      unknown
    >[];

  /** A call in which the callee types the number, which the agent looks up without success. */
  const typed = async (workspace: Workspace, number: string): Promise<string> => {
    const call = await LiveCall.place(service, workspace, `press_${number}`);
    await call.said(/found nothing/);
    await call.cancel();
    return call.id;
  };

  it('is listed until a retrieval test asks it', async () => {
    const agent = await service.account();
    await service.as(agent.token).patch(`/api/v1/agents/${agent.agentId}`).send({ greeting: 'Hi.' }).expect(200);
    const client = new KnowledgeClient(service, agent);
    const { id } = await client.text('Articles', 'Article 4711 costs nine euros.');
    expect(await questionsOf(agent)).toEqual([]);
    await typed(agent, '90901');
    const [last] = [await typed(agent, '90901')];
    expect(await questionsOf(agent)).toEqual([
      {
        question: '90901',
        questions: ['90901'],
        searches: 2,
        call_id: last,
        searched_at: expect.any(String),
        nearest: null,
      },
    ]);
    await client.addTest({ questions: ['90901'], expected_knowledge_base_id: id });
    expect(await questionsOf(agent)).toEqual([]);
  });

  it('is not listed if a secret was removed from it', async () => {
    const agent = await service.account();
    const redaction = { kinds: ['spoken_digits'] };
    const settings = { greeting: 'Hi.', redaction };
    await service.as(agent.token).patch(`/api/v1/agents/${agent.agentId}`).send(settings).expect(200);
    await new KnowledgeClient(service, agent).text('Articles', 'Article 4711 costs nine euros.');
    await typed(agent, '90901909');
    expect(await questionsOf(agent)).toEqual([]);
  });

  it('needs the scope of calls, and the agent', async () => {
    const narrow = await service
      .as(own.token)
      .post('/api/v1/tokens')
      .send({ name: 'narrow', scopes: ['knowledge:read'] })
      .expect(201);
    const refused = await get(`${pathOf(own)}/unanswered-questions`, narrow.body.data.token as string);
    expect([refused.status, refused.body.message]).toEqual([403, 'The token lacks the scope calls:read.']);
    const foreign = await get(`${pathOf(other)}/unanswered-questions`);
    expect([foreign.status, foreign.body]).toEqual([404, { message: 'Agent not found.' }]);
  });
});

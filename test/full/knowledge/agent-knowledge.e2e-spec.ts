import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { Pool } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { eventOfCall } from '../../support/call-events.js';
import { anAgent } from '../../support/factories.js';
import { KnowledgeClient } from '../../support/knowledge-client.js';
import { searchOver } from '../../support/search-over.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const PRICES = '# Prices\n\n## Tea\n\nArticle 4711 costs three euros. It is sold by the pound.';

interface Passage {
  text: string;
  source: string;
  title: string;
  score: number;
  heading_path: string[];
  knowledge_base_id: number;
  chunk_id: string;
}
interface PostCall {
  knowledge_base_ids: number[] | null;
  transcript: { role: string; text: string }[];
  tool_calls: Record<string, unknown>[];
  knowledge_searches: { query: string; results: Passage[]; error: unknown; tool_call_id: string }[];
}

/** The user presses digits, which makes the sandbox agent search its knowledge. */
describe('an agent with knowledge bases in a call', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let phone: SandboxPhone;
  let database: Pool;
  let reader: TestAccount;
  let other: TestAccount;
  let knowledge: KnowledgeClient;
  let prices: number;
  let postCalls: Record<'prices' | 'absent' | 'inactive' | 'pending' | 'stranger' | 'subset' | 'none', PostCall>;

  beforeAll(async () => {
    sink = await WebhookSink.start();
    const log = { debug: () => {}, warn: () => {} };
    const rtpPorts = { min: 27_000, max: 27_199 };
    phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts, ringMs: 100, log });
    stack = await Stack.start();
    database = new Pool({ connectionString: stack.database.url, max: 2 });
    const webhookUrl = `${sink.url}/hook`;
    reader = await createAccount(stack, { name: 'reader', webhookUrl });
    other = await createAccount(stack, { name: 'other', webhookUrl });
    knowledge = new KnowledgeClient(stack, reader);
    prices = (await knowledge.text('Price list', PRICES)).id;
    const hidden = await knowledge.text('Old prices', 'Article 4712 costs two euros.');
    await knowledge.change(hidden.id, { is_active: false });
    await unfinished(reader, 'Article 4713 costs one euro.');
    await unfinished(other, PRICES);
    const sharing = await createAccount(stack, { name: 'sharing', webhookUrl });
    const another = await anAgent(database, sharing.accountId);
    const elsewhere = new KnowledgeClient(stack, { ...sharing, agentId: another });
    const cheap = await elsewhere.text('Cheap', 'Article 4711 costs one euro.', [sharing.agentId]);
    await new KnowledgeClient(stack, sharing).text('Dear', 'Article 4711 costs nine euros.');
    const [found, absent, inactive, pending, stranger] = await Promise.all([
      lookUp(reader, '4711'),
      lookUp(reader, '909090'),
      lookUp(reader, '4712'),
      lookUp(reader, '4713'),
      lookUp(other, '4711'),
    ]);
    const [subset, none] = await Promise.all([
      lookUp(sharing, '4711', { knowledge_base_ids: [cheap.id] }),
      lookUp(sharing, '4711', { knowledge_base_ids: [] }),
    ]);
    postCalls = { prices: found, absent, inactive, pending, stranger, subset, none };
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await phone?.close();
    await sink?.close();
  });

  /** A knowledge base with its first generation under construction: all passages are stored, none is served. */
  async function unfinished({ accountId, agentId }: TestAccount, text: string): Promise<void> {
    await database.query({
      text: `WITH base AS (INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, status, generation, lease_until)
          VALUES ($1, $2, 'Being read', 'file', 'processing', 1, now() + interval '1 hour') RETURNING id)
        INSERT INTO knowledge_chunks (account_id, agent_id, knowledge_base_id, generation, ordinal, text, start_offset, end_offset, tokens)
        SELECT $1, $2, id, 1, 0, $3, 0, length($3), 10 FROM base`,
      values: [accountId, agentId, text],
    });
  }

  /** The post-call webhook of a call in which these keys were pressed; the user hangs up after the answer. */
  async function lookUp(account: TestAccount, keys: string, more: object = {}): Promise<PostCall> {
    const api = apiOf(stack, account);
    const { call_id: id } = await api.createCall({
      to_number: `sip:press_${keys}@127.0.0.1:${phone.port}`,
      ...more,
    });
    await eventOfCall(database, id, ({ type, data }) => type === 'turn' && /found|pressed/.test(String(data.text)));
    await api.cancel(id);
    await sink.until(() => sink.eventsOf(id).includes('ended'));
    return sink.of(id).at(-1)!.body.data as unknown as PostCall;
  }

  const agentText = ({ transcript }: PostCall): string =>
    transcript
      .filter(({ role }) => role === 'agent')
      .map(({ text }) => text)
      .join(' ');

  it('searches, reads the passage aloud, and the post-call webhook contains the search', () => {
    const { knowledge_searches: searches, tool_calls: tools } = postCalls.prices;
    expect(searches).toMatchObject([{ query: '4711', error: null }]);
    const [best] = searches[0]!.results;
    expect(best).toMatchObject({
      text: expect.stringContaining('Article 4711 costs three euros.'),
      title: 'Price list',
      source: 'Price list',
      heading_path: ['Prices', 'Tea'],
      knowledge_base_id: prices,
      chunk_id: expect.stringMatching(/^\d+$/),
    });
    expect(best!.score).toBeGreaterThan(0);
    expect(tools).toMatchObject([
      {
        name: 'search_knowledge_base',
        ok: true,
        tool_call_id: searches[0]!.tool_call_id,
        arguments: { query: '4711' },
      },
    ]);
    expect(agentText(postCalls.prices)).toContain('I found this in Price list.');
    expect(agentText(postCalls.prices)).toContain('Article 4711 costs three euros');
  });

  it('tells the user that it found nothing', () => {
    expect(postCalls.absent.knowledge_searches).toMatchObject([{ query: '909090', results: [], error: null }]);
    expect(agentText(postCalls.absent)).toContain('I found nothing about that.');
  });

  it.each([
    ['inactive', 'inactive', '4712'],
    ['incomplete', 'pending', '4713'],
  ] as const)('never finds what is %s', (_, which, number) => {
    const searches = postCalls[which].knowledge_searches;
    expect(searches).toMatchObject([{ query: number }]);
    expect(JSON.stringify(searches[0]!.results)).not.toContain(number);
  });

  it('searches only the knowledge bases that the call names, here a shared one', () => {
    expect(postCalls.subset).toMatchObject({
      knowledge_base_ids: [expect.any(Number)],
      knowledge_searches: [{ results: [{ title: 'Cheap', text: 'Article 4711 costs one euro.' }] }],
    });
    expect(agentText(postCalls.subset)).toContain('Article 4711 costs one euro');
  });

  it('has neither search tool nor knowledge in a call that names no knowledge base', () => {
    expect(postCalls.none).toMatchObject({ knowledge_base_ids: [], knowledge_searches: [], tool_calls: [] });
    expect(agentText(postCalls.none)).toContain('You pressed the keys 4, 7, 1, 1.');
  });

  it('has short knowledge in its system prompt', async () => {
    const { accountId, agentId } = reader;
    const { search } = searchOver(database);
    expect(await search.knowledgeOf({ accountId, agentId })).toMatchObject({
      titles: ['Price list'],
      whole: [{ title: 'Price list', headingPath: ['Prices', 'Tea'], text: expect.stringContaining('4711') }],
    });
    await knowledge.text('Novel', 'It was a dark and stormy night. '.repeat(600));
    expect(await search.knowledgeOf({ accountId, agentId })).toEqual({
      titles: ['Price list', 'Novel'],
      languages: ['English'],
    });
    // A call that names the short one has it in its system prompt.
    expect(await search.knowledgeOf({ accountId, agentId, knowledgeBaseIds: [prices] })).toMatchObject({
      titles: ['Price list'],
      whole: [{ title: 'Price list' }],
    });
    expect(await search.knowledgeOf({ accountId, agentId, knowledgeBaseIds: [] })).toBeUndefined();
    expect(await search.knowledgeOf({ accountId, agentId: other.agentId })).toBeUndefined();
  });

  it('has no search tool without a completed knowledge base of its own', () => {
    expect(postCalls.stranger).toMatchObject({ knowledge_searches: [], tool_calls: [] });
    expect(agentText(postCalls.stranger)).toContain('You pressed the keys 4, 7, 1, 1.');
  });
});

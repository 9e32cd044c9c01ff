import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { EmbeddingsEndpoint, type EmbeddingsFault, type EmbeddingsRequest } from '../../support/embeddings-endpoint.js';
import { eventually } from '../../support/eventually.js';
import { type KnowledgeBase, KnowledgeClient } from '../../support/knowledge-client.js';
import { Stack } from '../../support/stack.js';
import { createAccount } from '../../support/workspace.js';

const CONCEPTS = { money: 'refund', refunds: 'refund', returned: 'refund', car: 'garage', parking: 'garage' };
const OTHERS =
  'The pool is closed in winter.\n\n# Breakfast\n\nWaffles from seven o clock.\n\n# Garage\n\nParking is free.';
/** About three hundred passages; 32 of them are one request. */
const LONG = Array.from({ length: 300 }, (_, n) => `# Article ${n}\n\n${`Word${n} of a manual. `.repeat(40)}`).join(
  '\n\n',
);

let stack: Stack;
let endpoint: EmbeddingsEndpoint;
let client: KnowledgeClient;

beforeAll(async () => {
  endpoint = await EmbeddingsEndpoint.start();
  endpoint.concepts = CONCEPTS;
  const env = {
    EMBEDDINGS_URL: endpoint.url,
    EMBEDDINGS_MODEL: 'ours',
    EMBEDDINGS_DIMENSIONS: '64',
    LOG_LEVEL: 'fatal',
  };
  stack = await Stack.start({ dialers: 0, env });
});
afterAll(async () => {
  await stack?.stop();
  await endpoint?.close();
});
beforeEach(async () => {
  client = await anAccount();
});

let accounts = 0;
const anAccount = async (): Promise<KnowledgeClient> =>
  new KnowledgeClient(stack, await createAccount(stack, { name: `account-${++accounts}` }));

const hasVectors = ({ vectors }: KnowledgeBase): boolean => vectors !== null && vectors.done === vectors.of;

/** Questions are shorter. */
const isOfPassages = ({ body }: EmbeddingsRequest): boolean => body.input.join().length >= 60;

/** Leaves passages unanswered until it is released; questions are answered. */
function heldPassages(): { fault: EmbeddingsFault; release: () => void } {
  const waiting: [EmbeddingsRequest, ServerResponse][] = [];
  let isReleased = false;
  return {
    fault: (request, response) => {
      if (isReleased || !isOfPassages(request)) return false;
      waiting.push([request, response]);
      return true;
    },
    release: () => {
      isReleased = true;
      for (const [request, response] of waiting) endpoint.answer(request, response);
    },
  };
}

it('a text is found by its words at once, and by its meaning as soon as the object says that its vectors are complete', async () => {
  const refunds = await client.text('Terms', `# Terms\n\nRefunds are paid within 30 days.\n\n# Pool\n\n${OTHERS}`);
  expect(refunds).toMatchObject({ status: 'completed', vectors: { of: refunds.chunk_count } });
  expect((await client.search('refunds days'))[0]!.text).toContain('Refunds are paid');
  const complete = await eventually(() => client.get(refunds.id), hasVectors);
  expect(complete).toMatchObject({ stage: null, vectors: { done: refunds.chunk_count, of: refunds.chunk_count } });
  expect(await client.list()).toMatchObject([{ vectors: complete.vectors }]);
  // The searching process learns of the vectors with its next look at the version.
  const [byMeaning] = await eventually(
    () => client.search('How do I get my money back?', 1),
    ([best]) => best?.matched === 'meaning',
  );
  expect(byMeaning!.text).toContain('Refunds are paid');
  expect((await client.search('Are refunds money?', 1))[0]).toMatchObject({ matched: 'both' });
  expect((await client.search('waffles', 1))[0]!.text).toContain('Waffles');
});

it('a retrieval test says what found each passage', async () => {
  const { id } = await client.text('Terms', 'Refunds are paid within 30 days.');
  await eventually(() => client.get(id), hasVectors);
  await client.addTest({ question: 'Do I get money?', expected_text: 'Refunds are paid' });
  const [result] = await client.runTests();
  const [search] = result!.searches;
  expect(search).toMatchObject({ rank: 1, passages: [{ chunk_id: search!.chunk_ids[0], matched: 'meaning' }] });
});

it('a file completes and is found by its words while the embedder does not answer, and loses no vector', async () => {
  const held = heldPassages();
  endpoint.faults = Array.from({ length: 1_000 }, () => held.fault);
  const { id } = await client.file('manual.md', `# Manual\n\n${'The kettle boils water. '.repeat(20)}`);
  const completed = await eventually(
    () => client.get(id),
    ({ status }) => status === 'completed',
  );
  expect(completed).toMatchObject({ stage: null, progress: 100, vectors: { done: 0, of: 1 } });
  expect((await client.search('kettle'))[0]).toMatchObject({ matched: 'words' });
  held.release();
  expect(await eventually(() => client.get(id), hasVectors)).toMatchObject({ vectors: { done: 1, of: 1 } });
  endpoint.faults = [];
});

it('a short text of another account waits for one batch of a long document', async () => {
  const held = heldPassages();
  endpoint.faults = Array.from({ length: 1_000 }, () => held.fault);
  const before = endpoint.requests.length;
  const long = await client.file('manual.md', LONG);
  await endpoint.until((requests) => requests.slice(before).some(isOfPassages));
  const other = await anAccount();
  const short = await other.text(
    'Terms',
    'Refunds of the other account are paid within thirty days of the return of all goods.',
  );
  held.release();
  await eventually(() => other.get(short.id), hasVectors);
  const batches = endpoint.requests.slice(before).filter(isOfPassages);
  expect(batches.findIndex(({ body }) => body.input.join().includes('other account'))).toBe(1);
  expect((await client.get(long.id)).vectors!.done).toBeLessThan(300);
  expect(hasVectors(await eventually(() => client.get(long.id), hasVectors))).toBe(true);
  endpoint.faults = [];
});

it('an unchanged passage keeps its vector when its text changes around it', async () => {
  const parts = (end: string): string =>
    `# One\n\n${'First of two parts. '.repeat(70)}\n\n# Two\n\n${'And the second. '.repeat(70)}${end}`;
  const { id } = await client.text('Terms', parts('Refunds are paid.'));
  await eventually(() => client.get(id), hasVectors);
  const before = endpoint.texts.length;
  const changed = await client.change(id, { content: parts('Refunds are not paid any more.') });
  expect(changed.vectors).toEqual({ done: 1, of: 2 });
  await eventually(() => client.get(id), hasVectors);
  expect(endpoint.texts.slice(before)).toEqual([expect.stringContaining('not paid any more')]);
});

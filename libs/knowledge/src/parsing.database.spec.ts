import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DocumentParserService, parseInChildProcess } from './parsing/document-parser.service.js';
import { type Chunk } from './blocks.js';
import { type DocumentType } from './extract/document-formats.js';
import { inflatingPdf } from '../../../test/support/bombs.js';
import { eventually } from '../../../test/support/eventually.js';
import { isAlive, readersOf } from '../../../test/support/parser-processes.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'reading-'))));
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => void jest.useRealTimers());

async function file(name: string, content: string | Buffer): Promise<{ path: string; type: DocumentType }> {
  const path = join(folder, name);
  await writeFile(path, content);
  return { path, type: name.split('.').at(-1) as DocumentType };
}

/** A text of sections that become one chunk each. */
const manual = (sections: number): string =>
  Array.from(
    { length: sections },
    (_, at) => `# Section ${at}\n\n${'Every word of it is needed. '.repeat(20)}\n\n`,
  ).join('');

const nothing = { chunks: () => Promise.resolve() };

describe('parsing a document in a child process', () => {
  it('delivers chunks in ordered batches and then the facts', async () => {
    const batches: Chunk[][] = [];
    const progress: number[] = [];
    const facts = await parseInChildProcess(await file('manual.md', manual(1_000)), {
      chunks: (batch) => Promise.resolve(void batches.push(batch)),
      progress: (fraction) => void progress.push(fraction),
    });
    const chunks = batches.flat();
    expect(facts).toMatchObject({ type: 'md', chunks: 1_000, words: 1_000 * 122 });
    expect(chunks.map(({ ordinal }) => ordinal)).toEqual([...Array(1_000).keys()]);
    expect(chunks[7]?.headingPath).toEqual(['Section 7']);
    expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(200);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
  });

  it('waits until the parent has processed a batch, without a time limit', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    let holding = 0;
    const most: number[] = [];
    await parseInChildProcess(await file('slow.md', manual(600)), {
      async chunks() {
        most.push(++holding);
        // A minute passes: the time limit covers parsing, not the work of the parent.
        await new Promise((resolve) => setImmediate(resolve));
        if (most.length > 1) jest.advanceTimersByTime(60_000);
        holding--;
      },
    });
    expect(most).toEqual(most.map(() => 1));
    expect(most.length).toBeGreaterThan(2);
  });

  it('rejects with the error of the chunk consumer', async () => {
    const chunks = () => Promise.reject(new Error('the database is unavailable'));
    await expect(parseInChildProcess(await file('taken.md', manual(10)), { chunks })).rejects.toThrow(
      'the database is unavailable',
    );
    expect(await readersOf(process.pid)).toEqual([]);
  });

  it('passes only the document to the child, and runs at most cores - 1 children', async () => {
    const seen: number[] = [];
    const environments: string[] = [];
    const look = async (): Promise<void> => {
      const readers = await readersOf(process.pid);
      seen.push(readers.length);
      environments.push(...readers.map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8')));
    };
    const input = await file('parallel.md', manual(20));
    await Promise.all(Array.from({ length: 3 }, () => parseInChildProcess(input, { chunks: look })));
    expect(seen).toHaveLength(3);
    expect(Math.max(...seen)).toBeLessThanOrEqual(Math.max(1, availableParallelism() - 1));
    const names = environments
      .join('')
      .split('\0')
      .flatMap((setting) => setting.split('=')[0] || []);
    expect(new Set(names)).toEqual(new Set(['LANG', 'TZ', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE']));
  });
});

describe('a document that cannot be parsed', () => {
  it.each([
    ['brackets.md', '['.repeat(1_000_000), 'EMPTY'],
    ['rows.md', `|a|b|\n|-|-|\n${'|1|2|\n'.repeat(251_000)}`, 'TOO_MANY_CHUNKS'],
    ['words.txt', 'eleven million '.repeat(750_000), 'TOO_MUCH_TEXT'],
    ['bomb.pdf', inflatingPdf(1_500), 'PARSE_MEMORY'],
  ])('fails with a code: %s', async (name, content, code) => {
    // The parser may take longer than its time limit on a busy machine.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    await expect(parseInChildProcess(await file(name, content), nothing)).rejects.toMatchObject({
      name: 'Error',
      code,
    });
  });

  it('is aborted after 30 s', async () => {
    const input = await file('long.md', manual(2_000));
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const refusal = parseInChildProcess(input, nothing).catch((error: unknown) => error);
    await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(29_999);
    expect(await readersOf(process.pid)).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(await refusal).toMatchObject({ code: 'PARSE_TIMEOUT' });
    expect(await readersOf(process.pid)).toEqual([]);
  });

  it('fails when the parser crashes', async () => {
    const reading = parseInChildProcess(await file('crash.md', manual(2_000)), {
      chunks: async () => (await readersOf(process.pid)).forEach((pid) => process.kill(pid, 'SIGSEGV')),
    });
    await expect(reading).rejects.toMatchObject({ code: 'PARSE_FAILED', retryable: true });
  });

  it('is aborted by the signal, also while it waits for a permit', async () => {
    const controller = new AbortController();
    const input = await file('aborted.md', manual(2_000));
    const readings = Array.from({ length: 4 }, () =>
      parseInChildProcess(
        input,
        { chunks: () => Promise.resolve(controller.abort(new Error('deleted'))) },
        controller.signal,
      ),
    );
    for (const reading of await Promise.allSettled(readings))
      expect(reading).toMatchObject({ status: 'rejected', reason: { message: 'deleted' } });
    expect(await readersOf(process.pid)).toEqual([]);
  });

  it('leaves no child process that outlives its parent', async () => {
    const { path } = await file('orphaned.md', manual(20_000));
    const parent = fork('test/support/parsing-parent.mjs', [path], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await once(parent, 'message');
    const readers = await readersOf(parent.pid!);
    expect(readers).toHaveLength(1);
    parent.kill('SIGKILL');
    await eventually(
      () => readers.filter(isAlive),
      (alive) => alive.length === 0,
    );
  });
});

describe('the parser of the document pipeline', () => {
  let parser: DocumentParserService;
  beforeEach(() => {
    // On a busy machine a process could be idle for too long between two steps of a test.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    parser = new DocumentParserService();
  });
  afterEach(() => parser.onApplicationShutdown());

  const parse = async (accountId: number, name = 'small.md', content: string | Buffer = manual(2)) =>
    parser.parse(accountId, await file(name, content), nothing);

  it('reads the small documents of an account in one process, which ends when it has been idle', async () => {
    expect(await parse(1)).toMatchObject({ chunks: 2 });
    const first = await readersOf(process.pid);
    expect(await parse(1, 'other.txt', 'Another one.')).toMatchObject({ chunks: 1, type: 'txt' });
    expect([first.length, await readersOf(process.pid)]).toEqual([1, first]);
    jest.advanceTimersByTime(5_000);
    jest.useRealTimers();
    await eventually(
      () => readersOf(process.pid),
      (readers) => readers.length === 0,
    );
  });

  /** The process that the call starts. */
  async function startedBy(work: () => Promise<unknown>): Promise<number> {
    const before = await readersOf(process.pid);
    await work();
    const started = (await readersOf(process.pid)).filter((pid) => !before.includes(pid));
    expect(started).toHaveLength(1);
    return started[0]!;
  }

  it('never reads documents of two accounts in one process', async () => {
    const own = new Map<number, number>();
    for (const accountId of [1, 2, 3]) own.set(accountId, await startedBy(() => parse(accountId)));
    // Accounts in turn keep their processes.
    for (const accountId of [1, 2, 3, 1, 2, 3]) await parse(accountId);
    expect(new Set(await readersOf(process.pid))).toEqual(new Set(own.values()));
    process.kill(own.get(2)!, 'SIGKILL');
    await parse(1);
    await parse(3);
    await eventually(
      () => readersOf(process.pid),
      (readers) => readers.length === 2,
    );
    expect(await startedBy(() => parse(2))).not.toBe(own.get(2));
  });

  it('ends the process that was idle longest when many accounts take turns', async () => {
    const most = Math.max(1, availableParallelism() - 1) + 3;
    const first = await startedBy(() => parse(1));
    for (let accountId = 2; accountId <= most; accountId++) await parse(accountId);
    const before = await readersOf(process.pid);
    await parse(most + 1);
    const after = await readersOf(process.pid);
    expect([before.length, before.includes(first), after.length, after.includes(first)]).toEqual([
      most,
      true,
      most,
      false,
    ]);
  });

  it('names the accounts whose processes have just started, for two seconds', async () => {
    await parse(1);
    await parse(2);
    expect(new Set(parser.preferredAccounts)).toEqual(new Set([1, 2]));
    jest.advanceTimersByTime(1_900);
    await parse(3);
    await parse(1);
    jest.advanceTimersByTime(101);
    expect(parser.preferredAccounts).toEqual([3]);
  });

  it.each([
    [
      '200 documents',
      async () => {
        for (let count = 1; count < 200; count++) await parse(1);
      },
    ],
    [
      'a document that has taken much memory',
      () => expect(parse(1, 'blank.pdf', inflatingPdf(80))).rejects.toMatchObject({ code: 'EMPTY' }),
    ],
  ])('replaces a process after %s', async (_what, work) => {
    const first = await startedBy(() => parse(1));
    await work();
    expect(await startedBy(() => parse(1))).not.toBe(first);
    expect(await readersOf(process.pid)).toHaveLength(1);
  });

  it.each([
    ['bomb.pdf', inflatingPdf(490), 'PARSE_MEMORY'],
    ['broken.pdf', '%PDF-1.7\nnothing', 'FILE_CORRUPT'],
  ])(
    'ends with a document neither the document nor the process of another account: %s',
    async (name, content, code) => {
      const healthy = await startedBy(() => parse(2));
      await parse(1);
      const [bomb, beside] = await Promise.allSettled([parse(1, name, content), parse(2)]);
      expect(bomb).toMatchObject({ status: 'rejected', reason: { code } });
      expect(beside).toMatchObject({ status: 'fulfilled', value: { chunks: 2 } });
      expect(await readersOf(process.pid)).toEqual([healthy]);
      expect(await parse(2)).toMatchObject({ chunks: 2 });
      expect(await readersOf(process.pid)).toEqual([healthy]);
    },
  );

  it('keeps the process of a refused document, whose late chunks do not disturb the next one', async () => {
    const own = await startedBy(() => parse(1));
    let store = (): void => undefined;
    const stored = new Promise<void>((resolve) => (store = resolve));
    // The first batch is still being stored when the last row turns out to be too long.
    const columns = await file('columns.csv', `a,b\n${'1,2\n'.repeat(400)}${'x,'.repeat(1_500)}\n`);
    const refused = parser.parse(1, columns, { chunks: () => stored });
    await expect(refused).rejects.toMatchObject({ code: 'TOO_MANY_COLUMNS' });
    const ordinals: number[] = [];
    let [inWork, most] = [0, 0];
    const chunks = async (batch: Chunk[]): Promise<void> => {
      most = Math.max(most, ++inWork);
      store();
      await readersOf(process.pid);
      ordinals.push(...batch.map(({ ordinal }) => ordinal));
      inWork--;
    };
    expect(await parser.parse(1, await file('next.md', manual(700)), { chunks })).toMatchObject({ chunks: 700 });
    expect([most, ordinals]).toEqual([1, [...Array(700).keys()]]);
    expect(await readersOf(process.pid)).toEqual([own]);
  });

  it('ends the process with a document that cannot be read, and reads the next document in a new one', async () => {
    await parse(1);
    const before = await readersOf(process.pid);
    await expect(parse(1, 'broken.pdf', '%PDF-1.7\nnothing')).rejects.toMatchObject({ code: 'FILE_CORRUPT' });
    expect(await readersOf(process.pid)).toEqual([]);
    expect(await parse(1)).toMatchObject({ chunks: 2 });
    expect(await readersOf(process.pid)).not.toEqual(before);
  });

  it('does not blame a document for a process that was killed while it was idle', async () => {
    await parse(1);
    for (const pid of await readersOf(process.pid)) process.kill(pid, 'SIGKILL');
    expect(await parse(1)).toMatchObject({ chunks: 2 });
  });

  it('can be stopped in the middle of a later document', async () => {
    await parse(1);
    const controller = new AbortController();
    const chunks = () => Promise.resolve(controller.abort(new Error('deleted')));
    const reading = parser.parse(1, await file('later.md', manual(500)), { chunks }, controller.signal);
    await expect(reading).rejects.toThrow('deleted');
    expect(await readersOf(process.pid)).toEqual([]);
  });

  it('gives a large document a process of its own', async () => {
    await parse(1);
    const before = await readersOf(process.pid);
    const seen: number[][] = [];
    const chunks = async () => void seen.push(await readersOf(process.pid));
    await parser.parse(1, await file('large.md', manual(1_000)), { chunks });
    expect(seen[0]).toHaveLength(2);
    expect(await readersOf(process.pid)).toEqual(before);
  });
});

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parseInChildProcess, type Chunk, type DocumentType } from '@app/knowledge';
import { inflatingPdf } from './support/bombs.js';
import { eventually } from './support/eventually.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'reading-'))));
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => void jest.useRealTimers());

async function file(name: string, content: string | Buffer): Promise<{ path: string; type: DocumentType }> {
  const path = join(folder, name);
  await writeFile(path, content);
  return { path, type: name.split('.').at(-1) as DocumentType };
}

/** So many sections, each a chunk of its own. */
const manual = (sections: number): string =>
  Array.from(
    { length: sections },
    (_, at) => `# Section ${at}\n\n${'Every word of it is needed. '.repeat(20)}\n\n`,
  ).join('');

/** The processes that a process has started. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8')));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Those of them that read documents. */
async function readersOf(pid: number): Promise<number[]> {
  const isReader = (child: number): boolean =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('parsing/parser-process.js');
  return (await childrenOf(pid)).filter(isReader);
}

const nothing = { chunks: () => Promise.resolve() };

describe('reading a document', () => {
  it('gives its chunks batch by batch, in order, and its facts', async () => {
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

  it('waits until a batch has been taken, however long that takes', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    let holding = 0;
    const most: number[] = [];
    await parseInChildProcess(await file('slow.md', manual(600)), {
      async chunks() {
        most.push(++holding);
        // A minute passes: the clock is for reading, not for what the parent does meanwhile.
        await new Promise((resolve) => setImmediate(resolve));
        if (most.length > 1) jest.advanceTimersByTime(60_000);
        holding--;
      },
    });
    expect(most).toEqual(most.map(() => 1));
    expect(most.length).toBeGreaterThan(2);
  });

  it('ends with what the taker of chunks throws', async () => {
    const chunks = () => Promise.reject(new Error('the database is away'));
    await expect(parseInChildProcess(await file('taken.md', manual(10)), { chunks })).rejects.toThrow(
      'the database is away',
    );
    expect(await readersOf(process.pid)).toEqual([]);
  });

  it('tells the child nothing but the document, and at most cores - 1 run at once', async () => {
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

describe('a document that cannot be read', () => {
  it.each([
    ['empty.md', '\n\n', 'EMPTY'],
    ['brackets.md', '['.repeat(1_000_000), 'EMPTY'],
    ['sections.md', manual(11_000), 'TOO_MANY_CHUNKS'],
    ['words.txt', 'eleven million '.repeat(750_000), 'TOO_MUCH_TEXT'],
    ['text.pdf', 'not a PDF', 'TYPE_MISMATCH'],
    ['broken.pdf', '%PDF-1.7\nnothing', 'FILE_CORRUPT'],
    ['bomb.pdf', inflatingPdf(1_500), 'PARSE_MEMORY'],
  ])('%s ends with a code', async (name, content, code) => {
    await expect(parseInChildProcess(await file(name, content), nothing)).rejects.toMatchObject({
      name: 'Error',
      code,
    });
  });

  it('is given up after 30 s', async () => {
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

  it('is given up when the reader crashes', async () => {
    const reading = parseInChildProcess(await file('crash.md', manual(2_000)), {
      chunks: async () => (await readersOf(process.pid)).forEach((pid) => process.kill(pid, 'SIGSEGV')),
    });
    await expect(reading).rejects.toMatchObject({ code: 'PARSE_FAILED', retryable: true });
  });

  it('is given up when the signal says so, also while it waits for its turn', async () => {
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

  it('takes no process along that outlives its parent', async () => {
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

/** What nobody has waited for yet is dead all the same. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

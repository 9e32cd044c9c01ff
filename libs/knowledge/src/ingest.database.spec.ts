import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DocumentProblem } from './extract/document-problem.js';
import { type parseInChildProcess } from './parsing/document-parser.service.js';
import { IngestHarness, readWords } from '../../../test/support/ingest-harness.js';

let harness: IngestHarness;
let servers: Server[] = [];

beforeEach(async () => void (harness = await IngestHarness.open()));
afterEach(async () => {
  await harness.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
});

type Read = typeof parseInChildProcess;

/** A parser that stops before its second batch until the test continues it. */
function heldReader(): { read: Read; reached: Promise<void>; goOn: () => void } {
  let [reach, goOn] = [() => {}, () => {}];
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  const read: Read = (input, on, signal) =>
    readWords(
      input,
      {
        chunks: async (batch) => {
          if (batch[0]?.ordinal === 1) {
            reach();
            const stopped = new Promise((_, reject) =>
              signal?.addEventListener('abort', () => reject(signal.reason as Error)),
            );
            await Promise.race([gate, stopped]);
          }
          await on.chunks(batch);
        },
      },
      signal,
    );
  return { read, reached, goOn };
}

const knowledgeVersion = async (agentId: number): Promise<number> => {
  const { rows } = await harness.pool.query<{ v: string }>('SELECT knowledge_version AS v FROM agents WHERE id = $1', [
    agentId,
  ]);
  return Number(rows[0]?.v);
};

describe('a document in the pipeline', () => {
  it('becomes searchable atomically, and the worker logs a report', async () => {
    const own = await harness.account();
    const id = await harness.document(own, 'one two three');
    harness.worker(readWords);
    await harness.events.ended([id]);
    expect(await harness.row(id)).toMatchObject({
      status: 'completed',
      attempt: 1,
      serving: 2,
      generation: 2,
      word_count: 3,
      chunk_count: 3,
      progress: 100,
      lease_owner: null,
      stage: null,
    });
    expect((await harness.chunks(id)).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(await knowledgeVersion(own.agentId)).toBe(1);
    const line = await harness.logs.first({ msg: 'document processed' });
    expect(line).toMatchObject({ knowledge_base_id: id, account_id: own.accountId, chunks: 3, type: 'txt', bytes: 13 });
  });

  it('serves its old chunks during reprocessing until the new ones are swapped in', async () => {
    const own = await harness.account();
    const id = await harness.document(own, 'one two');
    const first = harness.worker(readWords);
    await harness.events.ended([id]);
    await first.stop();
    const held = heldReader();
    harness.worker(held.read);
    await harness.again(id);
    await held.reached;
    const { serving, generation } = await harness.row(id);
    expect([serving, generation]).toEqual([2, 4]);
    expect((await harness.chunks(id)).map(({ generation }) => generation)).toEqual([2, 2, 4]);
    held.goOn();
    await harness.events.ended([id]);
    expect((await harness.chunks(id)).map(({ generation }) => generation)).toEqual([4, 4]);
  });

  it('keeps serving its old chunks if its new version cannot be parsed', async () => {
    const own = await harness.account();
    const id = await harness.document(own, 'one two');
    const first = harness.worker(readWords);
    await harness.events.ended([id]);
    await first.stop();
    harness.worker(async (input, on, signal) => {
      await readWords(input, on, signal);
      throw new DocumentProblem('FILE_CORRUPT');
    });
    await harness.again(id);
    await harness.events.ended([id]);
    expect(await harness.row(id)).toMatchObject({ status: 'failed', serving: 2, chunk_count: 2 });
    expect((await harness.chunks(id)).map(({ generation }) => generation)).toEqual([2, 2]);
  });

  it('fails with FILE_MISSING if its file was deleted', async () => {
    const own = await harness.account();
    const id = await harness.document(own);
    await harness.storage.delete((await harness.row(id))['file_key'] as string);
    harness.worker(readWords);
    await harness.events.ended([id]);
    expect(await harness.row(id)).toMatchObject({ status: 'failed', error_code: 'FILE_MISSING' });
  });

  it('is retried later if it exceeds the deadline', async () => {
    const own = await harness.account();
    const id = await harness.document(own, 'one two');
    const back = harness.events.next(({ status }) => status === 'pending');
    harness.worker(heldReader().read, { deadlineMs: 100 });
    await back;
    expect(await harness.row(id)).toMatchObject({ status: 'pending', error_code: 'PROCESSING_TIMEOUT', attempt: 1 });
    expect(await harness.chunks(id)).toEqual([]);
  });

  it('stops its worker and leaves nothing when it is deleted', async () => {
    const own = await harness.account();
    const id = await harness.document(own, 'one two');
    const held = heldReader();
    harness.worker(held.read);
    await held.reached;
    await harness.pool.query('DELETE FROM knowledge_bases WHERE id = $1', [id]);
    await harness.logs.first({ msg: 'document dropped: it was deleted, changed or taken over' });
    expect(await harness.chunks(id)).toEqual([]);
    expect(
      readdirSync(harness.home).flatMap((name) =>
        name.includes('ingest') ? readdirSync(`${harness.home}/${name}`) : [],
      ),
    ).toEqual([]);
  });
});

describe('a document worker', () => {
  it('returns its documents at once when it stops, and the try does not count', async () => {
    const own = await harness.account();
    const id = await harness.document(own, 'one two');
    const held = heldReader();
    const worker = harness.worker(held.read);
    await held.reached;
    await worker.stop();
    expect(await harness.row(id)).toMatchObject({ status: 'pending', attempt: 0, lease_owner: null, error_code: null });
    expect(await harness.chunks(id)).toEqual([]);
    harness.worker(readWords);
    await harness.events.ended([id]);
    expect(await harness.row(id)).toMatchObject({ status: 'completed', attempt: 1, chunk_count: 2 });
  });

  it('cannot write after it was wrongly considered dead', async () => {
    const own = await harness.account();
    const id = await harness.document(own, 'one two three');
    const held = heldReader();
    const frozen = harness.worker(held.read, { beatMs: 60_000, reapMs: 60_000, sweepMs: 60_000 });
    await held.reached;
    await harness.pool.query(`UPDATE knowledge_bases SET lease_until = now() - interval '1 s'`);
    harness.worker(readWords);
    await harness.events.ended([id]);
    held.goOn();
    await harness.logs.first({ msg: 'document dropped: it was deleted, changed or taken over' });
    expect((await harness.chunks(id)).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(await harness.row(id)).toMatchObject({ status: 'completed', attempt: 2, lost_leases: 1, chunk_count: 3 });
    await frozen.stop();
  });

  it('that dies three times on a document makes it fail', async () => {
    const own = await harness.account();
    const id = await harness.document(own);
    await harness.pool.query(
      `UPDATE knowledge_bases SET status = 'processing', attempt = 3, lost_leases = 2, lease_owner = 'dead', lease_until = now() - interval '1 s'`,
    );
    await harness.pool.query(
      `INSERT INTO knowledge_chunks (account_id, agent_id, knowledge_base_id, generation, ordinal, text, start_offset, end_offset, tokens)
       VALUES ($1, $2, $3, 1, 0, 'x', 0, 1, 1)`,
      [own.accountId, own.agentId, id],
    );
    harness.worker(readWords);
    await harness.events.ended([id]);
    expect(await harness.row(id)).toMatchObject({ status: 'failed', error_code: 'ATTEMPTS_EXHAUSTED', lost_leases: 3 });
    expect(await harness.chunks(id)).toEqual([]);
    // The user can reprocess it, with all tries.
    await harness.again(id);
    await harness.events.ended([id]);
    expect(await harness.row(id)).toMatchObject({ status: 'completed', attempt: 1, lost_leases: 0, error_code: null });
  });

  it('survives the loss of all its connections during the work', async () => {
    const own = await harness.account();
    const ids = await Promise.all(Array.from({ length: 6 }, () => harness.document(own, 'one two three four')));
    let cut: Promise<void> | undefined;
    const read: Read = (input, on, signal) =>
      readWords(
        input,
        {
          chunks: async (batch) => {
            if (batch[0]?.ordinal === 2) await (cut ??= harness.cutConnections());
            await on.chunks(batch);
          },
        },
        signal,
      );
    harness.worker(read);
    await harness.events.ended(ids);
    for (const id of ids) {
      expect(await harness.row(id)).toMatchObject({ status: 'completed' });
      expect((await harness.chunks(id)).map(({ text }) => text)).toEqual(['one', 'two', 'three', 'four']);
    }
  });

  it('shares forty documents with a second one without duplicate work', async () => {
    const own = await harness.account();
    const ids = await Promise.all(Array.from({ length: 40 }, () => harness.document(own, 'one two')));
    const workers = [harness.worker(readWords), harness.worker(readWords)];
    await harness.events.ended(ids);
    await Promise.all(workers.map((worker) => worker.stop()));
    for (const id of ids)
      expect(await harness.row(id)).toMatchObject({ status: 'completed', attempt: 1, generation: 2 });
  });
});

it('a thousand documents of one account do not delay the document of another', async () => {
  const [many, few] = [await harness.account(), await harness.account()];
  await harness.pool.query(
    `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, file_key, file_type, generation, next_attempt_at)
     SELECT $1, $2, 'Many', 'file', 'missing', 'txt', 1, now() - interval '1 hour' FROM generate_series(1, 1000)`,
    [many.accountId, many.agentId],
  );
  const id = await harness.document(few, 'one');
  harness.worker(readWords, { atOnce: 2 });
  await harness.events.ended([id]);
  const { rows } = await harness.pool.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM knowledge_bases WHERE status = 'failed'`,
  );
  expect(rows[0]?.n).toBeLessThan(20);
});

it('a claim prefers accounts with a warm parser process to others whose turn it is', async () => {
  const [cold, warm] = [await harness.account(), await harness.account()];
  const ids: number[] = [];
  for (const own of [cold, cold, warm, warm]) ids.push(await harness.document(own, 'one'));
  const order: number[] = [];
  void harness.events.next(({ id, status }) => {
    if (status === 'completed') order.push(id);
    return false;
  });
  harness.worker(readWords, { atOnce: 1, parsers: 1 }, [warm.accountId]);
  await harness.events.ended(ids);
  expect(order).toEqual([ids[2], ids[3], ids[0], ids[1]]);
});

describe('a page in the pipeline', () => {
  async function site(listener: RequestListener): Promise<string> {
    const server = createServer((request, response) => {
      if (request.url === '/robots.txt') response.writeHead(404).end();
      else listener(request, response);
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  it('is read at once while forty pages of another account hang at the same host', async () => {
    const [many, one] = [await harness.account(), await harness.account()];
    const arrivals = new EventEmitter();
    const twoHang = once(arrivals, 'second');
    const hanging: ServerResponse[] = [];
    const origin = await site((request, response) => {
      if (request.url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('one two');
      else if (hanging.push(response) === 2) arrivals.emit('second');
    });
    for (let page = 0; page < 40; page++) await harness.page(many, `${origin}${page}`);
    harness.worker(readWords);
    await twoHang;
    const id = await harness.page(one, `${origin}page`);
    await harness.events.ended([id]);
    expect(await harness.row(id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(hanging.map(({ closed }) => closed)).toEqual([false, false]);
  });

  it('keeps its chunks and the knowledge version if it is unchanged', async () => {
    const own = await harness.account();
    let [text, asked] = ['one two', [] as (string | undefined)[]];
    const url = await site((request, response) => {
      asked.push(request.headers['if-none-match']);
      if (request.headers['if-none-match'] === `"${text}"`) response.writeHead(304).end();
      else response.writeHead(200, { 'content-type': 'text/plain', etag: `"${text}"` }).end(text);
    });
    const id = await harness.page(own, url);
    harness.worker(readWords);
    await harness.events.ended([id]);
    await harness.again(id);
    await harness.events.ended([id]);
    expect(asked).toEqual([undefined, '"one two"']);
    expect(await harness.row(id)).toMatchObject({ status: 'completed', serving: 2, chunk_count: 2, progress: 100 });
    expect(await knowledgeVersion(own.agentId)).toBe(1);

    text = 'three';
    await harness.again(id);
    await harness.events.ended([id]);
    expect((await harness.chunks(id)).map(({ text }) => text)).toEqual(['three']);
    expect(await knowledgeVersion(own.agentId)).toBe(2);
  });

  it('is compared by its content if it has no validators', async () => {
    const own = await harness.account();
    const url = await site((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('one two'));
    const id = await harness.page(own, url);
    let reads = 0;
    harness.worker((...input) => {
      reads++;
      return readWords(...input);
    });
    await harness.events.ended([id]);
    await harness.again(id);
    await harness.events.ended([id]);
    expect(reads).toBe(1);
    expect(await harness.row(id)).toMatchObject({ status: 'completed', serving: 2 });
  });

  it('is retried up to five times while it is unavailable', async () => {
    const own = await harness.account();
    let answers = 0;
    const url = await site((_, response) => {
      if (++answers === 3) response.writeHead(200, { 'content-type': 'text/plain' }).end('one');
      else response.writeHead(503).end();
    });
    const tried = async (attempt: number): Promise<void> => {
      await harness.events.next((events) => events.attempt === attempt && events.status !== 'processing');
      await harness.pool.query(`UPDATE knowledge_bases SET next_attempt_at = now() WHERE status = 'pending'`);
    };
    const id = await harness.page(own, url);
    harness.worker(readWords);
    for (let attempt = 1; attempt <= 3; attempt++) await tried(attempt);
    expect(await harness.row(id)).toMatchObject({ status: 'completed', attempt: 3 });
    await harness.again(id);
    for (let attempt = 1; attempt <= 5; attempt++) await tried(attempt);
    expect(await harness.row(id)).toMatchObject({ status: 'failed', error_code: 'HTTP_503', attempt: 5, serving: 6 });
    expect(answers).toBe(8);
  });
});

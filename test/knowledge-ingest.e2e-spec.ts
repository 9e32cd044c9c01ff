import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DocumentProblem, type DocumentParser } from '@app/knowledge';
import { DocumentEnvironment, readWords } from './support/document-environment.js';

let environment: DocumentEnvironment;
let servers: Server[] = [];

beforeEach(async () => void (environment = await DocumentEnvironment.open()));
afterEach(async () => {
  await environment.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
});

type Read = DocumentParser['parse'];

/** A reader that stops before its second batch until it is let go on. */
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

const failing =
  (problem: () => Error): Read =>
  () =>
    Promise.reject(problem());

const knowledgeVersion = async (agentId: number): Promise<number> => {
  const { rows } = await environment.pool.query<{ v: string }>(
    'SELECT knowledge_version AS v FROM agents WHERE id = $1',
    [agentId],
  );
  return Number(rows[0]?.v);
};

describe('a document', () => {
  it('becomes searchable in one step, and the worker says what it did', async () => {
    const own = await environment.account();
    const id = await environment.document(own, 'one two three');
    environment.worker(readWords);
    await environment.news.ended([id]);
    expect(await environment.row(id)).toMatchObject({
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
    expect((await environment.chunks(id)).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(await knowledgeVersion(own.agentId)).toBe(1);
    const line = await environment.logs.first({ msg: 'document processed' });
    expect(line).toMatchObject({ knowledge_base_id: id, account_id: own.accountId, chunks: 3, type: 'txt', bytes: 13 });
  });

  it('that is processed again serves its old chunks until the new ones are swapped in', async () => {
    const own = await environment.account();
    const id = await environment.document(own, 'one two');
    const first = environment.worker(readWords);
    await environment.news.ended([id]);
    await first.stop();
    const held = heldReader();
    environment.worker(held.read);
    await environment.again(id);
    await held.reached;
    const { serving, generation } = await environment.row(id);
    expect([serving, generation]).toEqual([2, 4]);
    expect((await environment.chunks(id)).map(({ generation }) => generation)).toEqual([2, 2, 4]);
    held.goOn();
    await environment.news.ended([id]);
    expect((await environment.chunks(id)).map(({ generation }) => generation)).toEqual([4, 4]);
  });

  it.each([
    ['FILE_ENCRYPTED', 1],
    ['PARSE_MEMORY', 1],
    ['PARSE_TIMEOUT', 1],
  ] as const)('that ends with %s is tried %i time', async (code, attempt) => {
    const own = await environment.account();
    const id = await environment.document(own);
    environment.worker(failing(() => new DocumentProblem(code)));
    await environment.news.ended([id]);
    const row = await environment.row(id);
    expect(row).toMatchObject({ status: 'failed', error_code: code, attempt, serving: null, lease_owner: null });
    expect(row['processing_error']).toMatch(new RegExp(`^${code}: `));
    expect(await environment.chunks(id)).toEqual([]);
  });

  it('whose new version cannot be read goes on with its old chunks', async () => {
    const own = await environment.account();
    const id = await environment.document(own, 'one two');
    const first = environment.worker(readWords);
    await environment.news.ended([id]);
    await first.stop();
    environment.worker(async (input, on, signal) => {
      await readWords(input, on, signal);
      throw new DocumentProblem('FILE_CORRUPT');
    });
    await environment.again(id);
    await environment.news.ended([id]);
    expect(await environment.row(id)).toMatchObject({ status: 'failed', serving: 2, chunk_count: 2 });
    expect((await environment.chunks(id)).map(({ generation }) => generation)).toEqual([2, 2]);
  });

  it('whose file is gone fails and says so', async () => {
    const own = await environment.account();
    const id = await environment.document(own);
    await environment.storage.delete((await environment.row(id))['file_key'] as string);
    environment.worker(readWords);
    await environment.news.ended([id]);
    expect(await environment.row(id)).toMatchObject({ status: 'failed', error_code: 'FILE_MISSING' });
  });

  it('that takes longer than it may is tried again later', async () => {
    const own = await environment.account();
    const id = await environment.document(own, 'one two');
    const back = environment.news.next(({ status }) => status === 'pending');
    environment.worker(heldReader().read, { deadlineMs: 100 });
    await back;
    expect(await environment.row(id)).toMatchObject({
      status: 'pending',
      error_code: 'PROCESSING_TIMEOUT',
      attempt: 1,
    });
    expect(await environment.chunks(id)).toEqual([]);
  });

  it('that is deleted stops its worker and leaves nothing', async () => {
    const own = await environment.account();
    const id = await environment.document(own, 'one two');
    const held = heldReader();
    environment.worker(held.read);
    await held.reached;
    await environment.pool.query('DELETE FROM knowledge_bases WHERE id = $1', [id]);
    await environment.logs.first({ msg: 'document dropped: it was deleted, changed or taken over' });
    expect(await environment.chunks(id)).toEqual([]);
    expect(
      readdirSync(environment.home).flatMap((name) =>
        name.includes('ingest') ? readdirSync(`${environment.home}/${name}`) : [],
      ),
    ).toEqual([]);
  });
});

describe('a worker', () => {
  it('that stops gives its documents back at once, and the try does not count', async () => {
    const own = await environment.account();
    const id = await environment.document(own, 'one two');
    const held = heldReader();
    const worker = environment.worker(held.read);
    await held.reached;
    await worker.stop();
    expect(await environment.row(id)).toMatchObject({
      status: 'pending',
      attempt: 0,
      lease_owner: null,
      error_code: null,
    });
    expect(await environment.chunks(id)).toEqual([]);
    environment.worker(readWords);
    await environment.news.ended([id]);
    expect(await environment.row(id)).toMatchObject({ status: 'completed', attempt: 1, chunk_count: 2 });
  });

  it('that was taken for dead changes nothing any more', async () => {
    const own = await environment.account();
    const id = await environment.document(own, 'one two three');
    const held = heldReader();
    const frozen = environment.worker(held.read, { beatMs: 60_000, reapMs: 60_000, sweepMs: 60_000 });
    await held.reached;
    await environment.pool.query(`UPDATE knowledge_bases SET lease_until = now() - interval '1 s'`);
    environment.worker(readWords);
    await environment.news.ended([id]);
    held.goOn();
    await environment.logs.first({ msg: 'document dropped: it was deleted, changed or taken over' });
    expect((await environment.chunks(id)).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(await environment.row(id)).toMatchObject({
      status: 'completed',
      attempt: 2,
      lost_leases: 1,
      chunk_count: 3,
    });
    await frozen.stop();
  });

  it('that dies three times on a document has had enough of it', async () => {
    const own = await environment.account();
    const id = await environment.document(own);
    await environment.pool.query(
      `UPDATE knowledge_bases SET status = 'processing', attempt = 3, lost_leases = 2, lease_owner = 'dead', lease_until = now() - interval '1 s'`,
    );
    await environment.pool.query(
      `INSERT INTO knowledge_chunks (account_id, agent_id, knowledge_base_id, generation, ordinal, text, start_offset, end_offset, tokens)
       VALUES ($1, $2, $3, 1, 0, 'x', 0, 1, 1)`,
      [own.accountId, own.agentId, id],
    );
    environment.worker(readWords);
    await environment.news.ended([id]);
    expect(await environment.row(id)).toMatchObject({
      status: 'failed',
      error_code: 'ATTEMPTS_EXHAUSTED',
      lost_leases: 3,
    });
    expect(await environment.chunks(id)).toEqual([]);
    // A person may try it again, with all its tries.
    await environment.again(id);
    await environment.news.ended([id]);
    expect(await environment.row(id)).toMatchObject({
      status: 'completed',
      attempt: 1,
      lost_leases: 0,
      error_code: null,
    });
  });

  it('survives that all its connections are cut in the midst of its work', async () => {
    const own = await environment.account();
    const ids = await Promise.all(Array.from({ length: 6 }, () => environment.document(own, 'one two three four')));
    let cut: Promise<void> | undefined;
    const read: Read = (input, on, signal) =>
      readWords(
        input,
        {
          chunks: async (batch) => {
            if (batch[0]?.ordinal === 2) await (cut ??= environment.cutConnections());
            await on.chunks(batch);
          },
        },
        signal,
      );
    environment.worker(read);
    await environment.news.ended(ids);
    for (const id of ids) {
      expect(await environment.row(id)).toMatchObject({ status: 'completed' });
      expect((await environment.chunks(id)).map(({ text }) => text)).toEqual(['one', 'two', 'three', 'four']);
    }
  });

  it('is one of two that share forty documents without doing one twice', async () => {
    const own = await environment.account();
    const ids = await Promise.all(Array.from({ length: 40 }, () => environment.document(own, 'one two')));
    const workers = [environment.worker(readWords), environment.worker(readWords)];
    await environment.news.ended(ids);
    await Promise.all(workers.map((worker) => worker.stop()));
    for (const id of ids)
      expect(await environment.row(id)).toMatchObject({ status: 'completed', attempt: 1, generation: 2 });
  });
});

it('a thousand documents of one account do not hold up the one of another', async () => {
  const [many, few] = [await environment.account(), await environment.account()];
  await environment.pool.query(
    `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, file_key, file_type, generation, next_attempt_at)
     SELECT $1, $2, 'Many', 'file', 'missing', 'txt', 1, now() - interval '1 hour' FROM generate_series(1, 1000)`,
    [many.accountId, many.agentId],
  );
  const id = await environment.document(few, 'one');
  environment.worker(readWords, { atOnce: 2 });
  await environment.news.ended([id]);
  const { rows } = await environment.pool.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM knowledge_bases WHERE status = 'failed'`,
  );
  expect(rows[0]?.n).toBeLessThan(20);
});

describe('a page', () => {
  async function site(listener: RequestListener): Promise<string> {
    const server = createServer((request, response) => {
      if (request.url === '/robots.txt') response.writeHead(404).end();
      else listener(request, response);
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  it('that is fetched again and is as it was keeps its chunks, and no search is told anything', async () => {
    const own = await environment.account();
    let [text, asked] = ['one two', [] as (string | undefined)[]];
    const url = await site((request, response) => {
      asked.push(request.headers['if-none-match']);
      if (request.headers['if-none-match'] === `"${text}"`) response.writeHead(304).end();
      else response.writeHead(200, { 'content-type': 'text/plain', etag: `"${text}"` }).end(text);
    });
    const id = await environment.page(own, url);
    environment.worker(readWords);
    await environment.news.ended([id]);
    await environment.again(id);
    await environment.news.ended([id]);
    expect(asked).toEqual([undefined, '"one two"']);
    expect(await environment.row(id)).toMatchObject({ status: 'completed', serving: 2, chunk_count: 2, progress: 100 });
    expect(await knowledgeVersion(own.agentId)).toBe(1);

    text = 'three';
    await environment.again(id);
    await environment.news.ended([id]);
    expect((await environment.chunks(id)).map(({ text }) => text)).toEqual(['three']);
    expect(await knowledgeVersion(own.agentId)).toBe(2);
  });

  it('without validators is compared by its content', async () => {
    const own = await environment.account();
    const url = await site((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('one two'));
    const id = await environment.page(own, url);
    let reads = 0;
    environment.worker((...input) => {
      reads++;
      return readWords(...input);
    });
    await environment.news.ended([id]);
    await environment.again(id);
    await environment.news.ended([id]);
    expect(reads).toBe(1);
    expect(await environment.row(id)).toMatchObject({ status: 'completed', serving: 2 });
  });

  it('that is away for a moment is tried again, five times at most', async () => {
    const own = await environment.account();
    let answers = 0;
    const url = await site((_, response) => {
      if (++answers === 3) response.writeHead(200, { 'content-type': 'text/plain' }).end('one');
      else response.writeHead(503).end();
    });
    const tried = async (attempt: number): Promise<void> => {
      await environment.news.next((news) => news.attempt === attempt && news.status !== 'processing');
      await environment.pool.query(`UPDATE knowledge_bases SET next_attempt_at = now() WHERE status = 'pending'`);
    };
    const id = await environment.page(own, url);
    environment.worker(readWords);
    for (let attempt = 1; attempt <= 3; attempt++) await tried(attempt);
    expect(await environment.row(id)).toMatchObject({ status: 'completed', attempt: 3 });
    await environment.again(id);
    for (let attempt = 1; attempt <= 5; attempt++) await tried(attempt);
    expect(await environment.row(id)).toMatchObject({
      status: 'failed',
      error_code: 'HTTP_503',
      attempt: 5,
      serving: 6,
    });
    expect(answers).toBe(8);
  });
});

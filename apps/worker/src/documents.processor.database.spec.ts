import { loadEnv } from '@app/common';
import { SettingsModule } from '@app/common/settings';
import { DOCUMENTS_AT_ONCE as PLACES, DocumentIngestService } from '@app/knowledge';
import { openQueues, QueueModule, WakeUpsService } from '@app/queue';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IngestHarness, readWords } from '../../../test/support/ingest-harness.js';
import { DocumentsProcessor } from './documents.processor.js';

type Read = Parameters<IngestHarness['service']>[0];

@Module({})
class RootModule {}

let harness: IngestHarness;
let app: INestApplicationContext | undefined;

beforeEach(async () => void (harness = await IngestHarness.open()));
afterEach(async () => {
  await app?.close();
  await harness.close();
});

/** A process that takes the jobs of the queue of documents. */
async function start(read: Read): Promise<WakeUpsService> {
  const env = loadEnv({ DATABASE_URL: harness.databaseUrl, SECRET_KEY: 'the secret key of the tests, 32+ characters' });
  const { log } = harness.logs;
  const ingest = {
    provide: DocumentIngestService,
    useFactory: (wakeUps: WakeUpsService) => harness.service(read, { parsers: PLACES, atOnce: PLACES }, [], wakeUps),
    inject: [WakeUpsService],
  };
  const processor = {
    provide: DocumentsProcessor,
    useFactory: (service: DocumentIngestService) => new DocumentsProcessor(service),
    inject: [DocumentIngestService],
  };
  const imports = [SettingsModule.forRoot({ env, log, role: 'test' }), QueueModule.forRoot(env)];
  app = await NestFactory.createApplicationContext(
    { module: RootModule, imports, providers: [ingest, processor] },
    { logger: false, abortOnError: false },
  );
  await openQueues(app, { role: 'api', env, log });
  return app.get(WakeUpsService);
}

/** A parser that waits for the test at each document. */
function heldReader() {
  const gates: (() => void)[] = [];
  const read: Read = async (input, on, signal) => {
    await new Promise<void>((resolve, reject) => {
      gates.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
    return readWords(input, on, signal);
  };
  return { read, endFirst: () => gates.shift()!() };
}

describe('a thousand documents of an account', () => {
  it('leave a place to another account, and delay the document of a third one by the end of one document', async () => {
    const [many, second, third] = [await harness.account(), await harness.account(), await harness.account()];
    const first = await harness.document(many, 'one');
    await harness.pool.query(
      `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, file_key, file_type, generation, next_attempt_at)
       SELECT account_id, agent_id, 'Many', 'file', file_key, 'txt', 1, now() - interval '1 hour'
         FROM knowledge_bases, generate_series(1, 999) WHERE id = $1`,
      [first],
    );
    const claimed: number[] = [];
    const untilClaimed = (count: number) =>
      harness.events.next(({ id, status, stage }) => {
        if (status === 'processing' && stage === 'fetch' && !claimed.includes(id)) claimed.push(id);
        return claimed.length === count;
      });
    const { read, endFirst } = heldReader();
    const full = untilClaimed(PLACES - 1);
    const wakeUps = await start(read);
    await full;

    const other = untilClaimed(PLACES);
    const ofSecond = await harness.document(second, 'one');
    wakeUps.wake('documents');
    expect(await other).toMatchObject({ id: ofSecond });

    const next = untilClaimed(PLACES + 1);
    const ofThird = await harness.document(third, 'one');
    wakeUps.wake('documents');
    endFirst();
    expect(await next).toMatchObject({ id: ofThird });
  });
});

import { createLog, type Env, loadEnv } from '@app/common';
import { SettingsModule } from '@app/common/settings';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { getQueueToken, Processor } from '@nestjs/bullmq';
import { type INestApplicationContext, Module, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Queue, Worker } from 'bullmq';
import { EventEmitter, once } from 'node:events';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { JobProcessor, workerOptions } from './job-processor.js';
import { openQueues } from './open-queues.js';
import { queueOptions } from './queue-options.js';
import { QueueStatesService } from './queue-states.service.js';
import { QueueModule } from './queue.module.js';
import { WakeUpsService } from './wake-ups.service.js';

/** The rows that a database would hold: each is claimed once, and ends when the test says so. */
class Units {
  readonly waiting: string[] = [];
  readonly running: string[] = [];
  readonly changes = new EventEmitter();
  private readonly ends = new Map<string, () => void>();
  private isOver = false;

  async do(wakeUps: WakeUpsService): Promise<boolean> {
    const unit = this.waiting.shift();
    if (unit === undefined) return false;
    this.running.push(unit);
    const ended = this.isOver ? undefined : new Promise<void>((resolve) => this.ends.set(unit, resolve));
    this.changes.emit('claimed', unit);
    wakeUps.wakeNext('analyses');
    await ended;
    this.running.splice(this.running.indexOf(unit), 1);
    return true;
  }

  end(unit: string): void {
    this.ends.get(unit)!();
  }

  endAll(): void {
    this.isOver = true;
    for (const end of this.ends.values()) end();
  }

  async untilRunning(count: number): Promise<void> {
    while (this.running.length < count) await once(this.changes, 'claimed');
  }
}

let units: Units;

@Processor('analyses', workerOptions(3))
class TestProcessor extends JobProcessor {
  readonly schedules = { unit: 60_000 };

  constructor(private readonly wakeUps: WakeUpsService) {
    super();
  }

  perform(): Promise<boolean> {
    return units.do(this.wakeUps);
  }
}

/** Nest finds the dependencies of a class without a compiled parameter type by its factory. */
const PROCESSOR: Provider = {
  provide: TestProcessor,
  useFactory: (wakeUps: WakeUpsService) => new TestProcessor(wakeUps),
  inject: [WakeUpsService],
};

@Module({})
class RootModule {}

let database: TestDatabase;
let pool: Pool;
let env: Env;
const log = createLog({ level: 'silent', role: 'test' });
const open: INestApplicationContext[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 2 });
  env = loadEnv({ DATABASE_URL: database.url, SECRET_KEY: 'the secret key of the tests, 32+ characters' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(() => void (units = new Units()));
afterEach(async () => {
  units.endAll();
  for (const app of open.splice(0)) await app.close();
  jest.restoreAllMocks();
  await pool.query('TRUNCATE bullmq.job, bullmq.dedup, bullmq.scheduler CASCADE');
});

async function context(providers: Provider[]): Promise<INestApplicationContext> {
  const imports = [SettingsModule.forRoot({ env, log, role: 'test' }), QueueModule.forRoot(env)];
  const app = await NestFactory.createApplicationContext(
    { module: RootModule, imports, providers },
    { logger: false, abortOnError: false },
  );
  open.push(app);
  return app;
}

/** A process that takes the jobs of the queue `analyses`, three at a time. */
async function worker(): Promise<INestApplicationContext> {
  const app = await context([PROCESSOR]);
  await openQueues(app, { role: 'api', env, log });
  return app;
}

const stateOf = async (app: INestApplicationContext) =>
  (await app.get(QueueStatesService).read()).find(({ queue }) => queue === 'analyses');

describe('a queue', () => {
  it('has one waiting token, however often work is announced, while all places are taken', async () => {
    const app = await worker();
    units.waiting.push('a', 'b', 'c', 'd');
    app.get(WakeUpsService).wake('analyses');
    await units.untilRunning(3);
    for (let n = 0; n < 50; n++) app.get(WakeUpsService).wakeNext('analyses');
    await eventually(
      () => stateOf(app),
      (state) => state?.waiting === 1 && state.active === 3,
    );
    expect(units.waiting).toEqual(['d']);
  });

  it('gives the place of a unit that has ended to the next one at once', async () => {
    const app = await worker();
    units.waiting.push('a', 'b', 'c', 'd');
    app.get(WakeUpsService).wake('analyses');
    await units.untilRunning(3);
    const next = once(units.changes, 'claimed');
    units.end('b');
    expect(await next).toEqual(['d']);
  });

  it('shares the units of one announcement between processes', async () => {
    const [first] = [await worker(), await worker()];
    units.waiting.push('a', 'b', 'c', 'd', 'e', 'f', 'g');
    first.get(WakeUpsService).wake('analyses');
    await units.untilRunning(6);
    expect(units.waiting).toEqual(['g']);
  });

  it('takes new work while a dead process holds the token that was announced', async () => {
    const app = await context([PROCESSOR]);
    const wakeUps = app.get(WakeUpsService);
    const dead = new Worker('analyses', null, { ...queueOptions(env), autorun: false });
    try {
      wakeUps.wakeNext('analyses');
      await eventually(
        () => dead.getNextJob('dead', { block: false }),
        (job) => job !== undefined,
      );
      units.waiting.push('a');
      wakeUps.wakeNext('analyses');
      // The token of the scheduler.
      await openQueues(app, { role: 'api', env, log });
      await units.untilRunning(1);
      // That of the dead process is one of them.
      const { active } = (await eventually(
        () => stateOf(app),
        (state) => state?.active === 2,
      ))!;
      expect(active).toBe(2);
    } finally {
      await dead.close();
    }
  });

  it('is closed by the process that ends, and not by the others', async () => {
    const [first, second] = [await worker(), await worker()];
    await open.splice(0, 1)[0]!.close();
    expect(first).not.toBe(second);
    units.waiting.push('a');
    second.get(WakeUpsService).wake('analyses');
    await units.untilRunning(1);
  });

  it('reports a job that failed for a day, and its work is found again', async () => {
    const app = await worker();
    units = Object.assign(new Units(), { do: () => Promise.reject(new Error('no database')) });
    app.get(WakeUpsService).wake('analyses');
    await eventually(
      () => stateOf(app),
      (state) => state !== undefined && state.failed > 0,
    );
    units = new Units();
    units.waiting.push('a');
    app.get(WakeUpsService).wake('analyses');
    await units.untilRunning(1);
    const { failed = 0 } = (await stateOf(app)) ?? {};
    expect(failed).toBeGreaterThan(0);
  });

  it('tells how long its oldest job has been due, and the failures of the last day', async () => {
    const app = await context([]);
    await pool.query(
      `INSERT INTO bullmq.job (queue, id, seq, name, state, added_at_ms, process_at_ms, finished_at_ms)
        SELECT 'analyses', state || n, n, 'unit', state::bullmq.job_state, now - 90000000, due, finished
          FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now) clock,
            LATERAL (VALUES (1, 'waiting', now - 20000, NULL), (2, 'waiting', now - 50000, NULL), (3, 'active', NULL, NULL),
              (4, 'failed', NULL, now - 3600000), (5, 'failed', NULL, now - 86500000)) AS jobs (n, state, due, finished)`,
    );
    const { oldestSeconds = 0, ...counts } = (await stateOf(app)) ?? {};
    expect(counts).toEqual({ queue: 'analyses', waiting: 2, active: 1, failed: 1 });
    expect(Math.floor(oldestSeconds / 10)).toBe(5);
  });

  it('keeps the times of its schedulers when another process starts', async () => {
    const app = await worker();
    const queue = app.get<Queue>(getQueueToken('analyses'));
    const schedulers = () => queue.getJobSchedulers();
    const [first] = await eventually(schedulers, (found) => found.length > 0 && found[0]!.next! > Date.now());
    await worker();
    expect(await schedulers()).toMatchObject([{ key: 'unit', every: 60_000, next: first!.next }]);
  });
});

/** What a process stored, in ms from now by the clock of the database. */
async function fromNow(column: 'next_run_ms' | 'locked_until_ms', table: 'job' | 'scheduler'): Promise<number[]> {
  const { rows } = await pool.query<{ ms: number }>(
    `SELECT (${column} - extract(epoch FROM clock_timestamp()) * 1000)::integer AS ms
       FROM bullmq.${table} WHERE ${column} IS NOT NULL`,
  );
  return rows.map(({ ms }) => ms);
}

function shiftClock(ms: number): void {
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
}

describe.each([60_000, -60_000])('a process whose clock is wrong by %d ms', (shift) => {
  it('plans the scheduled jobs and locks its own by the clock of the database', async () => {
    shiftClock(shift);
    const app = await worker();
    units.waiting.push('a');
    app.get(WakeUpsService).wake('analyses');
    await units.untilRunning(1);
    for (const ms of await fromNow('locked_until_ms', 'job')) {
      expect(ms).toBeGreaterThan(0);
      expect(ms).toBeLessThanOrEqual(10_000);
    }
    await eventually(
      () => fromNow('next_run_ms', 'scheduler'),
      ([ms]) => ms !== undefined && ms > 0 && ms <= 60_000,
    );
  });

  it('takes a job when it is due, not earlier or later', async () => {
    const app = await context([]);
    app.get(WakeUpsService).wakeNext('analyses', 30_000);
    const delayed = async () =>
      (await pool.query(`SELECT FROM bullmq.job WHERE state = 'delayed' AND name = 'unit' AND dedup_id = 'next'`))
        .rowCount;
    await eventually(delayed, (count) => count === 1);
    shiftClock(shift);
    units.waiting.push('a', 'b');
    // The first job of the scheduler.
    await worker();
    await units.untilRunning(1);
    expect(await delayed()).toBe(1);
    await pool.query(
      `UPDATE bullmq.job SET process_at_ms = extract(epoch FROM clock_timestamp()) * 1000 + 200 WHERE dedup_id = 'next';
       NOTIFY bullmq_jobs, 'analyses'`,
    );
    await units.untilRunning(2);
  });
});

describe('a process', () => {
  it('plans a scheduled job again that is further ahead than its interval', async () => {
    const planned = () => fromNow('next_run_ms', 'scheduler');
    await worker();
    await eventually(planned, ([ms]) => ms !== undefined && ms > 0);
    await pool.query(
      `UPDATE bullmq.job SET id = 'repeat:unit:' || process_at_ms + 3600000, process_at_ms = process_at_ms + 3600000
        WHERE state = 'delayed';
       UPDATE bullmq.scheduler SET next_run_ms = next_run_ms + 3600000`,
    );
    await worker();
    const [ms] = await eventually(planned, ([next]) => next !== undefined && next <= 60_000);
    expect(ms).toBeGreaterThan(-60_000);
  });

  it('does not start if one of its queues has no processor', async () => {
    const app = await context([PROCESSOR]);
    await expect(openQueues(app, { role: 'worker', env, log })).rejects.toThrow(
      'No processor of the worker takes the jobs of campaigns, webhooks, documents, vectors, retrieval-tests, embedder-checks, contact-imports, test-runs, retention, sweeps: provide a class with @Processor for each queue.',
    );
  });

  it('uses one listening connection for all of its queues', async () => {
    await worker();
    const listening = async (): Promise<number> => {
      const { rows } = await pool.query<{ n: number }>(
        `SELECT count(*)::integer AS n FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ILIKE '%listen%bullmq_jobs%'`,
      );
      return rows[0]?.n ?? 0;
    };
    await eventually(listening, (count) => count > 0);
    await worker();
    expect(await eventually(listening, (count) => count > 1)).toBe(2);
  });
});

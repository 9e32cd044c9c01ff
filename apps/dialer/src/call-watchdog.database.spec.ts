import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CallsModule, DialersService } from '@app/calls';
import type { INestApplicationContext } from '@nestjs/common';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aCall, aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { openServices } from '../../../test/support/services.js';
import type { CallRun, StopCause } from './call-run.js';
import { CallWatchdog } from './dialer.service.js';

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

let database: TestDatabase;
let pool: Pool;
let services: INestApplicationContext;
let dialers: DialersService;
let own: Workspace;
let logs: LogLines;

beforeAll(async () => {
  database = await createTestDatabase();
  services = await openServices({ DATABASE_URL: database.url, DATABASE_POOL: '4' }, [CallsModule]);
  dialers = services.get(DialersService);
  pool = new Pool({ connectionString: database.url, max: 4 });
  // The database is dropped while the server still reads our goodbye.
  pool.on('error', () => undefined);
  own = await aWorkspace(pool);
  await pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('alive', now() + interval '1 hour')`);
});
afterAll(async () => {
  await services.close();
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  logs = new LogLines();
  await pool.query('TRUNCATE calls CASCADE');
});

const ownedCall = (row: Record<string, unknown>) =>
  aCall(pool, own, { owner: 'alive', status: 'in_progress', started_at: new Date(), answered_at: new Date(), ...row });
const endOf = async (id: string) =>
  (await pool.query('SELECT status, hangup_cause, owner FROM calls WHERE id = $1', [id])).rows[0];

describe('a live dialer', () => {
  const hungUp: [string, StopCause][] = [];
  const aRun = (id: string): [string, CallRun] => [
    id,
    { hangUp: (cause: StopCause) => hungUp.push([id, cause]) } as unknown as CallRun,
  ];
  const watchdog = (runs: Map<string, CallRun>) => new CallWatchdog({ dialers, log: logs.log, runs }, 'alive');
  beforeEach(() => {
    hungUp.length = 0;
  });

  it('ends calls that it does not run, but not a call that it may just have claimed', async () => {
    const forgotten = await ownedCall({});
    const claimed = await aCall(pool, own, { owner: 'alive' });
    const inHand = await ownedCall({});
    const dog = watchdog(new Map([aRun(inHand)]));
    await dog.look();
    expect(await endOf(forgotten)).toMatchObject({ status: 'in_progress' });
    await dog.look();
    expect(await endOf(forgotten)).toMatchObject({ status: 'failed', hangup_cause: 'worker_lost' });
    expect(await endOf(claimed)).toMatchObject({ status: 'pending', owner: null });
    expect(await endOf(inHand)).toMatchObject({ status: 'in_progress' });
  });

  it('hangs up an overdue call, and ends it when that does not help', async () => {
    const late = await ownedCall({ answered_at: minutesAgo(12) });
    const hopeless = await ownedCall({ answered_at: minutesAgo(16) });
    await watchdog(new Map([aRun(late), aRun(hopeless)])).look();
    expect(hungUp).toEqual(expect.arrayContaining([[late, 'max_duration']]));
    expect(await endOf(late)).toMatchObject({ status: 'in_progress' });
    expect(await endOf(hopeless)).toMatchObject({ status: 'failed', hangup_cause: 'worker_lost' });
  });
});

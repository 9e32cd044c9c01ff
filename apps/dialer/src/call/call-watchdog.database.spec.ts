import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DialersService } from '@app/calls';
import { DialledCalls } from '../../../../test/support/dialled-calls.js';
import { aCall } from '../../../../test/support/factories.js';
import { LogLines } from '../../../../test/support/log-lines.js';
import type { CallRun, StopCause } from './call-run.js';
import { CallWatchdog } from '../dialer.service.js';

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

let calls: DialledCalls;
let dialers: DialersService;
let logs: LogLines;

beforeAll(async () => {
  calls = await DialledCalls.open();
  dialers = calls.services.get(DialersService);
});
afterAll(() => calls.close());
beforeEach(async () => {
  logs = new LogLines();
  await calls.pool.query('TRUNCATE calls CASCADE');
});

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
    const forgotten = await calls.add({});
    const claimed = await aCall(calls.pool, calls.own, { owner: 'alive' });
    const inHand = await calls.add({});
    const dog = watchdog(new Map([aRun(inHand)]));
    await dog.look();
    expect(await calls.endOf(forgotten)).toMatchObject({ status: 'in_progress' });
    await dog.look();
    expect(await calls.endOf(forgotten)).toMatchObject({ status: 'failed', hangup_cause: 'worker_lost' });
    expect(await calls.endOf(claimed)).toMatchObject({ status: 'pending', owner: null });
    expect(await calls.endOf(inHand)).toMatchObject({ status: 'in_progress' });
  });

  it('hangs up an overdue call, and ends it when that does not help', async () => {
    const late = await calls.add({ answered_at: minutesAgo(12) });
    const hopeless = await calls.add({ answered_at: minutesAgo(16) });
    await watchdog(new Map([aRun(late), aRun(hopeless)])).look();
    expect(hungUp).toEqual(expect.arrayContaining([[late, 'max_duration']]));
    expect(await calls.endOf(late)).toMatchObject({ status: 'in_progress' });
    expect(await calls.endOf(hopeless)).toMatchObject({ status: 'failed', hangup_cause: 'worker_lost' });
  });
});

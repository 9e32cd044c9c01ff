import type * as Common from '@app/common';
import type * as DatabaseModule from '@app/database';
import type * as Webhooks from '@app/webhooks';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import type * as Services from '../test/support/services.js';
import type * as Account from '../test/support/webhook-account.js';
import { monotonicMs } from './monotonic-clock.js';

/** Messages to a subject, in this order in each round; it answers each. */
export type SubjectCommand = 'write' | 'wake' | 'arrived';

export interface Backlog {
  streams: number;
  events: number;
  /** Of the receivers. */
  urls: string[];
}

/** When the dispatcher was woken, in ms of the monotonic clock, and the CPU time from then to the arrival of the last webhook. */
export interface Dispatched {
  wokenAt: number;
  cpuUs: number;
}

/** A child process of the webhook bench: the dispatcher of one build on its own database. */
async function main(build: string, url: string, { streams, events, urls }: Backlog): Promise<void> {
  const load = (path: string): Promise<unknown> => import(pathToFileURL(`${build}/${path}.js`).href);
  // Builds of before the flags have none.
  await load('apps/worker/src/v8-flags').catch(() => undefined);
  const { Encryption } = (await load('libs/common/src/index')) as typeof Common;
  const { Database, migrate } = (await load('libs/database/src/index')) as typeof DatabaseModule;
  const { WebhookDispatcherService, WebhookDispatchModule } = (await load(
    'libs/webhooks/src/index',
  )) as typeof Webhooks;
  const { openServices } = (await load('test/support/services')) as typeof Services;
  const { WebhookAccount } = (await load('test/support/webhook-account')) as typeof Account;
  await migrate(url);
  const variables = { DATABASE_URL: url, DATABASE_POOL: '10', EGRESS_ALLOW_CIDRS: '127.0.0.0/8' };
  // Dispatchers of older builds have a timer.
  const settings = { sweepMs: 60_000 } as object;
  const services = await openServices(variables, [WebhookDispatchModule.forRoot(settings)]);
  const { pool } = services.get(Database);
  const account = await WebhookAccount.create(pool, services.get(Encryption));
  await account.addSecret();
  const target = (stream: number) => ({ url: `${urls[stream % urls.length]}/hook`, method: 'POST' });
  const dispatcher = services.get(WebhookDispatcherService);
  process.send?.('ready');
  for (;;) {
    await command('write');
    await account.writeBacklog(pool, streams, events, target);
    process.send?.('written');
    await command('wake');
    const wokenAt = monotonicMs();
    const before = process.cpuUsage();
    dispatcher.wake();
    await command('arrived');
    const { user, system } = process.cpuUsage(before);
    for (let leased = 1; leased > 0;)
      leased = (await pool.query('SELECT 1 FROM webhook_streams WHERE lease_owner IS NOT NULL LIMIT 1')).rows.length;
    process.send?.({ wokenAt, cpuUs: user + system } satisfies Dispatched);
  }
}

async function command(expected: SubjectCommand): Promise<void> {
  const [received] = (await once(process, 'message')) as [SubjectCommand];
  if (received !== expected) throw new Error(`${received} instead of ${expected}`);
}

const [build = '', url = '', backlog = '{}'] = process.argv.slice(2);
process.on('disconnect', () => process.exit());
await main(build, url, JSON.parse(backlog) as Backlog);

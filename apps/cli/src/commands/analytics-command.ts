import { AccountsModule, AccountsService } from '@app/accounts';
import { AnalyticsModule, AnalyticsRebuildService } from '@app/analytics';
import type { Env } from '@app/common';
import { StorageModule } from '@app/storage';
import { accountIdOf, withServices } from '../command-context.js';
import { Problem } from '../problem.js';

export interface RebuildCommandOptions {
  account?: string;
  from?: string;
  json?: boolean;
}

/** `trunkline analytics rebuild`. */
export async function rebuildAnalyticsCommand(env: Env, options: RebuildCommandOptions): Promise<void> {
  const from = options.from === undefined ? undefined : new Date(options.from);
  if (from && Number.isNaN(from.getTime())) throw new Problem('--from must be a date or an ISO 8601 time.');
  await withServices(env, [AccountsModule, StorageModule, AnalyticsModule], async (services) => {
    const accountId =
      options.account === undefined ? undefined : await accountIdOf(services.get(AccountsService), options.account);
    const started = performance.now();
    const isShown = process.stderr.isTTY && !options.json;
    const calls = await services.get(AnalyticsRebuildService).rebuild({
      accountId,
      from,
      progress: isShown
        ? ({ until, calls: done }) => process.stderr.write(`\r${done} calls, until ${until.toISOString().slice(0, 10)}`)
        : undefined,
    });
    const seconds = Math.round((performance.now() - started) / 1_000);
    if (isShown) process.stderr.write('\n');
    console.log(options.json ? JSON.stringify({ calls, seconds }) : `${calls} calls were counted in ${seconds} s.`);
  });
}

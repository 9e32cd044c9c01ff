import { AccountsModule, AccountsService } from '@app/accounts';
import { type AuditEventView, AuditModule, AuditService } from '@app/audit';
import type { Env } from '@app/common';
import { accountIdOf, withServices } from '../command-context.js';
import { limitOf, printList } from '../listed-records.js';

export interface AuditOptions {
  account?: string;
  action?: string;
  actor?: string;
  subject?: string;
  limit: string;
  json?: boolean;
}

/** `trunkline audit`: the newest events, of one account or of all. */
export async function auditCommand(env: Env, options: AuditOptions): Promise<void> {
  const perPage = limitOf(options.limit);
  const { account, action, actor, subject } = options;
  await withServices(env, [AccountsModule, AuditModule], async (services) => {
    const accounts = services.get(AccountsService);
    const accountId = account === undefined ? undefined : await accountIdOf(accounts, account);
    const filter = { accountId, action, actor: actor && named(actor), subject: subject && named(subject) };
    const { events } = await services.get(AuditService).list(clean(filter), { page: 1, perPage });
    printList(options.json, events, inOneLine, 'There are no events.');
  });
}

/** `token:12` */
function named(text: string): { kind: string; id?: string } {
  const [kind = '', id] = text.split(':');
  return { kind, id };
}

/** Empty options count as absent. */
const clean = <T extends object>(filter: T) =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== '')) as {
    [K in keyof T]: Exclude<T[K], ''>;
  };

function inOneLine({ at, account_id: account, actor, action, subject, details }: AuditEventView): string {
  const who = actor.id === null ? actor.kind : `${actor.kind}:${actor.id}`;
  const what = subject === null ? '-' : `${subject.kind}:${subject.id}`;
  return [at, `account ${account ?? '-'}`, who, action, what, JSON.stringify(details)].join('  ');
}

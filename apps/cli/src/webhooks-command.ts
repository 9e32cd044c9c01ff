import { writeAudit } from '@app/audit';
import { AccountsModule, AccountsService, MAX_OVERLAP_HOURS, rotateSecret } from '@app/accounts';
import { isoTime, timeOrNull, type Env } from '@app/common';
import { Database, inTransaction } from '@app/database';
import { countEndpoints, listEndpoints, type EndpointState, type WebhookEndpoint } from '@app/webhooks';
import { accountIdOf } from './account-id.js';
import { withServices } from './command-context.js';
import { checkKey } from './installation.js';
import { sealOf } from './instance.js';
import { operator } from './operator.js';
import { Problem } from './problem.js';

export interface RotateOptions {
  account: string;
  overlapHours: string;
  json?: boolean;
}

export interface EndpointsOptions {
  account: string;
  state?: EndpointState;
  json?: boolean;
}

export async function rotateSecretCommand(
  env: Env,
  { account, overlapHours: hours, json }: RotateOptions,
): Promise<void> {
  const overlapHours = hoursOf(hours);
  const encryption = sealOf(env);
  const rotated = await withServices(env, [AccountsModule], async (services) => {
    const { pool } = services.get(Database);
    await checkKey(pool, encryption);
    const accountId = await accountIdOf(services.get(AccountsService), account);
    return inTransaction(pool, async (tx) => {
      const made = await rotateSecret(tx, encryption, accountId, { overlapHours });
      const subject = { kind: 'webhook_secret', id: made.id };
      await writeAudit(tx, { accountId, actor: operator(), action: 'webhook_secret.rotated', subject });
      return made;
    });
  });
  if (json) return console.log(JSON.stringify(rotated, null, 2));
  const until = timeOrNull(rotated.previous_expires_at);
  if (until !== null) console.error(`the secret before it signs, too, until ${until}`);
  console.log(rotated.secret);
}

/** Throws Problem. */
function hoursOf(text: string): number {
  const hours = text.trim() === '' ? Number.NaN : Number(text);
  if (hours >= 0 && hours <= MAX_OVERLAP_HOURS) return hours;
  throw new Problem(`--overlap-hours is 0 to ${MAX_OVERLAP_HOURS}.`);
}

const MOST = 1_000;

export async function endpointsCommand(env: Env, { account, state, json }: EndpointsOptions): Promise<void> {
  await withServices(env, [AccountsModule], async (services) => {
    const { pool } = services.get(Database);
    const accountId = await accountIdOf(services.get(AccountsService), account);
    const endpoints = await listEndpoints(pool, accountId, { state, limit: MOST, offset: 0 });
    const total = await countEndpoints(pool, accountId, state);
    console.log(
      json ? JSON.stringify(endpoints, null, 2) : endpoints.map(inOneLine).join('\n') || 'There are no endpoints.',
    );
    if (total > endpoints.length) console.error(`These are the newest of ${total}.`);
  });
}

function inOneLine({ id, url, state, ...endpoint }: WebhookEndpoint): string {
  const { disabled_at: disabledAt, first_failure_at: failingSince, last_status: status } = endpoint;
  const health = disabledAt
    ? `${endpoint.disabled_reason}, since ${isoTime(disabledAt)}`
    : failingSince
      ? `failing since ${isoTime(failingSince)}`
      : 'well';
  return [id, url, state, health, status === null ? 'no answer' : `last status ${status}`].join('  ');
}

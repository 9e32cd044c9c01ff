import { AccountsModule, AccountsService } from '@app/accounts';
import { isoTime, timeOrNull, type Env } from '@app/common';
import { Database } from '@app/database';
import {
  type EndpointState,
  MAX_OVERLAP_HOURS,
  type WebhookEndpoint,
  WebhookEndpointsService,
  WebhookSecretsService,
  WebhooksModule,
} from '@app/webhooks';
import { accountIdOf, operator, withServices } from '../command-context.js';
import { checkKey } from '../installation.js';
import { commandEncryption } from '../installation-home.js';
import { Problem } from '../problem.js';

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
  const encryption = commandEncryption(env);
  const rotated = await withServices(env, [AccountsModule, WebhooksModule], async (services) => {
    await checkKey(services.get(Database).pool, encryption);
    const accountId = await accountIdOf(services.get(AccountsService), account);
    return services.get(WebhookSecretsService).rotate({ accountId, actor: operator() }, overlapHours);
  });
  if (json) return console.log(JSON.stringify(rotated, null, 2));
  const until = timeOrNull(rotated.previous_expires_at);
  if (until !== null) console.error(`the previous secret also signs until ${until}`);
  console.log(rotated.secret);
}

/** Throws Problem. */
function hoursOf(text: string): number {
  const hours = text.trim() === '' ? Number.NaN : Number(text);
  if (hours >= 0 && hours <= MAX_OVERLAP_HOURS) return hours;
  throw new Problem(`--overlap-hours must be between 0 and ${MAX_OVERLAP_HOURS}.`);
}

const MAX_LISTED = 1_000;

export async function endpointsCommand(env: Env, { account, state, json }: EndpointsOptions): Promise<void> {
  await withServices(env, [AccountsModule, WebhooksModule], async (services) => {
    const accountId = await accountIdOf(services.get(AccountsService), account);
    const filter = { state, limit: MAX_LISTED, offset: 0 };
    const { endpoints, total } = await services.get(WebhookEndpointsService).list(accountId, filter);
    console.log(
      json ? JSON.stringify(endpoints, null, 2) : endpoints.map(inOneLine).join('\n') || 'There are no endpoints.',
    );
    if (total > endpoints.length) console.error(`Only the newest of ${total} endpoints are listed.`);
  });
}

function inOneLine({ id, url, state, ...endpoint }: WebhookEndpoint): string {
  const { disabled_at: disabledAt, first_failure_at: failingSince, last_status: status } = endpoint;
  const health = disabledAt
    ? `${endpoint.disabled_reason}, since ${isoTime(disabledAt)}`
    : failingSince
      ? `failing since ${isoTime(failingSince)}`
      : 'healthy';
  return [id, url, state, health, status === null ? 'no answer' : `last status ${status}`].join('  ');
}

import { AccountsModule } from '@app/accounts';
import { isoTime, timeOrNull, type Env } from '@app/common';
import {
  type EndpointState,
  MAX_OVERLAP_HOURS,
  type WebhookEndpoint,
  WebhookEndpointsService,
  WebhookSecretsService,
  WebhooksModule,
} from '@app/webhooks';
import { type AccountOptions, onAccount, operator } from '../command-context.js';
import { MAX_LISTED, printList } from '../listed-records.js';
import { Problem } from '../problem.js';

export interface RotateOptions extends AccountOptions {
  overlapHours: string;
}

export interface EndpointsOptions extends AccountOptions {
  state?: EndpointState;
}

const MODULES = [AccountsModule, WebhooksModule];

export async function rotateSecretCommand(env: Env, options: RotateOptions): Promise<void> {
  const overlapHours = hoursOf(options.overlapHours);
  const rotated = await onAccount(env, { modules: MODULES, needsKey: true }, options, ({ accountId, services }) =>
    services.get(WebhookSecretsService).rotate({ accountId, actor: operator() }, overlapHours),
  );
  if (options.json) return console.log(JSON.stringify(rotated, null, 2));
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

export async function endpointsCommand(env: Env, options: EndpointsOptions): Promise<void> {
  await onAccount(env, { modules: MODULES }, options, async ({ accountId, services }) => {
    const filter = { state: options.state, limit: MAX_LISTED, offset: 0 };
    const { endpoints, total } = await services.get(WebhookEndpointsService).list(accountId, filter);
    printList(options.json, endpoints, inOneLine, 'There are no endpoints.');
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

import { AccountsModule } from '@app/accounts';
import {
  CallLinksService,
  type CallRow,
  CallsModule,
  CallsService,
  type CallStatus,
  callView,
  callWithResultsView,
} from '@app/calls';
import { isUuid, isoTime, type Env } from '@app/common';
import { EgressModule } from '@app/egress';
import { StorageModule } from '@app/storage';
import { stringify } from 'yaml';
import { type AccountCommand, type AccountOptions, onAccount, print } from '../command-context.js';
import { Problem } from '../problem.js';

/** Views contain links to recordings, which the key signs. */
const CALLS: AccountCommand = {
  modules: [EgressModule, StorageModule, AccountsModule, CallsModule],
  needsKey: true,
};

const MAX_LISTED = 1_000;

export interface ListCallsOptions extends AccountOptions {
  status?: CallStatus;
  limit: string;
}

/** `trunkline calls list`: the newest calls. */
export async function listCallsCommand(env: Env, options: ListCallsOptions): Promise<void> {
  const perPage = Number(options.limit);
  if (!Number.isInteger(perPage) || perPage < 1 || perPage > MAX_LISTED)
    throw new Problem(`--limit must be between 1 and ${MAX_LISTED}.`);
  await onAccount(env, CALLS, options, async ({ accountId, services }) => {
    const filter = { status: options.status };
    const { rows } = await services.get(CallsService).slice(accountId, filter, { perPage });
    const links = services.get(CallLinksService);
    const views = rows.map((row) => callView(row, links));
    print(options.json, views, rows.length > 0 ? rows.map(inOneLine) : ['There are no such calls.']);
  });
}

const inOneLine = (call: CallRow): string =>
  [
    call.id,
    isoTime(call.created_at),
    call.direction,
    `${call.from_number} -> ${call.to_number}`,
    call.agent_name,
    call.status,
    ...(call.hangup_cause === null ? [] : [call.hangup_cause]),
  ].join('  ');

/** `trunkline calls show`: a call with its results, as the API returns it. */
export async function showCallCommand(env: Env, callId: string, options: AccountOptions): Promise<void> {
  if (!isUuid(callId)) throw new Problem(`${callId} is not the id of a call.`);
  await onAccount(env, CALLS, options, async ({ accountId, services }) => {
    const call = await services.get(CallsService).findWithResults(accountId, callId);
    const view = callWithResultsView(call, services.get(CallLinksService));
    print(options.json, view, [stringify(view).trimEnd()]);
  });
}

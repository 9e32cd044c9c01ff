import { AccountsModule } from '@app/accounts';
import {
  type CallChannel,
  CallLinksService,
  CallsModule,
  CallsService,
  type CallStatus,
  type CallView,
  callView,
  callWithResultsView,
} from '@app/calls';
import { isUuid, type Env } from '@app/common';
import { EgressModule } from '@app/egress';
import { StorageModule } from '@app/storage';
import { type AccountCommand, type AccountOptions, onAccount } from '../command-context.js';
import { limitOf, printList, printRecord } from '../listed-records.js';
import { Problem } from '../problem.js';

/** Views contain links to recordings, which the key signs. */
const CALLS: AccountCommand = {
  modules: [EgressModule, StorageModule, AccountsModule, CallsModule],
  needsKey: true,
};

export interface ListCallsOptions extends AccountOptions {
  status?: CallStatus;
  channel: CallChannel | 'any';
  limit: string;
}

/** `trunkline calls list`: the newest calls. */
export async function listCallsCommand(env: Env, options: ListCallsOptions): Promise<void> {
  const perPage = limitOf(options.limit);
  await onAccount(env, CALLS, options, async ({ accountId, services }) => {
    const channel = options.channel === 'any' ? undefined : options.channel;
    const filter = { status: options.status, channel };
    const { rows } = await services.get(CallsService).slice(accountId, filter, { perPage });
    const links = services.get(CallLinksService);
    const views = rows.map((row) => callView(row, links));
    printList(options.json, views, linesOf, 'No calls.');
  });
}

/** A line for each call, below it why it failed. */
const linesOf = (call: CallView): string[] => [
  [
    call.call_id,
    call.created_at,
    call.direction,
    `${call.from_number} -> ${call.to_number}`,
    call.agent,
    call.status,
    ...(call.hangup_cause === null ? [] : [call.hangup_cause]),
  ].join('  '),
  ...(call.failure === null ? [] : [`  ${call.failure.message}`]),
];

/** `trunkline calls show`: a call with its results, as the API returns it. */
export async function showCallCommand(env: Env, callId: string, options: AccountOptions): Promise<void> {
  if (!isUuid(callId)) throw new Problem(`${callId} is not the id of a call.`);
  await onAccount(env, CALLS, options, async ({ accountId, services }) => {
    const call = await services.get(CallsService).findWithResults(accountId, callId);
    printRecord(options.json, callWithResultsView(call, services.get(CallLinksService)));
  });
}

import { AccountsModule } from '@app/accounts';
import { CallsModule, DoNotCallImportService, DoNotCallService, type EntryView, entryView } from '@app/calls';
import type { Env } from '@app/common';
import { StorageModule } from '@app/storage';
import { createReadStream } from 'node:fs';
import { type AccountOptions, countryOf, onAccount, operator } from '../command-context.js';
import { limitOf, printList } from '../listed-records.js';
import { Problem } from '../problem.js';

export interface AddOptions extends AccountOptions {
  reason?: string;
  until?: string;
}

export interface ImportOptions extends AccountOptions {
  defaultCountry?: string;
}

export interface ListOptions extends AccountOptions {
  number?: string;
  limit: string;
}

const DO_NOT_CALL = { modules: [AccountsModule, StorageModule, CallsModule] };

/** `trunkline do-not-call add`: a number, or with a final `*` a prefix. */
export async function addEntryCommand(env: Env, number: string, options: AddOptions): Promise<void> {
  const expiresAt = options.until === undefined ? null : new Date(options.until);
  if (expiresAt && !(expiresAt > new Date())) throw new Problem('--until must be an ISO 8601 time in the future.');
  const { view, endedCalls } = await onAccount(env, DO_NOT_CALL, options, async ({ accountId, services }) => {
    const list = services.get(DoNotCallService);
    const read = await list.entryNumberOf(accountId, number);
    if ('problem' in read) throw new Problem(`The number ${read.problem}.`);
    return list.add({ accountId, actor: operator() }, { ...read, reason: options.reason ?? null, expiresAt });
  });
  if (options.json) return console.log(JSON.stringify({ ...view, ended_calls: endedCalls }, null, 2));
  console.log(`${inOneLine(view)}${endedCalls > 0 ? `\n${endedCalls} queued calls ended` : ''}`);
}

/** `trunkline do-not-call check`: exits with 1 when the number may not be called now. */
export async function checkNumberCommand(env: Env, number: string, options: AccountOptions): Promise<void> {
  const check = await onAccount(env, DO_NOT_CALL, options, async ({ accountId, services }) => {
    const list = services.get(DoNotCallService);
    const listed = await list.numberOf(accountId, number);
    if (!listed) throw new Problem('The number must be an E.164 number such as +15551234567.');
    return list.check(accountId, listed);
  });
  if (!check.allowed) process.exitCode = 1;
  if (options.json) return console.log(JSON.stringify(check, null, 2));
  const why = check.entry ? ` (${inOneLine(check.entry)})` : '';
  console.log(
    check.allowed ? `${check.number} may be called` : `${check.number} may not be called: ${check.reason}${why}`,
  );
}

/** `trunkline do-not-call import`: a CSV file, `-` for standard input. */
export async function importEntriesCommand(env: Env, file: string, options: ImportOptions): Promise<void> {
  const defaultCountry = countryOf(options.defaultCountry);
  const content = file === '-' ? process.stdin : createReadStream(file);
  const report = await onAccount(env, DO_NOT_CALL, options, ({ accountId, services }) =>
    services
      .get(DoNotCallImportService)
      .import({ accountId, actor: operator() }, { source: 'file', content, defaultCountry }),
  ).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === 'ENOENT' || code === 'EACCES' ? new Problem(message) : error;
  });
  if (options.json) return console.log(JSON.stringify(report, null, 2));
  for (const { line, problem } of report.refused_rows) console.error(`line ${line}: ${problem}`);
  console.log(
    `${report.added} added, ${report.unchanged} on the list already, ${report.refused} refused, ${report.ended_calls} queued calls ended`,
  );
}

/** `trunkline do-not-call list`: the newest entries. */
export async function listEntriesCommand(env: Env, options: ListOptions): Promise<void> {
  const perPage = limitOf(options.limit);
  const filter = { number: options.number };
  const { rows } = await onAccount(env, DO_NOT_CALL, options, ({ accountId, services }) =>
    services.get(DoNotCallService).page(accountId, filter, { page: 1, perPage }),
  );
  printList(options.json, rows.map(entryView), inOneLine, 'The list has no such entries.');
}

const inOneLine = ({ number, match, source, created_at: since, expires_at: until, reason }: EntryView): string =>
  [
    match === 'prefix' ? `${number}*` : number,
    source,
    since,
    ...(until === null ? [] : [`until ${until}`]),
    ...(reason === null ? [] : [reason]),
  ].join('  ');

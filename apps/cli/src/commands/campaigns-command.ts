import { AccountsModule, AccountsService } from '@app/accounts';
import {
  CampaignContactsService,
  type CampaignImportView,
  CampaignImportsService,
  CampaignProgressService,
  CampaignsModule,
  CampaignsService,
  type CampaignStatus,
  type CampaignView,
  contactsCsv,
  type DuplicateRule,
  type ImportPreview,
  ImportPreviewService,
} from '@app/campaigns';
import { parseDestination } from '@app/calls';
import { type Env, newId } from '@app/common';
import { EgressModule } from '@app/egress';
import { PART, StorageModule, uploadFolder, makePrivateFolder } from '@app/storage';
import { copyFile, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse as parseYaml } from 'yaml';
import {
  type AccountCommand,
  type AccountOptions,
  type AccountPlace,
  countryOf,
  onAccount,
  operator,
} from '../command-context.js';
import { MAX_LISTED, print, printList } from '../listed-records.js';
import { openOutput, Problem } from '../problem.js';

export interface ListCampaignsOptions extends AccountOptions {
  status?: CampaignStatus;
}

const CAMPAIGNS: AccountCommand = {
  modules: [EgressModule, StorageModule, AccountsModule, CampaignsModule],
  needsKey: true,
};

export async function listCampaignsCommand(env: Env, options: ListCampaignsOptions): Promise<void> {
  await onAccount(env, CAMPAIGNS, options, async ({ accountId, services }) => {
    const place = { page: 1, perPage: MAX_LISTED };
    const { campaigns, total } = await services
      .get(CampaignsService)
      .list(accountId, { status: options.status }, place);
    printList(options.json, campaigns, inOneLine, 'There are no campaigns.');
    if (total > campaigns.length) console.error(`Only the newest of ${total} campaigns are listed.`);
  });
}

const inOneLine = ({ id, name, status, pause_reason: reason, created_at: createdAt }: CampaignView): string =>
  [id, name, status, ...(reason === null ? [] : [reason]), createdAt].join('  ');

export async function showCampaignCommand(env: Env, campaign: string, options: AccountOptions): Promise<void> {
  await onAccount(env, CAMPAIGNS, options, async (place) => {
    const view = await campaignOf(place, campaign);
    const progress = await place.services.get(CampaignProgressService).find(place.accountId, view.id);
    const { contacts, outcomes, reasons, attempts, cost } = progress;
    print(options.json, { ...view, progress }, [
      inOneLine(view),
      `    contacts  ${countsOf(contacts)}`,
      `    outcomes  ${countsOf(outcomes) || 'none'}`,
      `    reasons  ${countsOf(reasons) || 'none'}`,
      `    attempts  ${attempts}, cost ${cost} USD`,
    ]);
  });
}

const countsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** Creates a draft from a file with the body of `POST /campaigns`, in YAML or JSON. */
export async function createCampaignCommand(env: Env, options: AccountOptions & { file: string }): Promise<void> {
  const body: unknown = parseYaml(await readFile(options.file, 'utf8'));
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Problem(`${options.file} must be a map with the fields of POST /campaigns.`);
  await onAccount(env, CAMPAIGNS, options, async ({ accountId, services }) => {
    const { view, ignored } = await services.get(CampaignsService).create({ accountId, actor: operator() }, body);
    if (ignored.length > 0) console.error(`Unknown fields were ignored: ${ignored.join(', ')}`);
    print(options.json, view, [inOneLine(view)]);
  });
}

export type CampaignChange = 'start' | 'pause' | 'resume' | 'cancel';

export async function changeCampaignCommand(
  env: Env,
  change: CampaignChange,
  campaign: string,
  options: AccountOptions,
): Promise<void> {
  await onAccount(env, CAMPAIGNS, options, async (place) => {
    const { id } = await campaignOf(place, campaign);
    const acting = { accountId: place.accountId, actor: operator() };
    const view = await place.services.get(CampaignsService)[change](acting, id);
    print(options.json, view, [inOneLine(view)]);
  });
}

export interface ImportOptions extends AccountOptions {
  duplicates: DuplicateRule;
  column: string[];
  encoding?: string;
  defaultCountry?: string;
  dryRun?: boolean;
}

/** Hands a file to the workers; they add the contacts. */
export async function importContactsCommand(
  env: Env,
  campaign: string,
  file: string,
  options: ImportOptions,
): Promise<void> {
  const folder = uploadFolder(env.TRUNKLINE_HOME);
  await makePrivateFolder(folder);
  // The import moves its file into the storage.
  const path = join(folder, `${newId()}${PART}`);
  try {
    await copyFile(file, path);
    await onAccount(env, CAMPAIGNS, options, async (place) => {
      const { id } = await campaignOf(place, campaign);
      const acting = { accountId: place.accountId, actor: operator() };
      const { duplicates, encoding } = options;
      const defaultCountry = countryOf(options.defaultCountry);
      const request = { columns: mappingOf(options.column), duplicates, encoding, defaultCountry };
      if (options.dryRun) {
        const preview = await place.services.get(ImportPreviewService).preview(acting.accountId, id, path, request);
        return print(options.json, preview, previewLines(preview));
      }
      const view = await place.services
        .get(CampaignImportsService)
        .begin(acting, id, { path, name: basename(file) }, request);
      print(options.json, view, [importLine(view), 'The workers add the contacts now.']);
    });
  } finally {
    await rm(path, { force: true });
  }
}

const previewLines = ({ columns, counts, is_complete: isComplete, refusals, errors }: ImportPreview): string[] => [
  ...columns.map(({ name, field }) => `${name}  ${field ?? 'ignored'}`),
  ...Object.values(errors).flat(),
  `${counts.added} would be added, ${counts.merged} merged, ${counts.refused} refused of ${isComplete ? '' : 'the first '}${counts.rows} rows`,
  ...refusals.map(({ rows, message, lines }) => `${rows} refused: ${message} (line ${lines.join(', ')})`),
];

const importLine = ({ id, status, file_name: name, columns }: CampaignImportView): string => {
  const used = columns.filter(({ field }) => field !== null).map((column) => `${column.name}=${column.field}`);
  return [id, name, status, used.join(' ')].join('  ');
};

/** `Phone=to_number`; an empty field ignores the column. Throws Problem. */
function mappingOf(columns: readonly string[]): Record<string, string | null> {
  const pairs = columns.map((text): [string, string | null] => {
    const at = text.lastIndexOf('=');
    if (at < 1) throw new Problem(`--column ${text} must be <name>=<field>, such as Phone=to_number.`);
    return [text.slice(0, at), text.slice(at + 1) || null];
  });
  return Object.fromEntries(pairs);
}

export async function exportContactsCommand(
  env: Env,
  campaign: string,
  options: AccountOptions & { output?: string },
): Promise<void> {
  await onAccount(env, CAMPAIGNS, options, async (place) => {
    const { id } = await campaignOf(place, campaign);
    const batches = place.services.get(CampaignContactsService).export(place.accountId, id);
    const text = Readable.from(options.json ? jsonLines(batches) : contactsCsv(batches), { highWaterMark: 1 });
    const target = options.output === undefined ? process.stdout : await openOutput(options.output);
    await pipeline(text, target, { end: options.output !== undefined });
  });
}

/** One contact per line. */
async function* jsonLines(batches: AsyncIterable<object[]>): AsyncGenerator<string> {
  for await (const contacts of batches) yield contacts.map((contact) => `${JSON.stringify(contact)}\n`).join('');
}

/** Why a number was not called, or not yet, in each campaign that has it. */
export async function whyCommand(env: Env, number: string, options: AccountOptions): Promise<void> {
  await onAccount(env, CAMPAIGNS, options, async ({ accountId, services }) => {
    const { number: e164 } = await services.get(AccountsService).readNumber(accountId, number);
    const parsed = parseDestination(e164 ?? number);
    if (parsed.kind === 'wrong') throw new Problem(parsed.problem);
    const found = await services.get(CampaignContactsService).ofNumber(accountId, parsed.address);
    const lines = found.map(({ campaign, contact }) => {
      const next = contact.next_attempt_at === null ? [] : [`next attempt ${contact.next_attempt_at}`];
      const last = contact.call_id === null ? [] : [`last call ${contact.call_id} ${contact.outcome ?? ''}`.trim()];
      return [campaign, contact.status, contact.explanation, ...next, ...last].join('  ');
    });
    print(options.json, found, lines.length > 0 ? lines : ['No campaign has this number.']);
  });
}

/** A campaign by its id or name. Throws Problem. */
async function campaignOf({ accountId, services }: AccountPlace, idOrName: string): Promise<CampaignView> {
  const campaigns = services.get(CampaignsService);
  const found = await campaigns.findByName(accountId, idOrName);
  if (found) return found;
  if (!/^[1-9]\d{0,8}$/.test(idOrName)) throw new Problem(`The account has no campaign "${idOrName}".`);
  return campaigns.find(accountId, Number(idOrName));
}

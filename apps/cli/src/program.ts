import type { TOOL_MODES } from '@app/agents/scenarios';
import { loadEnv, VERSION } from '@app/common';
import type { CALL_STATUSES } from '@app/calls';
import type { CAMPAIGN_STATUSES } from '@app/campaigns';
import type { DEFAULT_OVERLAP_HOURS, ENDPOINT_STATES } from '@app/webhooks';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { RebuildCommandOptions } from './commands/analytics-command.js';
import type { UpdateAccountOptions } from './commands/accounts-command.js';
import type { ApplyOptions } from './commands/apply-command.js';
import type { AuditOptions } from './commands/audit-command.js';
import type { ListCallsOptions } from './commands/calls-command.js';
import type { CampaignChange, ImportOptions, ListCampaignsOptions } from './commands/campaigns-command.js';
import type { AddOptions, ImportOptions as ImportEntriesOptions, ListOptions } from './commands/do-not-call-command.js';
import type { AccountOptions } from './command-context.js';
import { ROLES, type Role } from './supervisor/child-process.js';
import type { FromCallOptions } from './commands/scenario-command.js';
import type { SimulateOptions } from './commands/simulate-command.js';
import type { IssueOptions } from './commands/tokens-command.js';
import type { EndpointsOptions, RotateOptions } from './commands/webhooks-command.js';

// Help does not load the libraries; the types keep these values the same as theirs.
const toolModes: typeof TOOL_MODES = ['mock', 'live', 'record'];
const endpointStates: typeof ENDPOINT_STATES = ['active', 'disabled'];
const campaignStatuses: typeof CAMPAIGN_STATUSES = ['draft', 'running', 'paused', 'completed', 'cancelled'];
const callStatuses: typeof CALL_STATUSES = [
  'pending',
  'ringing',
  'in_progress',
  'completed',
  'failed',
  'no_answer',
  'busy',
  'cancelled',
];
const overlapHours: typeof DEFAULT_OVERLAP_HOURS = 24;

/** The command line. Each command is imported when it runs: help imports none, and a role only its own program. */
export function trunkline(): Command {
  const program = new Command('trunkline')
    .description(
      'Outbound calls by AI voice agents. Uses DATABASE_URL, or the installation that `trunkline start` runs here.',
    )
    .version(VERSION, '-v, --version', 'print the release')
    .showHelpAfterError('Add --help for the commands and options.');

  addProcessCommands(program);
  addWorkspaceCommands(program);
  addRecordCommands(program);
  addComplianceCommands(program);
  addTokenCommands(program);
  addDiagnosticCommands(program);
  addUpkeepCommands(program);
  addWebhookCommands(program);
  addCampaignCommands(program);
  addAnalyticsCommands(program);
  return program;
}

/** Starts processes and prepares the database. */
function addProcessCommands(program: Command): void {
  program
    .command('start')
    .description('run all processes (with an embedded PostgreSQL unless DATABASE_URL is set), or one role')
    .addOption(new Option('--role <role>', 'process to run').choices([...ROLES, 'all']).default('all'))
    .action(async ({ role }: { role: Role | 'all' }) => {
      if (role !== 'all')
        return (await import('./supervisor/start-role.js')).startRole(role, loadEnv(process.env, role));
      process.exitCode = await (await import('./supervisor/supervisor.js')).startAll(loadEnv());
    });

  program
    .command('demo')
    .description('run a complete example: a SIP call to the sandbox phone, its webhooks and its recording')
    .action(async () => {
      const { demo } = await import('./demo/demo-command.js');
      process.exitCode = (await demo()) ? 0 : 1;
    });

  program
    .command('migrate')
    .description('migrate the database to this release')
    .action(async () => (await import('./installation.js')).migrateCommand(loadEnv(process.env, 'migrate')));
}

/** Workspace files, trunks and the audit log. */
function addWorkspaceCommands(program: Command): void {
  program
    .command('apply')
    .description('create or update accounts, numbers, trunks and agents from a workspace file')
    .requiredOption('-f, --file <file>', 'workspace file (YAML or JSON); - for standard input')
    .option('--dry-run', 'print what would change, field by field, and change nothing')
    .option('--prune', 'delete numbers, trunks and agents of these accounts that the file does not name')
    .option('--json', 'print all records with their ids as JSON')
    .action(async (options: ApplyOptions) =>
      (await import('./commands/apply-command.js')).applyCommand(loadEnv(), options),
    );

  program
    .command('export')
    .description('write a workspace file from the database, without secrets')
    .option('--account <name>', 'only this account')
    .option('-o, --output <file>', 'output file; standard output by default')
    .action(async (options: { account?: string; output?: string }) =>
      (await import('./commands/export-command.js')).exportCommand(loadEnv(), options),
    );

  program
    .command('workspace-schema')
    .description('print the JSON Schema of workspace files, for editors; needs no database')
    .option('--reference', 'print the reference of all keys in Markdown instead')
    .action(async (options: { reference?: boolean }) =>
      (await import('./commands/export-command.js')).workspaceSchemaCommand(options),
    );

  program
    .command('trunks')
    .description('SIP trunks and their health')
    .command('list')
    .description('list trunks with the health of their targets and their live calls')
    .option('--account <name>', 'only this account')
    .option('--json')
    .action(async (options: { account?: string; json?: boolean }) =>
      (await import('./commands/trunks-command.js')).listTrunksCommand(loadEnv(), options),
    );

  program
    .command('audit')
    .description('list audit events, newest first')
    .option('--account <name>', 'only this account')
    .option('--action <action>', 'only this action, such as token.revoked')
    .option('--actor <actor>', 'only this actor: token, cli or system, optionally with an id: token:12')
    .option('--subject <subject>', 'only this subject: a kind, optionally with an id: tool:7')
    .option('--limit <count>', 'number of events, 1 to 1000', '50')
    .option('--json')
    .action(async (options: AuditOptions) =>
      (await import('./commands/audit-command.js')).auditCommand(loadEnv(), options),
    );
}

const ONE_ACCOUNT = ['--account <name>', 'name of the account; needed when there are several'] as const;

/** What an account has: its limits, numbers, agents and calls. */
function addRecordCommands(program: Command): void {
  const accounts = program.command('accounts').description('accounts with their limits and usage');
  accounts
    .command('list')
    .description('list accounts')
    .option('--json')
    .action(async (options: { json?: boolean }) =>
      (await import('./commands/accounts-command.js')).listAccountsCommand(loadEnv(), options),
    );
  accounts
    .command('show [name]')
    .description('show the limits and the usage of an account; without a name, of the only one')
    .option('--json')
    .action(async (name: string | undefined, options: { json?: boolean }) =>
      (await import('./commands/accounts-command.js')).showAccountCommand(loadEnv(), name, options),
    );

  accounts
    .command('update [name]')
    .description('change settings of an account; without a name, of the only one')
    .requiredOption(
      '--default-country <country>',
      'country of phone numbers without a country code, ISO 3166-1 alpha-2; none for none',
    )
    .option('--json')
    .action(async (name: string | undefined, options: UpdateAccountOptions) =>
      (await import('./commands/accounts-command.js')).updateAccountCommand(loadEnv(), name, options),
    );

  const numbers = program.command('numbers').description('phone numbers of an account');
  onAccount(numbers, 'list', 'list phone numbers by name').action(async (options: AccountOptions) =>
    (await import('./commands/numbers-command.js')).listNumbersCommand(loadEnv(), options),
  );
  onAccount(numbers, 'show <number>', 'show a number by its E.164 form, name or id').action(
    async (number: string, options: AccountOptions) =>
      (await import('./commands/numbers-command.js')).showNumberCommand(loadEnv(), number, options),
  );

  const agents = program.command('agents').description('agents of an account');
  onAccount(agents, 'list', 'list agents by name').action(async (options: AccountOptions) =>
    (await import('./commands/agents-command.js')).listAgentsCommand(loadEnv(), options),
  );
  onAccount(agents, 'show <agent>', 'show the settings of an agent by its name or id').action(
    async (agent: string, options: AccountOptions) =>
      (await import('./commands/agents-command.js')).showAgentCommand(loadEnv(), agent, options),
  );

  const calls = program.command('calls').description('calls of an account');
  onAccount(calls, 'list', 'list calls, newest first')
    .addOption(new Option('--status <status>', 'only calls with this status').choices(callStatuses))
    .addOption(
      new Option('--channel <channel>', 'calls over the phone, from web pages, or both')
        .choices(['phone', 'web', 'any'])
        .default('phone'),
    )
    .option('--limit <count>', 'number of calls, 1 to 1000', '50')
    .action(async (options: ListCallsOptions) =>
      (await import('./commands/calls-command.js')).listCallsCommand(loadEnv(), options),
    );
  onAccount(calls, 'show <id>', 'show a call with duration, cost and hangup cause').action(
    async (id: string, options: AccountOptions) =>
      (await import('./commands/calls-command.js')).showCallCommand(loadEnv(), id, options),
  );
}

/** A subcommand on one account. */
const onAccount = (parent: Command, words: string, description: string, json = 'print JSON'): Command =>
  parent
    .command(words)
    .description(description)
    .option(...ONE_ACCOUNT)
    .option('--json', json);

/** The do-not-call lists of accounts. */
function addComplianceCommands(program: Command): void {
  const list = program.command('do-not-call').description('numbers that an account does not call');
  const command: AddCommand = (words, description) => onAccount(list, words, description);

  command('add <number>', 'add a number; a final * covers all numbers that begin so')
    .option('--reason <text>', 'why it is not called')
    .option('--until <time>', 'end of the entry, ISO 8601; it does not end by default')
    .action(async (number: string, options: AddOptions) =>
      (await import('./commands/do-not-call-command.js')).addEntryCommand(loadEnv(), number, options),
    );

  command('check <number>', 'print whether a number may be called now; exits with 1 when it may not').action(
    async (number: string, options: AccountOptions) =>
      (await import('./commands/do-not-call-command.js')).checkNumberCommand(loadEnv(), number, options),
  );

  command('import <file>', 'add the numbers of a CSV file; - for standard input')
    .option(...DEFAULT_COUNTRY)
    .action(async (file: string, options: ImportEntriesOptions) =>
      (await import('./commands/do-not-call-command.js')).importEntriesCommand(loadEnv(), file, options),
    );

  command('list', 'list entries, newest first')
    .option('--number <prefix>', 'only numbers that begin so')
    .option('--limit <count>', 'number of entries, 1 to 1000', '50')
    .action(async (options: ListOptions) =>
      (await import('./commands/do-not-call-command.js')).listEntriesCommand(loadEnv(), options),
    );
}

function addTokenCommands(program: Command): void {
  const tokens = program.command('tokens').description('bearer tokens for the API');

  tokens
    .command('issue')
    .description('create a token; it is shown once')
    .option(...ONE_ACCOUNT)
    .option('--name <name>', 'name of the token', 'command line')
    .option('--scopes <scopes>', 'calls:read,calls:write,…; * for all', '*')
    .option('--expires <when>', 'lifetime (12h, 30d, 4w) or date; default: no expiry')
    .option('--json', 'print token, id, account and scopes')
    .action(async (options: IssueOptions) =>
      (await import('./commands/tokens-command.js')).issueCommand(loadEnv(), options),
    );

  tokens
    .command('list')
    .description('list tokens without their values')
    .option('--account <name>', 'only this account')
    .option('--json')
    .action(async (options: { account?: string; json?: boolean }) =>
      (await import('./commands/tokens-command.js')).listCommand(loadEnv(), options),
    );

  tokens
    .command('rotate <id>')
    .description('replace a token with a new one, which is shown once')
    .option('--overlap <time>', 'time for which the old token stays valid: 1h, 7d; 0 revokes it now', '1h')
    .option('--json', 'print token, id, account and scopes')
    .action(async (id: string, options: { overlap: string; json?: boolean }) =>
      (await import('./commands/tokens-command.js')).rotateCommand(loadEnv(), id, options),
    );

  tokens
    .command('revoke <id>')
    .description('revoke a token; all processes reject it within 5 s')
    .option('--json')
    .action(async (id: string, options: { json?: boolean }) =>
      (await import('./commands/tokens-command.js')).revokeCommand(loadEnv(), id, options),
    );
}

/** Checks an installation and its agents without a call. */
function addDiagnosticCommands(program: Command): void {
  program
    .command('doctor')
    .description('check the installation: one line per check, with a remedy; exit code 1 when a check fails')
    .option('--json', 'print the findings as JSON')
    .action(async (options: { json?: boolean }) => {
      const { doctor } = await import('./doctor/doctor-command.js');
      process.exitCode = (await doctor(options)) ? 0 : 1;
    });

  program
    .command('simulate <files...>')
    .description('simulate conversations with agents without a phone (docs/simulate.md); - for standard input')
    .option('--account <name>', 'account of the agent; overrides the file')
    .option('--agent <agent>', 'name or id of the agent; overrides the file')
    .addOption(new Option('--tools <mode>', 'tool mode; overrides the scenarios').choices(toolModes))
    .option('--repeat <n>', 'conversations of each scenario; overrides the scenarios', wholeNumber(100))
    .option('--pass-rate <rate>', 'share of the conversations that must pass, such as 0.95', rate)
    .option('--parallel <n>', 'scenarios at once, 4 by default', wholeNumber(32))
    .option('--junit [file]', 'write JUnit XML, to standard output without a file')
    .option('--json', 'print everything as JSON')
    .action(async (files: string[], options: SimulateOptions) => {
      const { simulateCommand } = await import('./commands/simulate-command.js');
      process.exitCode = await simulateCommand(loadEnv(), files, options);
    });

  program
    .command('scenario')
    .description('scenario files for tester callers')
    .command('from-call <id>')
    .description('write a stored call as a scenario (docs/simulate.md)')
    .option('--account <name>', 'account of the call; needed when there are several')
    .option('-o, --output <file>', 'output file; standard output by default')
    .action(async (id: string, options: FromCallOptions) =>
      (await import('./commands/scenario-command.js')).fromCallCommand(loadEnv(), id, options),
    );

  program
    .command('openapi')
    .description('write the OpenAPI document; needs no database')
    .option('-o, --output <file>', 'output file', 'openapi.json')
    .action(async ({ output }: { output: string }) => {
      const api = (await import(new URL('../../api/src/openapi.js', import.meta.url).href)) as {
        writeOpenApi(path: string): Promise<void>;
      };
      await api.writeOpenApi(output);
      console.log(`${output} is written.`);
    });
}

/** `/webhook-secrets` and `/webhook-endpoints` of the API, for operators. */
function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhooks').description('webhook signing secrets and endpoints');
  webhooks
    .command('rotate-secret')
    .description('create a new signing secret; it is printed once')
    .option(...ONE_ACCOUNT)
    .option(
      '--overlap-hours <hours>',
      'hours for which the previous secret also signs; 0 revokes it now',
      `${overlapHours}`,
    )
    .option('--json', 'print id, secret and times')
    .action(async (options: RotateOptions) =>
      (await import('./commands/webhooks-command.js')).rotateSecretCommand(loadEnv(), options),
    );
  webhooks
    .command('endpoints')
    .description('list webhook endpoints and their health')
    .option(...ONE_ACCOUNT)
    .addOption(new Option('--state <state>', 'only endpoints in this state').choices(endpointStates))
    .option('--json')
    .action(async (options: EndpointsOptions) =>
      (await import('./commands/webhooks-command.js')).endpointsCommand(loadEnv(), options),
    );
}

/** Backup, restore and key rotation (docs/operate). */
function addUpkeepCommands(program: Command): void {
  program
    .command('backup <folder>')
    .description('write a consistent snapshot of all rows and the stored files to a new folder')
    .option('--without-files', 'omit recordings and documents, if the storage is backed up separately')
    .action(async (folder: string, options: { withoutFiles?: boolean }) =>
      (await import('./backup/backup-commands.js')).backupCommand(loadEnv(), folder, options),
    );
  program
    .command('restore <folder>')
    .description('restore a backup into an empty database, and its files into the storage')
    .action(async (folder: string) => (await import('./backup/backup-commands.js')).restoreCommand(loadEnv(), folder));
  program
    .command('rekey')
    .description('re-encrypt all secrets with SECRET_KEY; SECRET_KEY_FALLBACKS contains the current key')
    .action(async () => (await import('./backup/backup-commands.js')).rekeyCommand(loadEnv()));
}

/** The rollups of `GET /analytics` (docs/operate/analytics.md). */
function addAnalyticsCommands(program: Command): void {
  program
    .command('analytics')
    .description('rollups of ended calls (docs/operate/analytics.md)')
    .command('rebuild')
    .description(
      'rebuild the rollups from the calls while the service runs; needed once after the upgrade that added analytics',
    )
    .option('--account <name>', 'only this account')
    .option('--from <time>', 'only calls created from this date (UTC) or ISO 8601 time on')
    .option('--json', 'print JSON')
    .action(async (options: RebuildCommandOptions) =>
      (await import('./commands/analytics-command.js')).rebuildAnalyticsCommand(loadEnv(), options),
    );
}

const CAMPAIGN_CHANGES: Record<CampaignChange, string> = {
  start: 'start a draft',
  pause: 'pause a campaign; no further call is dialled',
  resume: 'resume a paused campaign',
  cancel: 'end a campaign for ever',
};

/** `/campaigns` of the API, for operators. Campaigns are named by name or id. */
function addCampaignCommands(program: Command): void {
  const campaigns = program.command('campaigns').description('calls to lists of contacts (docs/campaigns.md)');
  const add: AddCommand = (words, description) =>
    onAccount(
      campaigns,
      words,
      description,
      words.startsWith('export') ? 'print one contact per line as JSON' : undefined,
    );
  addSettingCommands(add);
  addContactCommands(add);
}

type AddCommand = (words: string, description: string) => Command;

function addSettingCommands(add: AddCommand): void {
  add('list', 'list campaigns, newest first')
    .addOption(new Option('--status <status>', 'only campaigns with this status').choices(campaignStatuses))
    .action(async (options: ListCampaignsOptions) =>
      (await import('./commands/campaigns-command.js')).listCampaignsCommand(loadEnv(), options),
    );
  add('show <campaign>', 'show a campaign and its progress').action(async (name: string, options: AccountOptions) =>
    (await import('./commands/campaigns-command.js')).showCampaignCommand(loadEnv(), name, options),
  );
  add('create', 'create a draft')
    .requiredOption('-f, --file <file>', 'YAML or JSON file with the fields of POST /campaigns')
    .action(async (options: AccountOptions & { file: string }) =>
      (await import('./commands/campaigns-command.js')).createCampaignCommand(loadEnv(), options),
    );
  for (const [change, description] of Object.entries(CAMPAIGN_CHANGES))
    add(`${change} <campaign>`, description).action(async (name: string, options: AccountOptions) =>
      (await import('./commands/campaigns-command.js')).changeCampaignCommand(
        loadEnv(),
        change as CampaignChange,
        name,
        options,
      ),
    );
}

function addContactCommands(add: AddCommand): void {
  add('import <campaign> <file>', 'add the rows of a CSV file or an Excel workbook as contacts; the workers read it')
    .option('--column <name=field>', 'field of a column, repeatable: Phone=to_number, Name=variables.name', collect, [])
    .addOption(
      new Option('--duplicates <rule>', 'what happens to known numbers').choices(['merge', 'refuse']).default('merge'),
    )
    .option('--encoding <name>', 'encoding of the file; default: detected')
    .option(...DEFAULT_COUNTRY)
    .option('--dry-run', 'print how many rows would be added and refused for which reasons, and add nothing')
    .action(async (name: string, file: string, options: ImportOptions) =>
      (await import('./commands/campaigns-command.js')).importContactsCommand(loadEnv(), name, file, options),
    );
  add('export <campaign>', 'write all contacts with their results as CSV')
    .option('-o, --output <file>', 'output file; standard output by default')
    .action(async (name: string, options: AccountOptions & { output?: string }) =>
      (await import('./commands/campaigns-command.js')).exportContactsCommand(loadEnv(), name, options),
    );
  add('why <number>', 'show why a number was not called, or not yet').action(
    async (number: string, options: AccountOptions) =>
      (await import('./commands/campaigns-command.js')).whyCommand(loadEnv(), number, options),
  );
}

const DEFAULT_COUNTRY = [
  '--default-country <country>',
  'country of numbers without a country code, such as DE; default: that of the account',
] as const;

const collect = (value: string, earlier: string[]): string[] => [...earlier, value];

const wholeNumber =
  (most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= 1 && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
  };

const rate = (text: string): number => {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 1) return value;
  throw new InvalidArgumentError('It must be above 0 and at most 1.');
};

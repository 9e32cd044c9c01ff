import { loadEnv, VERSION } from '@app/common';
import { migrate } from '@app/db';
import { TOOL_MODES } from '@app/agents';
import { Command, Option } from 'commander';
import { auditCommand, type AuditOptions } from './audit-command.js';
import { applyCommand } from './apply-command.js';
import { ROLES, type Role } from './children.js';
import { demo } from './demo.js';
import { doctor } from './doctor.js';
import { databaseUrl } from './instance.js';
import { simulateCommand } from './simulate-command.js';
import { startRole } from './start-role.js';
import { startAll } from './supervisor.js';
import { issueCommand, listCommand, revokeCommand, rotateCommand } from './tokens-command.js';
import { listTrunksCommand } from './trunks-command.js';
import { addUpkeepCommands } from './upkeep-commands.js';
import { addWebhookCommands } from './webhook-commands.js';

/** Everything that can be asked for at the command line. */
export function trunkline(): Command {
  const program = new Command('trunkline')
    .description('Outbound calls by AI voice agents. Works on DATABASE_URL, or on what `trunkline start` runs here.')
    .version(VERSION, '-v, --version', 'print the release')
    .showHelpAfterError();

  program
    .command('start')
    .description(
      'run everything (with an embedded PostgreSQL unless DATABASE_URL is set), or one part of an installation',
    )
    .addOption(new Option('--role <role>', 'which part').choices([...ROLES, 'all']).default('all'))
    .action(async ({ role }: { role: Role | 'all' }) => {
      const env = loadEnv();
      if (role !== 'all') return startRole(role, env);
      process.exitCode = await startAll(env);
    });

  program
    .command('demo')
    .description('the whole story once: a real call to a sandbox phone, its webhooks and its recording')
    .action(async () => {
      process.exitCode = (await demo()) ? 0 : 1;
    });

  program
    .command('migrate')
    .description('bring the database to this release')
    .action(async () => {
      const names = await migrate(databaseUrl(loadEnv()));
      console.log(names.length > 0 ? names.join('\n') : 'The database is up to date.');
    });

  program
    .command('apply')
    .description('create or update accounts, numbers, trunks and agents from a workspace file')
    .requiredOption('-f, --file <file>', 'the workspace file (YAML or JSON); - for standard input')
    .option('--json', 'print the tree with the id of every record')
    .action((options: { file: string; json?: boolean }) => applyCommand(loadEnv(), options));

  const tokens = program.command('tokens').description('bearer tokens for the API');

  tokens
    .command('issue')
    .description('make a token; it is shown once')
    .requiredOption('--account <name>', 'whose')
    .option('--name <name>', 'what it is for', 'command line')
    .option('--scopes <scopes>', 'calls:read,calls:write,…; * for all', '*')
    .option('--expires <when>', '12h, 30d, 4w or a date; never when left out')
    .option('--json', 'print token, id, account and scopes')
    .action((options: Parameters<typeof issueCommand>[1]) => issueCommand(loadEnv(), options));

  tokens
    .command('list')
    .description('show all tokens, without the tokens themselves')
    .option('--account <name>', 'of one account')
    .option('--json')
    .action((options: { account?: string; json?: boolean }) => listCommand(loadEnv(), options));

  tokens
    .command('rotate <id>')
    .description('make a new token in the place of one; it is shown once')
    .option('--overlap <time>', 'how long the old one works: 1h, 7d; 0 ends it now', '1h')
    .option('--json', 'print token, id, account and scopes')
    .action((id: string, options: { overlap: string; json?: boolean }) => rotateCommand(loadEnv(), id, options));

  tokens
    .command('revoke <id>')
    .description('end a token; processes notice within 5 s')
    .option('--json')
    .action((id: string, options: { json?: boolean }) => revokeCommand(loadEnv(), id, options));

  program
    .command('trunks')
    .description('trunks and their health')
    .command('list')
    .description('show all trunks, whether their carriers answer, and how many calls they carry')
    .option('--account <name>', 'of one account')
    .option('--json')
    .action((options: { account?: string; json?: boolean }) => listTrunksCommand(loadEnv(), options));

  program
    .command('audit')
    .description('show who did what, newest first')
    .option('--account <name>', 'of one account')
    .option('--action <action>', 'such as token.revoked')
    .option('--actor <actor>', 'token, cli or system, or one of them with its id: token:12')
    .option('--subject <subject>', 'a kind, or a kind and an id: tool:7')
    .option('--limit <count>', 'how many, 1 to 1000', '50')
    .option('--json')
    .action((options: AuditOptions) => auditCommand(loadEnv(), options));

  program
    .command('doctor')
    .description('examine the installation: one line per check, with a remedy; exit code 1 when something is wrong')
    .option('--json', 'print the findings as JSON')
    .action(async (options: { json?: boolean }) => {
      process.exitCode = (await doctor(options)) ? 0 : 1;
    });

  program
    .command('simulate <files...>')
    .description('play conversations with agents without a phone (docs/simulate.md); - for standard input')
    .option('--account <name>', 'whose agent; counts more than the file')
    .option('--agent <agent>', 'name or id; counts more than the file')
    .addOption(new Option('--tools <mode>', 'instead of what the scenarios say').choices(TOOL_MODES))
    .option('--junit [file]', 'write JUnit XML, to standard output without a file')
    .option('--json', 'print everything as JSON')
    .action(async (files: string[], options: Parameters<typeof simulateCommand>[2]) => {
      process.exitCode = await simulateCommand(loadEnv(), files, options);
    });

  program
    .command('openapi')
    .description('write the OpenAPI document; needs no database')
    .option('-o, --output <file>', 'where to', 'openapi.json')
    .action(async ({ output }: { output: string }) => {
      const api = (await import(new URL('../../api/src/openapi.js', import.meta.url).href)) as {
        writeOpenApi(path: string): Promise<void>;
      };
      await api.writeOpenApi(output);
      console.log(`${output} is written.`);
    });

  addUpkeepCommands(program);
  addWebhookCommands(program);
  return program;
}

import { AccountsService, type FirstCallRecords } from '@app/accounts';
import { AgentsService } from '@app/agents';
import { WorkspaceService } from '@app/workspace';
import { SCOPES, TokenLookupService, TokensService } from '@app/auth';
import { WebhookSecretsService } from '@app/webhooks';
import type { INestApplicationContext } from '@nestjs/common';
import { join } from 'node:path';
import { readJson, writePrivateJson } from '../installation-home.js';

/** Token and records for a first call; null: the token's account has no such record. */
export interface Workspace extends FirstCallRecords {
  token: string;
  account_id: number;
  agent_id: number | null;
  webhook_secret: string | null;
}

/** `demo.json`, mode 0600. A token is shown only once, so `start` stores the token that it issued. */
interface Kept {
  token: string;
  /** The account that `start` created, with a trunk to the sandbox phone; absent when the operator chose the token. */
  account?: string;
  sip_port?: number;
}

const ACCOUNT = 'demo';
const fileIn = (home: string): string => join(home, 'demo.json');

/** The port of the documentation's examples; `start` takes a free port if it is in use. */
const DEFAULT_PHONE_PORT = 5070;

/** The sandbox phone's port of the last run: its address stays the same across starts. */
export const lastPhonePort = (home: string): number =>
  (readJson(fileIn(home)) as Kept | undefined)?.sip_port ?? DEFAULT_PHONE_PORT;

/**
 * Creates the demo workspace if the database has no account, otherwise finds the workspace of earlier starts. Updates the demo trunk
 * when the sandbox phone has a new port.
 * @param token BOOTSTRAP_TOKEN: the token of a new workspace, or the token that finds the account of an existing one
 * @returns undefined when the database accepts no known token
 */
export async function openWorkspace(
  services: INestApplicationContext,
  home: string,
  phonePort: number,
  token: string | undefined,
): Promise<Workspace | undefined> {
  if (!(await services.get(AccountsService).any())) await create(services, home, phonePort, token);
  const kept = (readJson(fileIn(home)) as Kept | undefined) ?? (token ? { token } : undefined);
  const found = kept && (await describe(services, kept.token));
  if (found && kept?.account && kept.sip_port !== phonePort) {
    await services.get(WorkspaceService).apply(phoneTrunk(kept.account, phonePort), 'demo workspace');
    writePrivateJson(fileIn(home), { ...kept, sip_port: phonePort });
  }
  return found;
}

async function create(services: INestApplicationContext, home: string, phonePort: number, token: string | undefined) {
  const { accounts } = await services.get(WorkspaceService).apply(demoFile(phonePort), 'demo workspace');
  const [account] = accounts;
  if (!account) throw new Error('The demo workspace has no account.');
  const command = { accountId: account.id, name: 'npm start', scopes: SCOPES, token };
  const issued = await services.get(TokensService).issue(command);
  writePrivateJson(fileIn(home), { token: issued.token, account: ACCOUNT, sip_port: phonePort } satisfies Kept);
}

/** JSON is YAML. */
const demoFile = (phonePort: number): string =>
  JSON.stringify({
    accounts: [
      {
        name: ACCOUNT,
        // The first number and the first agent are those of `ready.json`.
        numbers: [
          { name: 'main', e164: '+15550001111', agent: 'Receptionist' },
          { name: 'pipeline', e164: '+15550001112', agent: 'Pipeline' },
        ],
        // Softphones on this machine may call in.
        trunks: [{ ...sandboxTrunk(phonePort), inbound: { addresses: ['127.0.0.1'] } }],
        agents: [
          {
            name: 'Receptionist',
            provider: 'sandbox',
            instructions: 'You are the receptionist of a small company. Greet, listen, say goodbye.',
            greeting: 'Hello, this is the Trunkline demo agent. How can I help you?',
          },
          {
            // Absent legs are those of the sandbox, which need no key.
            name: 'Pipeline',
            provider: 'pipeline',
            instructions: 'You are the receptionist of a small company. Greet, listen, say goodbye.',
            greeting: 'Hello, this is the Trunkline pipeline agent. How can I help you?',
          },
        ],
      },
    ],
  });

const sandboxTrunk = (port: number) => ({ name: 'sandbox-phone', host: '127.0.0.1', port, transport: 'udp' });

const phoneTrunk = (account: string, port: number): string =>
  JSON.stringify({ accounts: [{ name: account, trunks: [sandboxTrunk(port)] }] });

async function describe(services: INestApplicationContext, token: string): Promise<Workspace | undefined> {
  const principal = await services.get(TokenLookupService).find(token);
  if (!principal) return undefined;
  const { accountId } = principal;
  const agentId = (await services.get(AgentsService).firstActive(accountId)) ?? null;
  const records = await services.get(AccountsService).firstCallRecords(accountId);
  const [secret] = await services.get(WebhookSecretsService).current(accountId);
  return { token, account_id: accountId, agent_id: agentId, ...records, webhook_secret: secret ?? null };
}

import { applyWorkspace, issueToken, SCOPES, TokenLookup } from '@app/accounts';
import type { Encryption } from '@app/common';
import { poolOf, rows } from '@app/database';
import { currentSecrets } from '@app/webhooks';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { hasAccount } from '../installation.repository.js';
import { readJson, writePrivateJson } from '../instance.js';

/** What a first call needs; null where the token's account has none (any more). */
export interface Workspace {
  token: string;
  account_id: number;
  agent_id: number | null;
  number_id: number | null;
  trunk_id: number | null;
  webhook_secret: string | null;
  /** Rings an agent when it is called from this machine; null where none does. */
  answered_number: string | null;
}

/** Tokens are shown once, so `start` keeps the one it made. Mode 0600. */
interface Kept {
  token: string;
  /** The account that `start` made, with a trunk to the sandbox phone; absent when the token is the operator's. */
  account?: string;
  sip_port?: number;
}

const ACCOUNT = 'demo';
const fileIn = (home: string): string => join(home, 'demo.json');

/** The port of the examples in the documentation; another one when it is in use. */
const DEFAULT_PHONE_PORT = 5070;

/** The port of the sandbox phone in the last run, so that it keeps its address. */
export const lastPhonePort = (home: string): number =>
  (readJson(fileIn(home)) as Kept | undefined)?.sip_port ?? DEFAULT_PHONE_PORT;

/**
 * Makes the demo workspace when the database has no account, and finds the one of earlier starts otherwise. When the sandbox
 * phone moved to another port, its trunk follows.
 * @param token BOOTSTRAP_TOKEN: becomes the token of a new workspace, and finds the account of an existing one.
 * @returns undefined when no token is known that this database accepts.
 */
export async function openWorkspace(
  dataSource: DataSource,
  encryption: Encryption,
  home: string,
  phonePort: number,
  token: string | undefined,
): Promise<Workspace | undefined> {
  const pool = poolOf(dataSource);
  if (!(await hasAccount(pool))) await create(dataSource, encryption, home, phonePort, token);
  const kept = (readJson(fileIn(home)) as Kept | undefined) ?? (token ? { token } : undefined);
  const found = kept && (await describe(pool, encryption, kept.token));
  if (found && kept?.account && kept.sip_port !== phonePort) {
    await applyWorkspace(dataSource, encryption, phoneTrunk(kept.account, phonePort), 'demo workspace');
    writePrivateJson(fileIn(home), { ...kept, sip_port: phonePort });
  }
  return found;
}

async function create(
  dataSource: DataSource,
  encryption: Encryption,
  home: string,
  phonePort: number,
  token: string | undefined,
) {
  const { accounts } = await applyWorkspace(dataSource, encryption, demoFile(phonePort), 'demo workspace');
  const [account] = accounts;
  if (!account) throw new Error('The demo workspace has no account.');
  const issued = await issueToken(dataSource, { accountId: account.id, name: 'npm start', scopes: SCOPES, token });
  writePrivateJson(fileIn(home), { token: issued.token, account: ACCOUNT, sip_port: phonePort } satisfies Kept);
}

/** JSON is YAML. */
const demoFile = (phonePort: number): string =>
  JSON.stringify({
    accounts: [
      {
        name: ACCOUNT,
        numbers: [{ name: 'main', e164: '+15550001111', agent: 'Receptionist' }],
        // Softphones on this machine may call in.
        trunks: [{ ...sandboxTrunk(phonePort), inbound: { addresses: ['127.0.0.1'] } }],
        agents: [
          {
            name: 'Receptionist',
            provider: 'sandbox',
            instructions: 'You are the receptionist of a small company. Greet, listen, say goodbye.',
            greeting: 'Hello, this is the Trunkline demo agent. How can I help you?',
          },
        ],
      },
    ],
  });

const sandboxTrunk = (port: number) => ({ name: 'sandbox-phone', host: '127.0.0.1', port, transport: 'udp' });

const phoneTrunk = (account: string, port: number): string =>
  JSON.stringify({ accounts: [{ name: account, trunks: [sandboxTrunk(port)] }] });

async function describe(pool: Pool, encryption: Encryption, token: string): Promise<Workspace | undefined> {
  const principal = await new TokenLookup(pool, { ttlMs: 0 }).find(token);
  if (!principal) return undefined;
  const { accountId } = principal;
  const text = `SELECT
    (SELECT id FROM agents WHERE account_id = $1 AND active ORDER BY id LIMIT 1) AS agent_id,
    (SELECT id FROM phone_numbers WHERE account_id = $1 AND active ORDER BY id LIMIT 1) AS number_id,
    (SELECT id FROM sip_trunks WHERE account_id = $1 AND active ORDER BY id LIMIT 1) AS trunk_id,
    (SELECT e164 FROM phone_numbers WHERE account_id = $1 AND active AND agent_id IS NOT NULL AND EXISTS (
        SELECT FROM sip_trunks WHERE account_id = $1 AND active AND inbound_enabled AND '127.0.0.1' = ANY (inbound_addresses))
      ORDER BY id LIMIT 1) AS answered_number`;
  const [ids] = await rows<Omit<Workspace, 'token' | 'account_id' | 'webhook_secret'>>(pool, { text }, [accountId]);
  const [secret] = await currentSecrets(pool, encryption, accountId);
  if (!ids) throw new Error('The workspace was not read.');
  return { token, account_id: accountId, ...ids, webhook_secret: secret ?? null };
}

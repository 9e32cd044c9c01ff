import { microsOf, type Encryption } from '@app/common';
import { type Actor, inTransaction, poolOf, rows, THE_SERVICE } from '@app/database';
import { createWebhookSecret, currentSecrets } from '@app/webhooks';
import { dirname } from 'node:path';
import type { DataSource } from 'typeorm';
import type { ScriptProblems } from './agent-script.js';
import { type AppliedTrunk, applyTrunk } from './apply-trunk.js';
import { type ApplyWork, given } from './apply-work.js';
import { retentionColumns } from './retention.js';
import { saveAccount, saveNoted } from './save-noted.js';
import { column, type SaveResult } from './save-row.js';
import { storedWebhook } from './sealed-columns.js';
import { providerOptions } from './provider-options.js';
import { parseWorkspace } from './workspace-file.js';
import type { AccountNode, AgentNode, NumberNode } from './workspace-schema.js';

/** A node of the file without its secrets, with its id and what became of it. */
export type Applied<Node, Secret extends keyof Node = never> = { id: number; result: SaveResult } & Omit<Node, Secret>;

export interface AppliedAccount {
  id: number;
  result: SaveResult;
  name: string;
  /** Signs the account's webhooks; whoever receives them needs it. */
  webhook_secret: string;
  limits?: AccountNode['limits'];
  retention?: AccountNode['retention'];
  numbers: Applied<NumberNode>[];
  trunks: AppliedTrunk[];
  agents: Applied<AgentNode, 'post_call_webhook' | 'call_status_webhook'>[];
}

export interface WorkspaceTree {
  accounts: AppliedAccount[];
}

/** Any constant: the advisory lock that makes two files wait for each other. */
const APPLY_LOCK = 7_216_035;
const UNIQUE_VIOLATION = '23505';

/**
 * Creates and updates accounts, numbers, trunks and agents by name, all or nothing; never deletes. A new account gets a
 * webhook secret. Files that it names are read as seen from the folder of `fileName`. Applying the same file again changes nothing and says `unchanged`.
 * Throws WorkspaceError with the lines that are wrong. What can be said against a script is for whoever plays it.
 */
export async function applyWorkspace(
  dataSource: DataSource,
  encryption: Encryption,
  yamlText: string,
  fileName: string,
  { scriptProblems = () => [], actor = THE_SERVICE }: { scriptProblems?: ScriptProblems; actor?: Actor } = {},
): Promise<WorkspaceTree> {
  const file = parseWorkspace(yamlText, fileName);
  const folder = dirname(fileName);
  return inTransaction(poolOf(dataSource), async (sql) => {
    await sql.query('SELECT pg_advisory_xact_lock($1)', [APPLY_LOCK]);
    const accounts: AppliedAccount[] = [];
    for (const [index, node] of file.workspace.accounts.entries()) {
      accounts.push(await applyAccount({ sql, encryption, file, folder, index, scriptProblems, actor }, node));
    }
    return { accounts };
  });
}

async function applyAccount(work: ApplyWork, node: AccountNode): Promise<AppliedAccount> {
  const { name, limits, retention } = node;
  const saved = await saveAccount(work, name, { ...limitColumns(limits), ...retentionColumns(retention) });
  if (saved.result === 'created')
    await createWebhookSecret(work.sql, work.encryption, { accountId: saved.id, actor: work.actor });
  const numbers: AppliedAccount['numbers'] = [];
  for (const [at, item] of node.numbers.entries()) numbers.push(await applyNumber(work, saved.id, item, at));
  const trunks: AppliedAccount['trunks'] = [];
  for (const [at, item] of node.trunks.entries()) trunks.push(await applyTrunk(work, saved.id, item, at));
  const agents: AppliedAccount['agents'] = [];
  for (const [at, item] of node.agents.entries()) agents.push(await applyAgent(work, saved.id, item, at));
  for (const [at, item] of node.numbers.entries()) {
    if (item.agent !== undefined && (await assignAgent(work, saved.id, item, at))) markUpdated(numbers[at]);
  }
  const [webhookSecret = ''] = await currentSecrets(work.sql, work.encryption, saved.id);
  return {
    ...saved,
    name,
    webhook_secret: webhookSecret,
    ...(limits ? { limits } : {}),
    ...(retention ? { retention } : {}),
    numbers,
    trunks,
    agents,
  };
}

function limitColumns(limits: AccountNode['limits']) {
  const spend = limits?.daily_spend_usd;
  const storage = limits?.storage_bytes;
  return {
    concurrent_calls: given(limits?.concurrent_calls),
    calls_per_second: given(limits?.calls_per_second),
    queued_calls: given(limits?.queued_calls),
    requests_per_minute: given(limits?.requests_per_minute),
    // bigint columns come back as text.
    daily_spend_micros: given(typeof spend === 'number' ? String(microsOf(spend)) : spend),
    storage_bytes: given(typeof storage === 'number' ? String(storage) : storage),
    destinations_allow: given(limits?.destinations?.allow),
    destinations_deny: given(limits?.destinations?.deny),
  };
}

async function applyNumber(
  work: ApplyWork,
  accountId: number,
  node: NumberNode,
  at: number,
): Promise<Applied<NumberNode>> {
  const { name, e164, active } = node;
  try {
    const columns = { e164: column(e164), active: given(active) };
    const saved = await saveNoted(work, 'number', { accountId, name }, columns);
    return { ...saved, ...node };
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    throw work.file.fault(
      ['accounts', work.index, 'numbers', at, 'e164'],
      `${e164} is already a number of the account`,
    );
  }
}

/** After the agents, which may be in the same file. True when the number has another agent than before. */
async function assignAgent(
  work: ApplyWork,
  accountId: number,
  { name, agent }: NumberNode,
  at: number,
): Promise<boolean> {
  const path = ['accounts', work.index, 'numbers', at, 'agent'];
  const agentId = await idOf(work, 'agents', accountId, agent, path);
  const saved = await saveNoted(work, 'number', { accountId, name }, { agent_id: column(agentId) });
  return saved.result === 'updated';
}

function markUpdated(applied: { result: SaveResult } | undefined): void {
  if (applied?.result === 'unchanged') applied.result = 'updated';
}

async function applyAgent(
  work: ApplyWork,
  accountId: number,
  node: AgentNode,
  at: number,
): Promise<AppliedAccount['agents'][number]> {
  const { name, post_call_webhook: postCall, call_status_webhook: callStatus, ...shown } = node;
  const transfer = shown.call_transfer;
  const saved = await saveNoted(
    work,
    'agent',
    { accountId, name },
    {
      provider: given(shown.provider),
      provider_options: await providerOptions(work, accountId, node, at),
      instructions: given(shown.instructions),
      greeting: given(shown.greeting),
      active: given(shown.active),
      max_call_seconds: given(shown.max_call_seconds),
      ring_timeout_seconds: given(shown.ring_timeout_seconds),
      post_call_webhook: postCall === undefined ? undefined : storedWebhook(work.encryption, postCall),
      call_status_webhook: callStatus === undefined ? undefined : storedWebhook(work.encryption, callStatus),
      answering_machine: given(shown.answering_machine),
      conversation: given(shown.conversation),
      transfer_enabled: given(transfer?.enabled),
      transfer_phone_number: given(transfer?.phone_number),
      transfer_caller_id_number_id: given(
        await idOf(work, 'phone_numbers', accountId, transfer?.caller_id_number, [
          'accounts',
          work.index,
          'agents',
          at,
          'call_transfer',
          'caller_id_number',
        ]),
      ),
    },
  );
  return { ...saved, name, ...shown };
}

const CALLED = { phone_numbers: 'a number', agents: 'an agent' };

/** The id of what has that name in the account; null clears it, undefined keeps it. */
async function idOf(
  work: ApplyWork,
  table: keyof typeof CALLED,
  accountId: number,
  name: string | null | undefined,
  path: PropertyKey[],
) {
  if (typeof name !== 'string') return name;
  const statement = { text: `SELECT id FROM ${table} WHERE account_id = $1 AND name = $2` };
  const [row] = await rows<{ id: number }>(work.sql, statement, [accountId, name]);
  if (row) return row.id;
  throw work.file.fault(path, `"${name}" is not the name of ${CALLED[table]} of this account`);
}

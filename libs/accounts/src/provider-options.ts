import { rows, type StoredProviderOptions } from '@app/database';
import { scriptOf } from './agent-script.js';
import type { ApplyWork } from './apply-work.js';
import { OPTION_KEYS } from './provider-node.js';
import { column, type ColumnValue } from './save-row.js';
import type { AgentNode } from './workspace-schema.js';

/** What is to be stored of an agent's choices; undefined: the file says nothing about them. `null` clears one, keys that are left out stay. */
export async function providerOptions(
  work: ApplyWork,
  accountId: number,
  node: AgentNode,
  at: number,
): Promise<ColumnValue | undefined> {
  const script = scriptOf(work, node, at);
  const said = OPTION_KEYS.filter((key) => node[key] !== undefined);
  if (said.length === 0 && script === undefined) return undefined;
  const { script: before, ...stored } = await storedOptions(work.sql, accountId, node.name);
  const merged = withoutEmpty({ ...stored, ...Object.fromEntries(said.map((key) => [key, node[key]])) });
  // As it was written: an argument of a tool may well be null.
  const played = script === undefined ? before : script;
  return column({ ...(merged as object), ...(played === undefined || played === null ? {} : { script: played }) });
}

async function storedOptions(sql: ApplyWork['sql'], accountId: number, name: string): Promise<StoredProviderOptions> {
  const text = 'SELECT provider_options FROM agents WHERE account_id = $1 AND name = $2 FOR UPDATE';
  const [row] = await rows<{ provider_options: StoredProviderOptions }>(sql, { text }, [accountId, name]);
  return row?.provider_options ?? {};
}

/** As it comes back from the database: without keys that are undefined, and without those that were cleared. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, one]) => one !== undefined && one !== null);
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutEmpty(one)]));
}

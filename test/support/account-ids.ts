import { v7 as newId } from 'uuid';
import type { AccountTables } from './account-rows.js';

/** Collections in paths, and names of id fields, whose table has another name. */
const TABLE_OF: Readonly<Record<string, string>> = {
  analyses: 'analysis_batches',
  batches: 'analysis_batches',
  commands: 'call_commands',
  contacts: 'campaign_contacts',
  imports: 'campaign_imports',
  recordings: 'calls',
  transcripts: 'calls',
  tests: 'knowledge_tests',
  trunks: 'sip_trunks',
  numbers: 'phone_numbers',
  tokens: 'api_tokens',
  deliveries: 'webhook_deliveries',
  // A callback is named by its token, of which the table has the hash only: an id is an unknown token.
  tool_callbacks: 'tool_invocations',
  versions: 'agent_versions',
};

/** Tables whose records paths name by another column than `id`, below the agent that owns them. */
export const KEY_OF_AGENT: Readonly<Record<string, string>> = { agent_versions: 'version' };

/** Of LiveKit, and of an OpenID Connect issuer. */
const FOREIGN_IDS: readonly string[] = ['livekit_trunk_id', 'client_id'];

/** `agent_id`, `ids`, `transfer_caller_id_number_id`: fields that name a record of this service. */
export const isIdField = (name: string): boolean => /(?:^|_)ids?$/.test(name) && !FOREIGN_IDS.includes(name);

/** The table of a path's id, derived from the segment before it: `/tools/{id}`. */
export function tableOfPath(path: string, parameter: string, tables: AccountTables): string {
  const parts = path.split('/');
  const collection = parts[parts.indexOf(`{${parameter}}`) - 1] ?? '';
  return known(collection.replaceAll('-', '_'), tables, `the path parameter {${parameter}} of ${path}`);
}

/** The table of an id field, derived from the word before `id`: `trunk_id`. */
export function tableOfField(field: string, path: string, tables: AccountTables): string {
  const words = (field.split('.').at(-1) ?? '').replace(/_ids?$/, '').split('_');
  const names = words.map((_, index) => `${words.slice(index).join('_')}s`.replace(/ys$/, 'ies'));
  const fits = names.find((name) => tables.names.includes(TABLE_OF[name] ?? name));
  return known(fits ?? names[0] ?? '', tables, `the field ${field} of ${path}`);
}

function known(name: string, tables: AccountTables, what: string): string {
  const table = TABLE_OF[name] ?? name;
  if (tables.names.includes(table)) return table;
  throw new Error(
    `Nothing is known of the ids of ${what}: there is no table ${table}. Add the table they come from to TABLE_OF in test/support/account-ids.ts.`,
  );
}

/** Fields of a body that must be unique in the account, and those that `field` needs beside it. */
export function ownFields(route: string, field: string | undefined): Record<string, unknown> {
  if (route === 'POST /api/v1/campaigns') return { name: newId() };
  const closed = field === 'closed.agent_id' && { closed: { action: 'agent' } };
  const flow = field?.startsWith('flow.') && { flow: { start: 'greet', steps: [{ name: 'greet' }] } };
  if (route === 'POST /api/v1/agents') return { name: newId(), ...flow };
  if (route !== 'POST /api/v1/numbers') return { ...closed, ...flow };
  return { name: newId(), e164: `+1555${newId().replaceAll(/\D/g, '').slice(-7)}`, ...closed };
}

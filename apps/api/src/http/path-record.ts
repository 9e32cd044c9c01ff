import { isUuid } from '@app/common';
import type { PathTable, RecordPlace } from '@app/database';
import { parseRecordId } from './path-params.js';

interface Collection {
  table: PathTable;
  /** As its 404 names it. */
  what: string;
  key: 'integer' | 'uuid';
}

/** By the part of a path that stands before the id. */
const COLLECTIONS: Readonly<Record<string, Collection>> = {
  agents: { table: 'agents', what: 'Agent', key: 'integer' },
  calls: { table: 'calls', what: 'Call', key: 'uuid' },
  'knowledge-bases': { table: 'knowledge_bases', what: 'Knowledge base', key: 'integer' },
  tokens: { table: 'api_tokens', what: 'Token', key: 'integer' },
  'tool-invocations': { table: 'tool_invocations', what: 'Tool invocation', key: 'uuid' },
  tools: { table: 'tools', what: 'Tool', key: 'integer' },
  trunks: { table: 'sip_trunks', what: 'Trunk', key: 'integer' },
  'webhook-deliveries': { table: 'webhook_deliveries', what: 'Webhook delivery', key: 'uuid' },
  'webhook-endpoints': { table: 'webhook_endpoints', what: 'Webhook endpoint', key: 'integer' },
  'webhook-secrets': { table: 'webhook_secrets', what: 'Webhook secret', key: 'integer' },
};

export interface PathRecord {
  what: string;
  /** Undefined: an id in the path is malformed, so that there is no such record. */
  place: RecordPlace | undefined;
}

/**
 * The innermost record that a path names, told by the template of its route (`/api/v1/agents/:agent_id/tools/:id`). Undefined when
 * the path names none.
 */
export function recordOfPath(template: string, params: Readonly<Record<string, unknown>>): PathRecord | undefined {
  const parts = template.split('/');
  const named = parts.flatMap((part, index) => {
    const collection = part.startsWith(':') ? COLLECTIONS[parts[index - 1] ?? ''] : undefined;
    return collection ? [{ ...collection, id: idOf(collection, params[part.slice(1)]) }] : [];
  });
  const record = named.at(-1);
  if (!record) return undefined;
  const { table, what, id } = record;
  const agent = named.length > 1 ? named.find((one) => one.table === 'agents') : undefined;
  if (id === undefined || (agent && typeof agent.id !== 'number')) return { what, place: undefined };
  return { what, place: { table, id, agentId: agent?.id as number | undefined } };
}

function idOf({ key }: Collection, value: unknown): number | string | undefined {
  const text = String(value);
  if (key === 'integer') return parseRecordId(text);
  return isUuid(text) ? text : undefined;
}

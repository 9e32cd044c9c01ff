import { isUuid } from '@app/common';
import type { PathTable, RecordPlace } from '@app/database';
import type { NextFunction, Request, Response } from 'express';
import { parseRecordId } from '../validation/path-params.js';

/** The template of the request's route. */
export function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'unmatched';
}

/** The part of a router layer that the types of Express do not declare. */
interface RouteLayer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods of a path, for the Allow header (RFC 9110 §10.2.1); empty when no route has the path. */
export function allowedMethods({ app, path }: Request): string[] {
  const layers = app.router.stack as unknown as RouteLayer[];
  const taken = layers.flatMap((layer) => (layer.route && layer.match(path) ? Object.keys(layer.route.methods) : []));
  const methods = new Set(taken.map((method) => method.toUpperCase()));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].toSorted();
}

/** Responds to OPTIONS with the methods of the path. An unknown path returns 404 as for every other method. */
export function handleOptions(request: Request, response: Response, next: NextFunction): void {
  const methods = request.method === 'OPTIONS' ? allowedMethods(request) : [];
  if (methods.length === 0) return next();
  response.setHeader('Allow', methods.join(', '));
  response.status(204).end();
}

interface Collection {
  table: PathTable;
  /** Name in the 404 message. */
  name: string;
  key: 'integer' | 'uuid';
}

/** By the path segment before the id. */
const COLLECTIONS: Readonly<Record<string, Collection>> = {
  agents: { table: 'agents', name: 'Agent', key: 'integer' },
  analyses: { table: 'analysis_batches', name: 'Analysis batch', key: 'uuid' },
  calls: { table: 'calls', name: 'Call', key: 'uuid' },
  campaigns: { table: 'campaigns', name: 'Campaign', key: 'integer' },
  contacts: { table: 'campaign_contacts', name: 'Contact', key: 'uuid' },
  imports: { table: 'campaign_imports', name: 'Import', key: 'uuid' },
  'do-not-call': { table: 'do_not_call', name: 'Do-not-call entry', key: 'uuid' },
  'knowledge-bases': { table: 'knowledge_bases', name: 'Knowledge base', key: 'integer' },
  'mcp-servers': { table: 'mcp_servers', name: 'MCP server', key: 'integer' },
  numbers: { table: 'phone_numbers', name: 'Number', key: 'integer' },
  sessions: { table: 'sessions', name: 'Session', key: 'integer' },
  'test-runs': { table: 'test_runs', name: 'Test run', key: 'uuid' },
  tests: { table: 'knowledge_tests', name: 'Knowledge test', key: 'integer' },
  tokens: { table: 'api_tokens', name: 'Token', key: 'integer' },
  'tool-invocations': { table: 'tool_invocations', name: 'Tool invocation', key: 'uuid' },
  tools: { table: 'tools', name: 'Tool', key: 'integer' },
  versions: { table: 'agent_versions', name: 'Version', key: 'integer' },
  trunks: { table: 'sip_trunks', name: 'Trunk', key: 'integer' },
  'webhook-deliveries': { table: 'webhook_deliveries', name: 'Webhook delivery', key: 'uuid' },
  'webhook-endpoints': { table: 'webhook_endpoints', name: 'Webhook endpoint', key: 'integer' },
  'webhook-secrets': { table: 'webhook_secrets', name: 'Webhook secret', key: 'integer' },
};

export interface PathRecord {
  name: string;
  /** Undefined: an id in the path is malformed. */
  place: RecordPlace | undefined;
}

/**
 * The innermost record of a path, by the template of its route (`/api/v1/agents/:agent_id/tools/:id`). Undefined for a path
 * without a record.
 */
export function recordOfPath(template: string, params: Readonly<Record<string, unknown>>): PathRecord | undefined {
  const parts = template.split('/');
  const named = parts.flatMap((part, index) => {
    const collection = part.startsWith(':') ? COLLECTIONS[parts[index - 1] ?? ''] : undefined;
    return collection ? [{ ...collection, id: idOf(collection, params[part.slice(1)]) }] : [];
  });
  const record = named.at(-1);
  if (!record) return undefined;
  const { table, name, id } = record;
  const agent = named.length > 1 ? named.find((one) => one.table === 'agents') : undefined;
  if (id === undefined || (agent && typeof agent.id !== 'number')) return { name, place: undefined };
  return { name, place: { table, id, agentId: agent?.id as number | undefined } };
}

function idOf({ key }: Collection, value: unknown): number | string | undefined {
  const text = String(value);
  if (key === 'integer') return parseRecordId(text);
  return isUuid(text) ? text : undefined;
}

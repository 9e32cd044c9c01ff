import { type ConnectRequest, ProviderUnavailable, type RealtimeServer } from '@app/voice';
import { createHash } from 'node:crypto';

type Role = Pick<ConnectRequest, 'agent' | 'metadata'>;

/** The script with the agent and the metadata of a call. */
export function playedRole(script: unknown, { agent, metadata }: Role): object {
  const { name, greeting, language } = agent;
  const played = { name, greeting: greeting.trim() || undefined, language };
  if (!isObject(script)) return { agent: played };
  return { ...script, agent: { ...played, ...(isObject(script.agent) ? script.agent : {}) }, metadata };
}

/**
 * Opens something that plays a role: `open` gets the name of the model that stands for it. The server learns the role before, unless it
 * knows it. Rejects with ProviderUnavailable when the role cannot be played.
 */
export async function playRole<Opened>(
  server: RealtimeServer,
  role: object,
  signal: AbortSignal,
  open: (model: string) => Promise<Opened>,
): Promise<Opened> {
  const body = JSON.stringify(role);
  const id = createHash('sha256').update(body).digest('hex');
  const known = rolesKnownBy(server);
  if (known.has(id)) {
    try {
      return await open(`script-${id}`);
    } catch (error) {
      // A restarted server has no roles yet.
      if (!(error instanceof ProviderUnavailable)) throw error;
    }
  }
  await register(server, id, body, signal);
  if (known.size >= MAX_KNOWN) known.clear();
  known.add(id);
  return open(`script-${id}`);
}

async function register({ url, key }: RealtimeServer, id: string, body: string, signal: AbortSignal): Promise<void> {
  const target = new URL(`/v1/scripts/${id}`, url.replace(/^ws/, 'http'));
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(target, { method: 'PUT', body, headers, signal });
  const refusal = await answer.text();
  if (answer.status === 422) throw new ProviderUnavailable(`The script of the agent cannot be played: ${refusal}`);
  if (!answer.ok) throw new Error(`The sandbox server takes no script (HTTP ${answer.status}).`);
}

/** Fewer than the server keeps. */
const MAX_KNOWN = 500;

/** Digests of the roles that a server has, by its address: most calls of an agent play the same role and need not send it again. */
const KNOWN = new Map<string, Set<string>>();

function rolesKnownBy({ url, key }: RealtimeServer): Set<string> {
  const address = `${url} ${key}`;
  const roles = KNOWN.get(address) ?? new Set<string>();
  KNOWN.set(address, roles);
  return roles;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

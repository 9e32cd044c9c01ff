import { ask } from './client.js';
import { may } from './me.js';
import { type ApiPath, apiPath } from './path.js';
import type {
  Agent,
  AgentVersion,
  Campaign,
  KnowledgeBase,
  ListOf,
  McpServer,
  PhoneNumber,
  Scope,
  Token,
  Tool,
  Trunk,
} from './types.js';

const PER_PAGE = 100;
/** A select of more than 1,000 options is useless. */
const MAX_PAGES = 10;

/** The records of a list; none, and no request, if the session may not read them. */
async function list<T>(scope: Scope, path: ApiPath, signal: AbortSignal): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; may(scope) && page <= MAX_PAGES; page += 1) {
    const { data, meta } = await ask<ListOf<T>>('GET', path, { query: { per_page: PER_PAGE, page }, signal });
    all.push(...data);
    if (page >= meta.last_page) break;
  }
  return all;
}

export const agentsOf = (signal: AbortSignal): Promise<Agent[]> => list('agents:read', apiPath`agents`, signal);
export const numbersOf = (signal: AbortSignal): Promise<PhoneNumber[]> =>
  list('numbers:read', apiPath`numbers`, signal);
export const trunksOf = (signal: AbortSignal): Promise<Trunk[]> => list('trunks:read', apiPath`trunks`, signal);
export const campaignsOf = (signal: AbortSignal): Promise<Campaign[]> =>
  list('campaigns:read', apiPath`campaigns`, signal);
/** A campaign that still calls, or can. */
export const isOpenCampaign = ({ status }: Campaign): boolean => status !== 'completed' && status !== 'cancelled';
export const tokensOf = (signal: AbortSignal): Promise<Token[]> => list('tokens:read', apiPath`tokens`, signal);
export const versionsOf = (agentId: string, signal: AbortSignal): Promise<AgentVersion[]> =>
  versionsAt(apiPath`agents/${agentId}/versions`, signal);
/** `path`: that of the versions of an agent. */
export const versionsAt = (path: ApiPath, signal: AbortSignal): Promise<AgentVersion[]> =>
  list('agents:read', path, signal);
export const toolsOf = (agentId: number, signal: AbortSignal): Promise<Tool[]> =>
  list('tools:read', apiPath`agents/${agentId}/tools`, signal);
export const mcpServersOf = (agentId: number, signal: AbortSignal): Promise<McpServer[]> =>
  list('tools:read', apiPath`agents/${agentId}/mcp-servers`, signal);
export const knowledgeOf = (agentId: number, signal: AbortSignal): Promise<KnowledgeBase[]> =>
  list('knowledge:read', apiPath`agents/${agentId}/knowledge-bases`, signal);

/** The name that `npm start` gives to the trunk of its sandbox phone. */
const SANDBOX_TRUNK = 'sandbox-phone';

/** `127.0.0.1:5070`; undefined without a sandbox phone. */
export function sandboxPhone(trunks: readonly Trunk[]): string | undefined {
  const target = trunks.find(({ name, active }) => name === SANDBOX_TRUNK && active)?.targets[0];
  return target && `${target.host}:${target.port ?? 5060}`;
}

import type { McpServer, NewTool, Tool, WholeAgent } from '../api/types.js';
import { isJsonObject } from './form-or-json.js';
import { readYaml } from './yaml-text.js';

/** The API returns this in place of a secret value. */
const MASK = '********';

/** The parts of an agent that are no settings of it. */
const OWN = ['id', 'version', 'canary', 'created_at', 'updated_at'] as const;

/** An agent as a file, and as the request that creates it. */
interface AgentNode extends Record<string, unknown> {
  name: string;
}

/** A tool with its requests, as the request that creates it. */
type ToolNode = NewTool;

/** An exported agent: `agents` has the form of a workspace file; `agent_tools` has the tools with requests, by the name of the agent. */
export interface AgentFile {
  agents: AgentNode[];
  agent_tools: Record<string, ToolNode[]>;
}

interface ExportedAgent {
  file: AgentFile;
  /** The headers whose secret values the API does not return. */
  omitted: string[];
}

/** An agent with its tools and MCP servers, without the values of secret headers, which the API does not return. */
export function exportedAgent(agent: WholeAgent, tools: readonly Tool[], servers: readonly McpServer[]): ExportedAgent {
  const omitted: string[] = [];
  const settings = Object.entries(agent).filter(([name]) => !(OWN as readonly string[]).includes(name));
  const node = {
    ...Object.fromEntries(settings.map(([name, value]) => [name, withoutMasks(value, name, omitted)])),
    name: agent.name,
    tools: servers.map(({ name, url, headers, tools: used, timeout_seconds }) => ({
      mcp: withoutMasks({ name, url, headers, tools: used, timeout_seconds }, `MCP server ${name}`, omitted),
    })),
  };
  const own = tools.filter(({ mcp }) => mcp === null).map((tool) => toolNode(tool, omitted));
  return { file: { agents: [node], agent_tools: own.length === 0 ? {} : { [agent.name]: own } }, omitted };
}

function toolNode(
  {
    id: _id,
    agent_id: _agent,
    agent_ids: _agents,
    mcp: _mcp,
    created_at: _created,
    updated_at: _updated,
    webhook_actions: actions,
    ...tool
  }: Tool,
  omitted: string[],
): ToolNode {
  const requests = actions.map(({ id: _id, ...action }) => withoutMasks(action, `tool ${tool.name}`, omitted));
  return { ...tool, webhook_actions: requests };
}

/** A copy without masked headers: those of webhooks are a list of keys and values, those of requests a map. */
function withoutMasks<T>(value: T, where: string, omitted: string[]): T {
  if (!isJsonObject(value) || !('headers' in value)) return value;
  const { headers }: { headers?: unknown } = value;
  if (Array.isArray(headers)) {
    const kept = headers.filter((one: { key: string; value: string }) => one.value !== MASK);
    for (const one of headers as { key: string }[]) if (!kept.includes(one)) omitted.push(`${where}: ${one.key}`);
    return { ...value, headers: kept };
  }
  if (!isJsonObject(headers)) return value;
  const kept = Object.entries(headers).filter(([, text]) => text !== MASK);
  for (const [name, text] of Object.entries(headers)) if (text === MASK) omitted.push(`${where}: ${name}`);
  return { ...value, headers: kept.length === 0 ? null : Object.fromEntries(kept) };
}

/** The same for another account: ids of records of this one are left out. */
export function portable({ file, omitted }: ExportedAgent): ExportedAgent {
  const left: string[] = [...omitted];
  const agents = file.agents.map((node) => {
    const { call_transfer: transfer } = node;
    if (!isJsonObject(transfer) || (transfer['caller_id_number_id'] ?? null) === null) return node;
    const { caller_id_number_id: _id, ...others } = transfer;
    left.push('call_transfer: caller_id_number_id');
    return { ...node, call_transfer: others };
  });
  return { file: { ...file, agents }, omitted: left };
}

/**
 * The agents of a file, YAML or JSON: an export, a workspace file (`accounts: [{ agents: […] }]`, or `agents: […]`), or one agent.
 * `problem`: a sentence about what is wrong with the file.
 */
export async function agentsIn(text: string): Promise<AgentFile | { problem: string }> {
  const found = await readYaml(text);
  if ('problem' in found) return { problem: `The file is not an export of an agent. ${found.problem}` };
  const { accounts, agents, agent_tools: tools } = found.value;
  const nodes = Array.isArray(agents)
    ? (agents as unknown[])
    : Array.isArray(accounts)
      ? (accounts as unknown[]).flatMap((account) =>
          isJsonObject(account) && Array.isArray(account['agents']) ? (account['agents'] as unknown[]) : [],
        )
      : [found.value];
  const named = nodes.filter((node): node is AgentNode => isJsonObject(node) && typeof node['name'] === 'string');
  if (named.length === 0 || named.length !== nodes.length)
    return { problem: 'The file has no agents: each needs a name.' };
  return { agents: named, agent_tools: isJsonObject(tools) ? (tools as AgentFile['agent_tools']) : {} };
}

/** A name that is not taken: `Receptionist (copy)`, `Receptionist (copy 2)`. */
export function copyName(name: string, taken: readonly string[]): string {
  const base = name.replace(/ \(copy(?: \d+)?\)$/, '');
  for (let count = 1; ; count += 1) {
    const candidate = `${base} (copy${count === 1 ? '' : ` ${count}`})`;
    if (!taken.includes(candidate)) return candidate;
  }
}

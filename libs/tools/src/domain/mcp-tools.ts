import { isJsonObject, jsonLimitProblem, type JsonSchema, SCHEMA_BYTES, schemaProblems } from '@app/json-schema';
import { DESCRIPTION_LENGTH, RESERVED_NAMES, TOOL_NAME } from './limits.js';

/** `changed`: the server lists other tools than the pinned ones. `unreachable`: the last check failed. */
export const MCP_SERVER_STATES = ['connected', 'changed', 'unreachable'] as const;
export type McpServerState = (typeof MCP_SERVER_STATES)[number];

/** Servers of one agent. */
export const MCP_SERVERS_PER_AGENT = 10;
/** Tools of one server. */
export const MCP_TOOLS_PER_SERVER = 64;
/** Short, because it may become the prefix of a tool's name. */
export const MCP_SERVER_NAME = /^[a-z][a-z0-9_]{0,31}$/;
export const MCP_TOOL_NAME_LENGTH = 128;

/** A usable tool as a server lists it. */
export interface OfferedTool {
  /** The name on the server. */
  name: string;
  description: string;
  parameters: JsonSchema;
}

/** A tool that the server lists but agents cannot use. */
export interface SkippedTool {
  name: string;
  reason: string;
}

export interface McpChange {
  /** The name on the server. */
  tool: string;
  change: 'added' | 'changed' | 'removed';
  /** Sentences such as `parameters.properties.city.type: "string" became "integer"`. */
  differences: string[];
}

/** Characters of a name of the server that errors and reasons repeat. */
const SHOWN_NAME = 64;
const NO_FIELDS: Record<string, unknown> = {};
const NESTED = { bytes: SCHEMA_BYTES, depth: 32 };

/** The tools of a `tools/list` result: the usable ones in their order, and the others with the reason. */
export function offeredTools(
  listed: readonly unknown[],
  allowed: readonly string[] | null,
): { tools: OfferedTool[]; skipped: SkippedTool[] } {
  const tools = new Map<string, OfferedTool>();
  const skipped: SkippedTool[] = [];
  for (const one of listed) {
    const { name, description, title, inputSchema } = isJsonObject(one) ? one : NO_FIELDS;
    if (allowed && !(typeof name === 'string' && allowed.includes(name))) continue;
    const reason = toolProblem(name, inputSchema) ?? (tools.has(name as string) ? 'The name occurs twice.' : undefined);
    if (reason) {
      skipped.push({ name: (typeof name === 'string' ? name : '').slice(0, SHOWN_NAME), reason });
      continue;
    }
    const text = [description, title, name].find((one) => typeof one === 'string' && one.trim() !== '') as string;
    tools.set(name as string, {
      name: name as string,
      description: storable(text).trim().slice(0, DESCRIPTION_LENGTH),
      parameters: JSON.parse(JSON.stringify(inputSchema)) as JsonSchema,
    });
  }
  return { tools: [...tools.values()], skipped: skipped.slice(0, MCP_TOOLS_PER_SERVER) };
}

/** PostgreSQL stores no null character, and neither column nor model a lone surrogate. */
const storable = (text: string): string => text.replaceAll('\0', '').replaceAll(/\p{Surrogate}/gu, '\ufffd');

function toolProblem(name: unknown, schema: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'The tool has no name.';
  if (name.length > MCP_TOOL_NAME_LENGTH || storable(name) !== name)
    return `The name must have at most ${MCP_TOOL_NAME_LENGTH} characters, without control characters.`;
  const limit = jsonLimitProblem(schema ?? null, NESTED);
  if (limit) return `The input schema ${limit}.`;
  const [problem] = Object.values(schemaProblems(schema)).flat();
  return problem?.replace('parameters', 'input schema');
}

/**
 * The name of a server's tool for the model: in snake_case, with the name of the server before it if it is reserved or taken, and a number
 * after it if that is taken as well.
 */
export function nameForModel(tool: string, server: string, taken: ReadonlySet<string>): string {
  const isFree = (name: string) => TOOL_NAME.test(name) && !RESERVED_NAMES.includes(name) && !taken.has(name);
  const plain = snakeCase(tool) || 'tool';
  const prefixed = `${server}_${plain}`.slice(0, 64);
  if (isFree(plain)) return plain;
  if (isFree(prefixed)) return prefixed;
  let count = 2;
  const numbered = () => `${prefixed.slice(0, 60)}_${count}`;
  while (!isFree(numbered())) count += 1;
  return numbered();
}

/** `getWeather`, `get-weather` and `get.weather` become `get_weather`; TOOL_NAME does not accept every result. */
const snakeCase = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 64);

/** The difference between pinned tools and those that a server offers now; empty: none. */
export function mcpChanges(pinned: readonly OfferedTool[], offered: readonly OfferedTool[]): McpChange[] {
  const now = new Map(offered.map((tool) => [tool.name, tool]));
  const before = new Set(pinned.map(({ name }) => name));
  const changes = pinned.flatMap((tool): McpChange[] => {
    const other = now.get(tool.name);
    if (!other) return [{ tool: tool.name, change: 'removed', differences: [] }];
    const differences = [
      ...differencesOf(tool.description, other.description, 'description'),
      ...differencesOf(tool.parameters, other.parameters, 'parameters'),
    ];
    return differences.length === 0 ? [] : [{ tool: tool.name, change: 'changed', differences: shown(differences) }];
  });
  const added = offered.filter(({ name }) => !before.has(name));
  return [...changes, ...added.map(({ name }) => ({ tool: name, change: 'added' as const, differences: [] }))];
}

const MAX_DIFFERENCES = 20;

function shown(differences: string[]): string[] {
  const more = differences.length - MAX_DIFFERENCES;
  return more <= 0 ? differences : [...differences.slice(0, MAX_DIFFERENCES), `${more} more differences`];
}

function differencesOf(before: unknown, after: unknown, path: string): string[] {
  if (isBranch(before) && isBranch(after) && Array.isArray(before) === Array.isArray(after)) {
    const [one, other] = [before as Record<string, unknown>, after as Record<string, unknown>];
    const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...keys].flatMap((key) => differencesOf(one[key], other[key], `${path}.${key}`));
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (before === undefined) return [`${path}: ${brief(after)} was added`];
  if (after === undefined) return [`${path}: ${brief(before)} was removed`];
  return [`${path}: ${brief(before)} became ${brief(after)}`];
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;

function brief(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 199).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

import { z } from 'zod';
import { workspaceSchema } from './workspace-schema.js';

interface JsonSchema {
  type?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  maxLength?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  default?: unknown;
}

/** The JSON Schema of a workspace file, for editors. */
export function workspaceJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(workspaceSchema, { io: 'input', unrepresentable: 'any' });
  return { ...schema, title: 'Workspace file of Trunkline' };
}

/** The reference page of all keys of a workspace file, in Markdown. */
export function workspaceReference(): string {
  const { properties } = workspaceJsonSchema() as JsonSchema;
  const account = properties?.accounts?.items;
  if (!account) throw new Error('The schema of workspace files has no accounts.');
  return `${INTRODUCTION}\n${sections('accounts[]', account).join('\n')}`;
}

const INTRODUCTION = `# Keys of a workspace file

\`bin/trunkline workspace-schema\` generates this page and [workspace.schema.json](workspace.schema.json) from the schema that validates the
files. Editors with a YAML language server complete and check a file that begins with

\`\`\`yaml
# yaml-language-server: $schema=docs/workspace.schema.json
\`\`\`

An absent key keeps the stored value; a new record gets the default. \`null\` clears a value where the type allows it. [Workspace file](workspace.md)
explains how files are applied and exported.
`;

/**
 * A table of the keys of a map, and those of the maps inside. `shown`: the paths of the tables by their keys, so that equal maps have one
 * table.
 */
function sections(path: string, schema: JsonSchema, shown = new Map<string, string>()): string[] {
  const keys = Object.entries(schema.properties ?? {});
  const maps = keys.flatMap(([key, one]): [string, string, JsonSchema][] => {
    const [map, isList] = mapIn(one);
    return map?.properties ? [[key, `${path}.${key}${isList ? '[]' : ''}`, map]] : [];
  });
  const others = new Map<string, string>();
  const own: [string, JsonSchema][] = [];
  for (const [key, place, map] of maps) {
    const content = JSON.stringify(map.properties);
    const before = shown.get(content);
    if (before === undefined) {
      shown.set(content, place);
      own.push([place, map]);
    } else others.set(key, ` Keys as in \`${before}\`.`);
  }
  const rows = keys.map(([key, one]) => {
    const required = schema.required?.includes(key) ? ' (required)' : '';
    return `| \`${key}\`${required} | ${typeOf(one)} | ${one.description ?? ''}${others.get(key) ?? ''} |`;
  });
  const table = `## \`${path}\`\n\n| Key | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
  return [table, ...own.flatMap(([place, map]) => sections(place, map, shown))];
}

/** The map that a key holds, or the elements of its list. */
function mapIn(schema: JsonSchema): [JsonSchema | undefined, boolean] {
  const [only, ...others] = (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null');
  if (others.length > 0) return [undefined, false];
  return only?.items ? [only.items, true] : [only, false];
}

function typeOf(schema: JsonSchema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.type === 'array') return schema.items ? `list of ${typeOf(schema.items)}` : 'list';
  const names: Record<string, string> = {
    object: 'map',
    string: 'text',
    integer: 'whole number',
    boolean: 'true or false',
  };
  const name = names[schema.type ?? ''] ?? schema.type ?? 'any';
  return `${name}${boundsOf(schema)}`;
}

function boundsOf({ minimum, exclusiveMinimum, maximum, maxLength }: JsonSchema): string {
  if (maxLength !== undefined) return `, up to ${maxLength} characters`;
  const from = minimum ?? (exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`);
  if (from === undefined || maximum === undefined) return '';
  return `, ${from} to ${maximum}`;
}

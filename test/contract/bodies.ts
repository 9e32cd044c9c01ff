import type { Operation, Schema } from '../support/api-document.js';
import { wrongValues } from './wrong-values.js';

export interface WrongBody {
  case: string;
  /** JSON text with placeholders. */
  body: string;
}

type Step = string | 0;
interface Field {
  path: readonly Step[];
  schemas: Schema[];
}

/** Fields that hold ids, and the fixtures that the ids are of. */
const ID_FIELDS: Readonly<Record<string, string>> = {
  agent_id: 'agent',
  agent_ids: 'agent',
  number_id: 'number',
  number_ids: 'number',
  caller_id_number_id: 'number',
  transfer_caller_id_number_id: 'number',
  trunk_id: 'trunk',
  campaign_id: 'campaign',
  tool_ids: 'tool',
  knowledge_base_ids: 'knowledge_base',
  expected_knowledge_base_id: 'knowledge_base',
};
/** Ids that belong to another account, to an inactive record, and to none. */
const wrongIds = (record: string): string[] => [
  `{{other.${record}}}`,
  `{{${record}.inactive}}`,
  '2147483646',
  '2147483648',
];
/** Fields whose record may lack, of the records of fixtures. */
const HAS_INACTIVE = ['agent', 'number', 'trunk'];

/** Values of examples that the network or the clock would have a part in. */
const ELSEWHERE: readonly [RegExp, string][] = [
  [/^https:\/\/example\.com\/mcp$/, '{{mcp_url}}'],
  [/^https:\/\/(?:login\.)?example\.com\//, 'http://127.0.0.1:9/'],
  [/^2026-12-01T00:00:00\+01:00$/, '{{tomorrow}}'],
];

/** What a placeholder without quotes is until the body is text. */
const BARE = /"\{\{#([a-z_.]+)\}\}"/g;
const MARK = '{{#mark}}';
const PLACE = '{{mark}}';

export const textOf = (value: unknown): string => JSON.stringify(value).replaceAll(BARE, '{{$1}}');

/** The examples of a JSON body, with placeholders for the ids; the first one for a route without examples is made of its required fields. */
export function rightBodies({ bodies, name }: Operation): Record<string, unknown>[] {
  const media = bodies['application/json'];
  if (!media) return [];
  const examples = Object.values(media.examples ?? {}).map(({ value }) => value);
  const all = media.example === undefined ? examples : [media.example, ...examples];
  const found = all.length > 0 ? all : [minimal(media.schema)];
  // A call that is created after all is not dialled.
  const more = name === 'POST /api/v1/calls' ? { not_before: '{{tomorrow}}' } : {};
  return found.map((one) => ({ ...(local('', one) as Record<string, unknown>), ...more }));
}

/** With the records of the fixtures instead of ids, and with local addresses. */
function local(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => local(key, one));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, local(name, inner)]));
  const record = ID_FIELDS[key];
  if (record !== undefined && typeof value === 'number') return `{{#${record}}}`;
  if (typeof value !== 'string') return value;
  const replaced = ELSEWHERE.find(([pattern]) => pattern.test(value));
  return replaced ? value.replace(replaced[0], replaced[1]) : value.replace(':5070', ':{{sandbox_port}}');
}

/** An object with the required fields. */
function minimal(schema: Schema): unknown {
  if (schema.example !== undefined) return schema.example;
  const [first] = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  const type = [schema.type].flat()[0];
  if (type === 'array' || schema.items) return schema.items ? [minimal(schema.items)] : [];
  if (schema.properties || type === 'object') {
    const names = schema.required ?? [];
    return Object.fromEntries(names.map((name) => [name, minimal(schema.properties?.[name] ?? {})]));
  }
  if (first) return minimal(first);
  if (schema.enum) return schema.enum[0];
  return type === 'integer' || type === 'number' ? (schema.minimum ?? 1) : type === 'boolean' ? true : 'x';
}

/** Every field of the schema of a body, at any depth; the first element stands for a list, the key `key` for a map. */
function fieldsOf(root: Schema): Field[] {
  const found = new Map<string, Field>();
  const visit = (schema: Schema, path: readonly Step[], above: readonly Schema[]): void => {
    if (above.includes(schema)) return;
    const inside = [...above, schema];
    const below = (step: Step, inner: Schema): void => {
      const at = [...path, step];
      const field = found.get(at.join('.')) ?? { path: at, schemas: [] };
      field.schemas.push(inner);
      found.set(at.join('.'), field);
      visit(inner, at, inside);
    };
    for (const one of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
      visit(one, path, inside);
    for (const [name, inner] of Object.entries(schema.properties ?? {})) below(name, inner);
    if (schema.items) below(0, schema.items);
    if (typeof schema.additionalProperties === 'object') below('key', schema.additionalProperties);
  };
  visit(root, [], []);
  return [...found.values()];
}

/** Bodies in which one field is wrong, then those in which several are. */
export function wrongBodies(operation: Operation): WrongBody[] {
  const schema = operation.bodies['application/json']?.schema;
  if (!schema) return [];
  const right = rightBodies(operation);
  const fields = fieldsOf(schema);
  return [
    ...fields.flatMap((field) => ofField(field, right)),
    ...together(fields, right),
    ...right.flatMap(repeatedKeys),
  ];
}

function ofField({ path, schemas }: Field, right: Record<string, unknown>[]): WrongBody[] {
  const label = path.join('.');
  const base = right.find((one) => valueAt(one, path.slice(0, -1)) !== undefined) ?? right[0] ?? {};
  const marked = withValue(base, path, MARK);
  if (marked === undefined) return [];
  const name = String(path.findLast((step) => typeof step === 'string'));
  const merged: Schema = schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
  const put = (json: string): string => textOf(marked).replace(PLACE, () => json);
  const record = ID_FIELDS[name];
  const ids =
    record === undefined
      ? []
      : wrongIds(record).filter((id) => !id.includes('inactive') || HAS_INACTIVE.includes(record));
  const all = [...wrongValues(name, merged), ...ids.map((id) => [`the id ${id}`, id] as const)];
  const without =
    typeof path.at(-1) === 'string' ? [{ case: `${label}: missing`, body: textOf(omit(base, path)) }] : [];
  const extra = {
    case: `${label}: missing, beside an unknown field`,
    body: textOf({ ...omit(base, path), unknown: { a: 1 } }),
  };
  return [
    ...without,
    ...(path.length === 1 ? [extra] : []),
    ...all.map(([what, json]) => ({ case: `${label}: ${what}`, body: put(json) })),
  ];
}

function valueAt(value: unknown, path: readonly Step[]): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<Step, unknown>)[step] : undefined),
    value,
  );
}

/** A copy with a value at a path, whose parents are made where they are absent. */
function withValue(base: object, path: readonly Step[], value: unknown): object | undefined {
  const copy = structuredClone(base) as Record<Step, unknown>;
  let at = copy;
  for (const [index, step] of path.entries()) {
    if (index === path.length - 1) {
      at[step] = value;
      break;
    }
    const next = at[step];
    if (typeof next !== 'object' || next === null) at[step] = path[index + 1] === 0 ? [] : {};
    at = at[step] as Record<Step, unknown>;
    if (Array.isArray(at) && path[index + 1] !== 0) return undefined;
  }
  return copy;
}

function omit(base: object, path: readonly Step[]): object {
  const copy = structuredClone(base);
  const parent = valueAt(copy, path.slice(0, -1));
  if (typeof parent === 'object' && parent !== null) delete (parent as Record<Step, unknown>)[path.at(-1)!];
  return copy;
}

/** All fields of the top, and two neighbours, with the same wrong value: the order of the errors is part of the answer. */
function together(fields: Field[], right: Record<string, unknown>[]): WrongBody[] {
  const names = fields.filter(({ path }) => path.length === 1).map(({ path }) => String(path[0]));
  const values = ['null', '7', '"x"', '[[7]]', '{}', 'true', '""'];
  const object = (some: readonly string[], json: string): string =>
    `{${some.map((name) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
  const all = values.map((json) => ({ case: `all fields: ${json}`, body: object(names, json) }));
  const reversed = { case: 'all fields in reverse order: [[7]]', body: object(names.toReversed(), '[[7]]') };
  const pairs = names.slice(1).map((name, index) => {
    const both = { [name]: MARK, [names[index]!]: MARK };
    return {
      case: `${name}, ${names[index]}: [[7]]`,
      body: textOf({ ...right[0], ...both }).replaceAll(PLACE, '[[7]]'),
    };
  });
  return names.length > 1 ? [...all, reversed, ...pairs] : all;
}

/** The last of two equal keys counts. */
function repeatedKeys(right: Record<string, unknown>): WrongBody[] {
  return Object.keys(right)
    .slice(0, 6)
    .map((name) => ({
      case: `${name}: twice, at last a list`,
      body: textOf(right).replace(/\}$/, `,${JSON.stringify(name)}:[[7]]}`),
    }));
}

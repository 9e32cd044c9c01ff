import { readFileSync } from 'node:fs';

export interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
}

export interface Contract {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
}

/** openapi.json. */
export const contract = JSON.parse(readFileSync('openapi.json', 'utf8')) as Contract;

/** The paths of the fields of a body that its schema does not have. */
export function unknownFields(value: unknown, schema: Schema, path = ''): string[] {
  const { properties, items } = whole(schema);
  if (Array.isArray(value)) return items ? value.flatMap((one) => unknownFields(one, items, `${path}[]`)) : [];
  if (!properties || value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, one]) =>
    properties[name] ? unknownFields(one, properties[name], `${path}.${name}`) : [`${path}.${name}`],
  );
}

function whole(schema: Schema): Schema {
  const ref = schema.$ref ?? schema.allOf?.find(({ $ref }) => $ref)?.$ref;
  return ref ? contract.components.schemas[ref.split('/').at(-1)!]! : schema;
}

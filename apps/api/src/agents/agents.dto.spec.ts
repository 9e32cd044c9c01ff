import { agentRequestSchema } from '@app/agents';
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';

interface Schema {
  $ref?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  type?: string;
  maxLength?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  components: { schemas: Record<string, Schema> };
};

/** Without references and alternatives of null. */
function plain(schema: Schema): Schema {
  const [first] = schema.allOf ?? schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (first) return { ...plain(first), ...schema };
  return schema.$ref ? (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
}

/** `field -> its limits`, at any depth; free-form JSON has no fields. */
function limitsOf(schema: Schema, path = ''): [string, Partial<Schema>][] {
  const { properties = {}, items, ...own } = plain(schema);
  const { maxLength, maxItems, minimum, maximum } = own;
  return [
    [path, { maxLength, maxItems, minimum, maximum }],
    ...Object.entries(properties).flatMap(([name, one]) => limitsOf(one, path ? `${path}.${name}` : name)),
    ...(items ? limitsOf(items, `${path}.*`) : []),
  ];
}

describe('the documented fields of an agent', () => {
  it('are those of the schema that checks requests, with the same limits', () => {
    const documented = Object.fromEntries(limitsOf(components.schemas.CreateAgentDto ?? {}));
    const checked = Object.fromEntries(limitsOf(agentRequestSchema() as Schema));
    expect(Object.keys(documented).toSorted()).toEqual(Object.keys(checked).toSorted());
    // The schema normalises numbers, headers have limits in their own check, and ids end where integers of the database end.
    const unlike = [
      'call_transfer.phone_number',
      ...['post_call', 'call_status', 'pre_call'].map((name) => `${name}_webhook.headers`),
    ];
    const compared = Object.keys(checked).filter((field) => !unlike.includes(field) && !field.endsWith('_id'));
    const limitsIn = (fields: typeof checked) => compared.map((field) => [field, fields[field]]);
    expect(limitsIn(documented)).toEqual(limitsIn(checked));
  });
});

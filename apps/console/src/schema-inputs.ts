import { ApiError } from './api.js';
import { h } from './dom.js';
import { field, type Input, option } from './forms.js';
import type { JsonSchema } from './types.js';

interface SchemaInputs {
  nodes: HTMLElement[];
  /** The arguments; what was left empty is absent. Throws ApiError where JSON was asked for and something else was given. */
  read: () => Record<string, unknown>;
}

/** An input for each property of an object schema. Values other than text, number and boolean are entered as JSON. */
export function schemaInputs({ properties = {}, required = [] }: JsonSchema): SchemaInputs {
  const inputs = Object.entries(properties).map(([name, schema]) => ({ name, schema, input: inputFor(schema) }));
  const nodes = inputs.map(({ name, schema, input }) =>
    field({
      name: `arguments.${name}`,
      label: required.includes(name) ? name : `${name} (optional)`,
      input,
      hint: hintOf(schema),
    }),
  );
  const read = (): Record<string, unknown> => {
    const given = inputs.map(({ name, schema, input }) => [name, valueOf(name, schema, input)] as const);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined));
  };
  return { nodes, read };
}

function inputFor(schema: JsonSchema): Input {
  if (schema.enum)
    return h(
      'select',
      null,
      option('', '–'),
      schema.enum.map((one) => option(JSON.stringify(one), String(one))),
    );
  switch (schema.type) {
    case 'boolean':
      return h('select', null, option('', '–'), option('true', 'Yes'), option('false', 'No'));
    case 'integer':
    case 'number':
      return h('input', { inputmode: 'decimal', autocomplete: 'off' });
    case 'string':
      return h('input', { autocomplete: 'off' });
    default:
      return h('textarea', { rows: 3, spellcheck: 'false', placeholder: schema.type === 'array' ? '[]' : '{}' });
  }
}

function hintOf({ description, minimum, maximum, type }: JsonSchema): string {
  const range = minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}.` : '';
  const isJson = !['string', 'integer', 'number', 'boolean'].includes(type ?? '');
  return [description, range, isJson && 'As JSON.'].filter(Boolean).join(' ');
}

/** As typed: the API validates it. */
function valueOf(name: string, schema: JsonSchema, { value }: Input): unknown {
  if (value === '') return undefined;
  if (schema.type === 'string' && !schema.enum) return value;
  if ((schema.type === 'integer' || schema.type === 'number') && !schema.enum)
    return Number.isNaN(Number(value)) ? value : Number(value);
  try {
    return JSON.parse(value) as unknown;
  } catch {
    const sentence = 'This is not JSON.';
    throw new ApiError(422, sentence, { [`arguments.${name}`]: [sentence] });
  }
}

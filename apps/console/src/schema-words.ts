import { plural } from './format.js';

/** What people call the types of JSON Schema. */
export const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'Text',
  integer: 'Whole number',
  number: 'Number',
  boolean: 'Yes or no',
};

type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of a schema that is being edited: missing or invalid parts are empty. */
function partsOf({ properties, required }: Schema): { properties: Schema; required: readonly unknown[] } {
  return { properties: isObject(properties) ? properties : {}, required: Array.isArray(required) ? required : [] };
}

/** What a schema asks for, in a sentence. */
export function schemaInWords(schema: Schema): string {
  if (schema['type'] !== 'object') return 'It must say "type": "object".';
  const { properties, required } = partsOf(schema);
  const names = Object.keys(properties);
  const strangers = required.filter((name) => typeof name === 'string' && !(name in properties));
  const all = names.map((name) => {
    const one = properties[name];
    const type = isObject(one) && typeof one['type'] === 'string' ? one['type'] : 'anything';
    return `${name} (${(TYPE_NAMES[type] ?? type).toLowerCase()}${required.includes(name) ? '' : ', optional'})`;
  });
  const sentence = names.length === 0 ? 'No arguments.' : `${plural(names.length, 'argument')}: ${all.join(', ')}.`;
  return strangers.length === 0 ? sentence : `${sentence} Required, but not described: ${strangers.join(', ')}.`;
}

interface NewProperty {
  name: string;
  type: string;
  description: string;
  isRequired: boolean;
}

/** The schema with one more property. */
export function withProperty(schema: Schema, { name, type, description, isRequired }: NewProperty): Schema {
  const { properties, required } = partsOf(schema);
  const others = required.filter((one) => one !== name);
  return {
    type: 'object',
    ...schema,
    properties: { ...properties, [name]: { type, ...(description !== '' && { description }) } },
    required: isRequired ? [...others, name] : others,
  };
}

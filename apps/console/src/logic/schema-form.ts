import {
  asLines,
  type FormShape,
  given,
  givenNumber,
  isJsonObject,
  type JsonObject,
  linesOf,
  notShown,
  numberIn,
  onlyKeys,
  stateOr,
  textIn,
} from './form-or-json.js';

export const PROPERTY_TYPES = [
  ['string', 'Text'],
  ['integer', 'Whole number'],
  ['number', 'Number'],
  ['boolean', 'Yes or no'],
  ['strings', 'List of texts'],
] as const;

export type PropertyType = (typeof PROPERTY_TYPES)[number][0];

/** The constraints of a type, as the form shows them. */
const CONSTRAINTS = {
  string: ['enum', 'pattern', 'format', 'minLength', 'maxLength'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  boolean: [],
  strings: ['minItems', 'maxItems'],
} as const satisfies Record<PropertyType, readonly string[]>;

const NUMERIC = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'] as const;

export type Constraint = (typeof CONSTRAINTS)[PropertyType][number];

/** A property as typed. */
export interface PropertyRow {
  key: number;
  name: string;
  type: PropertyType;
  description: string;
  isRequired: boolean;
  /** Those of other types stay while the type is changed, and are not written. `enum`: one value per line. */
  constraints: Readonly<Partial<Record<Constraint, string>>>;
}

export interface SchemaState {
  rows: readonly PropertyRow[];
  /** The keywords beside `properties`, and the order of `required`. */
  rest: JsonObject;
}

export const constraintsOf = (type: PropertyType): readonly Constraint[] => CONSTRAINTS[type];

export const newProperty = (key: number): PropertyRow => ({
  key,
  name: '',
  type: 'string',
  description: '',
  isRequired: true,
  constraints: {},
});

export const EMPTY_SCHEMA: SchemaState = { rows: [], rest: { type: 'object' } };

/** Keywords of the schema as a whole that do not depend on its properties. */
const ROOT = ['type', 'properties', 'required', 'additionalProperties', '$schema', 'title', 'description'];

/** An object schema with properties of simple types: the form for the arguments of a tool, and the values of an analysis. */
export const SCHEMA_FORM: FormShape<SchemaState> = {
  read: (schema) => stateOr(() => readSchema(schema)),
  write: writeSchema,
};

function readSchema(schema: JsonObject): SchemaState {
  const { properties = {}, ...rest } = schema;
  const { type, required = [], additionalProperties } = rest;
  if (Object.keys(schema).length === 0) return EMPTY_SCHEMA;
  if (type !== 'object') notShown('The schema must have "type": "object".');
  onlyKeys(schema, ROOT, 'The schema');
  if (isJsonObject(additionalProperties)) notShown('“additionalProperties” has a schema of its own.');
  if (!isJsonObject(properties)) return notShown('“properties” must be an object.');
  if (!Array.isArray(required)) return notShown('“required” must be a list.');
  const missing = required.find((name) => typeof name !== 'string' || !(name in properties));
  if (missing !== undefined) notShown(`“required” names ${JSON.stringify(missing)}, which is not defined.`);
  const rows = Object.entries(properties).map(([name, property], key) => ({
    ...rowOf(name, property, key),
    isRequired: required.includes(name),
  }));
  return { rows, rest };
}

function rowOf(name: string, property: unknown, key: number): PropertyRow {
  const where = `“${name}”`;
  if (name.trim() === '' || name.trim() !== name) notShown('A property has a name with spaces around it.');
  if (!isJsonObject(property)) return notShown(`${where} is not an object.`);
  const type = typeOf(property, where);
  onlyKeys(property, ['type', 'description', ...(type === 'strings' ? ['items'] : []), ...constraintsOf(type)], where);
  const constraints = constraintsOf(type).map((one) => [one, constraintIn(property, one, where)] as const);
  return {
    key,
    name,
    type,
    description: textIn(property, 'description', where),
    isRequired: false,
    constraints: Object.fromEntries(constraints.filter(([, text]) => text !== '')),
  };
}

function typeOf({ type, items }: JsonObject, where: string): PropertyType {
  if (type === 'array') {
    const isPlain = isJsonObject(items) && Object.keys(items).length === 1 && items['type'] === 'string';
    return isPlain ? 'strings' : notShown(`${where} is a list of other values than texts.`);
  }
  if (type === 'object') return notShown(`${where} is an object with properties of its own.`);
  const known = PROPERTY_TYPES.find(([one]) => one === type && one !== 'strings');
  return known ? known[0] : notShown(`${where} has no type that can be shown here.`);
}

function constraintIn(property: JsonObject, constraint: Constraint, where: string): string {
  const { [constraint]: value } = property;
  if (value === null) return notShown(`“${constraint}” of ${where} cannot be shown.`);
  if (constraint === 'enum' && value !== undefined)
    return Array.isArray(value) && value.length > 0
      ? asLines(value, where)
      : notShown(`“enum” of ${where} cannot be shown.`);
  return isNumeric(constraint) ? numberIn(property, constraint, where) : textIn(property, constraint, where);
}

const isNumeric = (constraint: Constraint): boolean => (NUMERIC as readonly string[]).includes(constraint);

function writeSchema({ rows, rest }: SchemaState): JsonObject {
  const named = rows.filter(({ name }) => name.trim() !== '');
  const properties = Object.fromEntries(named.map((row) => [row.name.trim(), propertyOf(row)]));
  const wanted = named.filter(({ isRequired }) => isRequired).map(({ name }) => name.trim());
  const before = Array.isArray(rest['required']) ? (rest['required'] as string[]) : [];
  const required = [
    ...before.filter((name) => wanted.includes(name)),
    ...wanted.filter((one) => !before.includes(one)),
  ];
  const { required: _required, ...others } = rest;
  return {
    ...others,
    properties,
    ...((required.length > 0 || 'required' in rest) && { required: [...new Set(required)] }),
  };
}

function propertyOf({ type, description, constraints }: PropertyRow): JsonObject {
  const written = constraintsOf(type).map((one): JsonObject => {
    const text = constraints[one] ?? '';
    if (one === 'enum') return linesOf(text).length > 0 ? { enum: linesOf(text) } : {};
    return isNumeric(one) ? givenNumber(one, text) : given(one, text);
  });
  const own = type === 'strings' ? { type: 'array', items: { type: 'string' } } : { type };
  return Object.assign({}, own, given('description', description), ...written) as JsonObject;
}

/** The name that two rows have; undefined: none. */
export function repeatedName(rows: readonly Pick<PropertyRow, 'name'>[]): string | undefined {
  const names = rows.map(({ name }) => name.trim()).filter((name) => name !== '');
  return names.find((name, index) => names.indexOf(name) !== index);
}

import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, type ApiPropertyOptions, getSchemaPath, PartialType } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { z } from 'zod';
import { AsSent } from './field-validators.js';

type JsonSchema = Record<string, unknown> & {
  $ref?: string;
  anyOf?: JsonSchema[];
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
};

/** The object that a value is, or that its list or alternatives hold. */
type ObjectIn<Value> = Value extends readonly (infer Element)[]
  ? ObjectIn<Element>
  : Value extends object
    ? Value
    : never;

/** Of each field an example for Swagger UI, or the class of the object that it holds, which is a component of its own. */
type Examples<Fields> = { [Field in keyof Fields]-?: unknown };

/**
 * A class of a request whose fields are those of a schema: the one description of their types, rules and texts (docs/decisions/0072). Swagger
 * documents it, and the service validates by the schema: a change over the record that it changes. Unknown fields are removed and reported:
 * nested ones by the service, those of the body by the validation pipe. `schema`: of an object, or of a field that holds one.
 */
export const SchemaDto = <T extends z.ZodType>(
  schema: T,
  examples: Examples<ObjectIn<z.input<T>>>,
): new () => ObjectIn<z.input<T>> => classOf(schema, examples, 'request');

/** The class of a response that has the fields of a request as they are stored: those with a default are always present. */
export const StoredDto = <T extends z.ZodType>(
  schema: T,
  examples: Examples<ObjectIn<z.output<T>>>,
): new () => ObjectIn<z.output<T>> => classOf(schema, examples, 'stored');

/** The class of a response that has every field of a request; those that a request may leave out have a value or null. */
export const ViewDto = <T extends z.ZodType>(
  schema: T,
  examples: Examples<ObjectIn<z.output<T>>>,
): new () => Required<ObjectIn<z.output<T>>> => classOf(schema, examples, 'view');

/** The class of a request that may leave out every field of another one. */
export function PartialDto<T extends object>(request: Type<T>): Type<Partial<T>> {
  const partial = PartialType(request);
  // PartialType copies the fields, and not the schema that they are made from.
  return Object.assign(partial, { shape: (request as Partial<Part>).shape });
}

type Kind = 'request' | 'stored' | 'view';

function classOf(schema: z.ZodType, examples: object, kind: Kind): new () => never {
  class SchemaFields {
    static readonly shape = shapeIn(schema);
  }
  for (const [name, field] of Object.entries(SchemaFields.shape ?? {})) {
    const example: unknown = Reflect.get(examples, name);
    const { isRequired, isAbsentForNull } = presenceOf(field, kind);
    const json = isPart(example) ? partOf(name, field, example) : { ...jsonOf(field), example };
    documented(inOpenApi(isAbsentForNull ? withoutNull(json) : json), isRequired)(SchemaFields.prototype, name);
    if (isPart(example)) ApiExtraModels(example)(SchemaFields);
  }
  return SchemaFields as unknown as new () => never;
}

/** Whether a field is always there. A stored field that may be absent is absent instead of null. */
function presenceOf(field: z.ZodType, kind: Kind): { isRequired: boolean; isAbsentForNull: boolean } {
  if (kind === 'view') return { isRequired: true, isAbsentForNull: false };
  const missing = field.safeParse(undefined);
  if (kind === 'request') return { isRequired: !missing.success, isAbsentForNull: false };
  const isRequired = !missing.success || missing.data !== undefined;
  return { isRequired, isAbsentForNull: !isRequired };
}

function documented({ required, ...property }: JsonSchema, isRequired: boolean): PropertyDecorator {
  const options = {
    // Swagger removes it beside alternatives, but reads a property without any as a circular dependency.
    type: 'object',
    ...property,
    // For an object, `required` lists its own keys.
    ...(Array.isArray(required) ? { required, selfRequired: isRequired } : { required: isRequired }),
  };
  return applyDecorators(ApiProperty(options as ApiPropertyOptions), Allow(), AsSent());
}

export type Shape = Readonly<Record<string, z.ZodType>>;
type Part = (new () => object) & { shape: Shape };

const isPart = (example: unknown): example is Part => typeof example === 'function' && 'shape' in example;

/** The parts of a schema that say what it holds, of which each kind of schema has some. */
interface Definition {
  shape?: Shape;
  innerType?: z.ZodType;
  element?: z.ZodType;
  in?: z.ZodType;
  options?: readonly z.ZodType[];
}

/** The fields of the object that a schema is or holds. */
export function shapeIn(schema: z.ZodType): Shape | undefined {
  const { shape, innerType, element, in: input, options = [] } = schema.def as Definition;
  if (shape) return shape;
  const inner = [innerType, element, input, ...options].map((one) => one && shapeIn(one));
  return inner.find((one) => one !== undefined);
}

/** Requests, drafts and views share fields, whose conversion takes most of the time in which a process loads its DTO classes. */
const converted = new WeakMap<z.ZodType, Map<Part | undefined, JsonSchema>>();

function jsonOf(schema: z.ZodType, part?: Part): JsonSchema {
  const known = converted.get(schema) ?? new Map<Part | undefined, JsonSchema>();
  converted.set(schema, known);
  const json = known.get(part) ?? toJson(schema, part);
  known.set(part, json);
  return json;
}

function toJson(schema: z.ZodType, part: Part | undefined): JsonSchema {
  const { $schema: _version, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (!part || (zodSchema._zod.def as Definition).shape !== part.shape) return;
      for (const key of Object.keys(jsonSchema)) if (key !== 'description') Reflect.deleteProperty(jsonSchema, key);
      jsonSchema.$ref = getSchemaPath(part);
    },
  }) as JsonSchema;
  return json;
}

function partOf(name: string, field: z.ZodType, part: Part): JsonSchema {
  const json = jsonOf(field, part);
  if (!JSON.stringify(json).includes('"$ref"')) throw new Error(`${part.name} is not made from the schema of ${name}.`);
  return json;
}

function withoutNull({ anyOf, type, ...rest }: JsonSchema): JsonSchema {
  const types = [type ?? []].flat().filter((one) => one !== 'null');
  const [only, ...others] = anyOf?.filter((one) => one.type !== 'null') ?? [];
  if (only) return others.length === 0 ? { ...only, ...rest } : { ...rest, anyOf: [only, ...others] };
  return types.length === 0 ? rest : { ...rest, type: types.length === 1 ? types[0] : types };
}

/** `nullable`, lists of alternatives, and references beside descriptions, as Swagger takes them; the defaults of nested keys are removed. */
function inOpenApi({ $ref, anyOf, type, properties, items, additionalProperties, ...others }: JsonSchema): JsonSchema {
  const { propertyNames: names, pattern, ...rest } = others;
  // A format says what its pattern matches, and every name is text.
  if (pattern && !rest.format) rest.pattern = pattern;
  if (names && Object.keys(names).length > 1) rest.propertyNames = names;
  if ($ref) return { ...rest, allOf: [{ $ref }] };
  if (Array.isArray(type)) return inOpenApi({ ...rest, anyOf: type.map((one) => ({ type: one })) });
  const [first, second] = anyOf ?? [];
  if (first?.type && second?.type === 'null' && anyOf?.length === 2)
    return { ...inOpenApi(first), ...rest, nullable: true };
  return {
    ...rest,
    ...(anyOf ? { anyOf: anyOf.map(nested) } : {}),
    ...(type ? { type } : {}),
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, nested(one)])) }
      : {}),
    ...(typeof items === 'object' && items !== null ? { items: nested(items as JsonSchema) } : {}),
    ...(typeof additionalProperties === 'object' && additionalProperties !== null
      ? { additionalProperties: nested(additionalProperties as JsonSchema) }
      : {}),
  };
}

function nested({ default: _default, description, ...json }: JsonSchema): JsonSchema {
  if (json.$ref) return json;
  return inOpenApi(description === undefined ? json : { ...json, description });
}

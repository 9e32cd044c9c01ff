import { nearest } from './nearest-name.js';
import { getMetadataStorage } from 'class-validator';
import { z } from 'zod';
import { type Shape, shapeIn } from './schema-dto.js';

/** A DTO class; `shape`: its schema, if it is made from one (SchemaDto). */
export type Dto = (abstract new (...args: never[]) => object) & { shape?: Shape };

/** The fields that an object of a request may have. */
interface Fields {
  names: readonly string[];
  /** The fields of the object, or of the objects of the list, in a field. Undefined: none, or any. */
  inside: (name: string) => Fields | undefined;
}

/** Swagger keeps here how a field is documented: its class is the only trace of what a list holds. */
const DOCUMENTED = 'swagger/apiModelProperties';

function fieldsOf(dto: Dto): Fields {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  const inside = (name: string): Fields | undefined => {
    const schema = dto.shape?.[name];
    if (schema) return fieldsOfSchema(schema);
    const { type } = (Reflect.getMetadata(DOCUMENTED, dto.prototype as object, name) ?? {}) as { type?: unknown };
    return isDto(type) ? fieldsOf(type) : undefined;
  };
  return { names, inside };
}

/** Classes of fields: not `String`, not the function that some decorators return a class with. */
const isDto = (type: unknown): type is Dto =>
  typeof type === 'function' && /^class\b/.test(Function.prototype.toString.call(type));

function fieldsOfSchema(schema: z.ZodType): Fields | undefined {
  const shape = shapeIn(schema);
  if (!shape) return undefined;
  return {
    names: Object.keys(shape),
    inside: (name) => {
      const inner = shape[name];
      return inner && fieldsOfSchema(inner);
    },
  };
}

function fieldsAt(dto: Dto | undefined, path: readonly string[]): Fields | undefined {
  let fields = dto && fieldsOf(dto);
  for (const name of path) if (!/^\d+$/.test(name)) fields = fields?.inside(name);
  return fields;
}

/** The names of the fields that the object at `path` may have; empty: none, or any. */
export const namesAt = (dto: Dto | undefined, path: readonly string[]): readonly string[] =>
  fieldsAt(dto, path)?.names ?? [];

/** The field that the sender of an unknown one may have meant: `to_number` for `toNumber`, or `url of webhook_actions` for `url`. */
export function meantField(dto: Dto | undefined, field: string): string | undefined {
  const path = field.split('.');
  const name = path.pop() ?? '';
  const fields = fieldsAt(dto, path);
  if (!fields) return undefined;
  const similar = nearest(name, fields.names);
  if (similar !== undefined) return [...path, similar].join('.');
  const parent = fields.names.find((one) => fields.inside(one)?.names.includes(name));
  return parent === undefined ? undefined : `${name} of ${[...path, parent].join('.')}`;
}

const strictSchemas = new WeakMap<Shape, z.ZodType>();

/** The paths of unknown fields at any depth of a body whose DTO class is made from a schema; none of other bodies. */
export function unknownFields(dto: Dto | undefined, body: unknown): string[] {
  if (!dto?.shape) return [];
  const known = strictSchemas.get(dto.shape);
  const schema = known ?? z.strictObject(dto.shape);
  if (!known) strictSchemas.set(dto.shape, schema);
  const issues = schema.safeParse(body).error?.issues ?? [];
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key].join('.')) : [],
  );
}

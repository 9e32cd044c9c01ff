import SwaggerParser from '@apidevtools/swagger-parser';

/** The subset of JSON Schema in the document, with every `$ref` resolved. */
export interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  uniqueItems?: boolean;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  example?: unknown;
}

/** Whether a value may be an array, null or not. */
export const isList = ({ type, anyOf = [] }: Schema): boolean =>
  [type].flat().includes('array') || anyOf.some((one) => isList(one));

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

export interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Operation {
  /** `GET /api/v1/calls/{callId}` */
  name: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  parameters: Parameter[];
  /** By content type. */
  bodies: Record<string, Media>;
  /** By status. */
  responses: Record<string, { content?: Record<string, Media> }>;
  /** Absent on routes without a token. */
  scope?: string;
}

interface Route {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Operation['responses'];
  'x-scope'?: string;
}

/** Every operation of openapi.json; another test compares the file with the code. */
export async function operations(): Promise<Operation[]> {
  const document = await SwaggerParser.dereference('openapi.json');
  const paths = Object.entries((document.paths ?? {}) as Record<string, Record<string, Route>>);
  return paths.flatMap(([path, routes]) => Object.entries(routes).map(([method, route]) => read(method, path, route)));
}

function read(method: string, path: string, route: Route): Operation {
  return {
    name: `${method.toUpperCase()} ${path}`,
    method: method as Operation['method'],
    path,
    parameters: route.parameters ?? [],
    bodies: route.requestBody?.content ?? {},
    responses: route.responses,
    scope: route['x-scope'],
  };
}

export const parametersIn = ({ parameters }: Operation, place: Parameter['in']): Parameter[] =>
  parameters.filter((parameter) => parameter.in === place);

/** A copy of the first example of a JSON body, or of the first that contains `field`. */
export function exampleBody({ name, bodies }: Operation, field = ''): Record<string, unknown> | undefined {
  const media = bodies['application/json'];
  if (!media) return undefined;
  const examples = Object.values(media.examples ?? {}).map(({ value }) => value as object);
  const one = examples.find((example) => Object.hasOwn(example, field)) ?? examples[0];
  const example = media.example ?? one ?? fromProperties(media.schema);
  if (typeof example !== 'object' || example === null) throw new Error(`${name} has no example of its body.`);
  return structuredClone(example) as Record<string, unknown>;
}

/** Only required fields: a body with all fields would mix alternatives. */
const fromProperties = ({ properties = {}, required = [] }: Schema): Record<string, unknown> =>
  Object.fromEntries(required.map((name) => [name, properties[name]?.example]));

/** The fields of a body at any depth, as `webhook_actions.*.url`. */
export function fieldsOf(schema: Schema, path = '', above: readonly Schema[] = []): [string, Schema][] {
  if (above.includes(schema)) return [];
  const inside = [...above, schema];
  const alternatives = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [
    ...alternatives.flatMap((one) => fieldsOf(one, path, inside)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]): [string, Schema][] => [
      [`${path}${name}`, property],
      ...fieldsOf(property, `${path}${name}.`, inside),
    ]),
    ...(schema.items ? fieldsOf(schema.items, `${path}*.`, inside) : []),
  ];
}

/** Sets `a.*.b` in the first element of the list `a`. */
export function setField(body: Record<string, unknown>, field: string, value: unknown): void {
  const [first = '', second, ...rest] = field.split('.');
  if (second === undefined) return void (body[first] = value);
  const inner = body[first] ?? (second === '*' ? [{}] : {});
  body[first] = inner;
  const next = (second === '*' ? (inner as unknown[])[0] : inner) as Record<string, unknown>;
  setField(next, second === '*' ? rest.join('.') : [second, ...rest].join('.'), value);
}

import { exampleBody, fieldsOf, isList, type Operation, parametersIn, type Schema, setField } from './api-document.js';
import { type FuzzedRequest, harmless } from './fuzzed-requests.js';

/** As they stand in a URL: a null character, and half a surrogate pair. */
const IN_URLS = ['%00', 'a%00b', '%ED%A0%80'];
/** As JSON text holds them. */
const IN_BODIES = ['a\u0000b', 'x\ud800'];

export const hasText = (route: Operation): boolean => unstorableRequests(route).length > 0;

/** Each parameter and each text field of a route once with every text that PostgreSQL cannot store; the rest is right. */
export function unstorableRequests(route: Operation): FuzzedRequest[] {
  const names = parametersIn(route, 'path').map(({ name }) => name);
  const right = Object.fromEntries(names.map((name) => [name, null]));
  const body = example(route);
  const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
  const sent = body ? { headers, body: JSON.stringify(body) } : { headers };
  return [
    ...names.flatMap((name) => IN_URLS.map((text) => ({ ids: { ...right, [name]: text }, query: '', ...sent }))),
    ...parametersIn(route, 'query').flatMap(({ name }) =>
      IN_URLS.map((text) => ({ ids: right, query: `${name}=${text}`, ...sent })),
    ),
    ...bodies(route).map((text) => ({ ids: right, query: '', headers, body: text })),
  ];
}

function example(route: Operation): Record<string, unknown> | undefined {
  const found = exampleBody(route);
  return found && harmless(found);
}

function bodies(route: Operation): string[] {
  const schema = route.bodies['application/json']?.schema;
  if (!schema) return [];
  const fields = fieldsOf(schema).filter(([, field]) => mayBeText(field) || isList(field) || isMap(field));
  return fields.flatMap(([path, field]) =>
    IN_BODIES.flatMap((text) => {
      const values = [
        text,
        ...(isList(field) ? [[text]] : []),
        ...(isMap(field) ? [{ [text]: 'x' }, { x: text }] : []),
      ];
      return values.flatMap((value) => written(route, path, value));
    }),
  );
}

/** Nothing for a field inside of an alternative that the example does not have. */
function written(route: Operation, path: string, value: unknown): string[] {
  const body = example(route) ?? {};
  try {
    setField(body, path, value);
  } catch {
    return [];
  }
  return [JSON.stringify(body)];
}

const mayBeText = ({ type, anyOf = [], oneOf = [] }: Schema): boolean =>
  [type].flat().includes('string') || [...anyOf, ...oneOf].some(mayBeText);
const isMap = ({ type, properties }: Schema): boolean => [type].flat().includes('object') && properties === undefined;

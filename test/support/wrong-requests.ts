import type { Response, Test } from 'supertest';
import { type Operation, parametersIn } from './api-document.js';

/** The expected response to this wrong request at an own record. */
export const STATUS_OF_WRONG = { fields: 422, text: 400, type: 415, large: 413, query: 422 } as const;
type Wrong = keyof typeof STATUS_OF_WRONG;

/** Requests to a route that are wrong for every record. */
export function wrongRequests(route: Operation): [Wrong, (request: Test) => PromiseLike<Response>][] {
  const json = 'application/json';
  const [integer] = parametersIn(route, 'query').filter(({ schema }) => schema.type === 'integer');
  const query: [Wrong, (request: Test) => PromiseLike<Response>] = [
    'query',
    (request) => request.accept(json).query({ [integer?.name ?? '']: 'x' }),
  ];
  const ofQuery = integer ? [query] : [];
  if (!(json in route.bodies)) return ofQuery;
  const fields = Object.entries(route.bodies[json].schema.properties ?? {});
  const wrong = Object.fromEntries(fields.map(([name]) => [name, [[7]]]));
  return [
    ...ofQuery,
    ['fields', (request) => request.send(Object.keys(wrong).length > 0 ? wrong : { steps: 7 })],
    ['text', (request) => request.type(json).send('{')],
    ['type', (request) => request.type('text/plain').send('x')],
    ['large', (request) => request.type(json).send(JSON.stringify({ x: 'x'.repeat(2_100_000) }))],
  ];
}

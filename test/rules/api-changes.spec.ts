import { describe, expect, it } from '@jest/globals';
import { breakingChanges, check, complaints, contractOf, type ApiDocument } from '../../scripts/api-changes.mjs';

const CHANGED = 'POST /orders answer 201 data.state: no longer "sent"';

/** An API in small: what is ordered, what comes back, what is told. */
const api = () => ({
  openapi: '3.1.0',
  info: { version: '1.0.0' },
  paths: {
    '/orders': {
      get: {
        parameters: [parameter('state', false), parameter('page', false)],
        ...answers(200, { $ref: ref('Order') }),
      },
      post: { requestBody: body({ $ref: ref('NewOrder') }), ...answers(201, { $ref: ref('Created') }) },
    },
  },
  webhooks: { shipped: { post: { requestBody: body({ $ref: ref('Order') }) } } },
  components: {
    schemas: {
      Created: {
        type: 'object',
        properties: { data: { description: 'The order.', allOf: [{ $ref: ref('Order') }] } },
        required: ['data'],
      },
      Order: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          description: { type: ['string', 'null'] },
          state: { type: 'string', enum: ['open', 'sent', 'lost'] },
        } as Record<string, Record<string, unknown>>,
        required: ['id', 'description', 'state'],
      },
      NewOrder: {
        type: 'object',
        properties: {
          what: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
          note: { type: ['string', 'null'], maxLength: 64, default: '' },
          speed: { type: 'string', enum: ['slow', 'fast'] },
        } as Record<string, Record<string, unknown>>,
        required: ['what'],
      },
    },
  },
});
type Api = ReturnType<typeof api>;

const ref = (name: string) => `#/components/schemas/${name}`;
const body = (schema: object) => ({ required: true, content: { 'application/json': { schema } } });
const answers = (status: number, schema: object) => ({
  responses: { [status]: { description: 'Yes.', ...body(schema) } },
});
const parameter = (name: string, required: boolean) => ({ name, in: 'query', required, schema: { type: 'string' } });

const changed = (change: (api: Api) => void): string[] => {
  const after = api();
  change(after);
  return breakingChanges(api(), after);
};

describe('a breaking change of the API is reported with its location:', () => {
  const order = ({ components }: Api) => components.schemas.Order;
  const newOrder = ({ components }: Api) => components.schemas.NewOrder;

  it.each<[string, (api: Api) => void, string[]]>([
    [
      'a removed route',
      ({ paths }) => Reflect.deleteProperty(paths, '/orders'),
      ['GET /orders: removed', 'POST /orders: removed'],
    ],
    ['a method that is gone', ({ paths }) => Reflect.deleteProperty(paths['/orders'], 'get'), ['GET /orders: removed']],
    [
      'a removed response field, including webhooks',
      (after) => {
        delete order(after).properties.description;
        order(after).required = ['id', 'state'];
      },
      [
        'GET /orders answer 200 description: removed',
        'POST /orders answer 201 data.description: removed',
        'webhook shipped description: removed',
      ],
    ],
    [
      'a response field that became optional',
      (after) => (order(after).required = ['description', 'state']),
      [
        'GET /orders answer 200 id: may be absent',
        'POST /orders answer 201 data.id: may be absent',
        'webhook shipped id: may be absent',
      ],
    ],
    [
      'a changed type of a response field',
      (after) => (order(after).properties.id!.type = ['integer', 'null']),
      [
        'GET /orders answer 200 id: type integer -> integer,null',
        'POST /orders answer 201 data.id: type integer -> integer,null',
        'webhook shipped id: type integer -> integer,null',
      ],
    ],
    [
      'a narrower enum of a response',
      (after) => (order(after).properties.state!.enum = ['open', 'lost']),
      ['GET /orders answer 200 state: no longer "sent"', CHANGED, 'webhook shipped state: no longer "sent"'],
    ],
    [
      'a narrower enum of a request',
      (after) => (newOrder(after).properties.speed!.enum = ['fast']),
      ['POST /orders body speed: no longer "slow"'],
    ],
    [
      'a request field that became required, although it has a default',
      (after) => newOrder(after).required.push('note'),
      ['POST /orders body note: now required'],
    ],
    [
      'a new required request field',
      (after) => {
        newOrder(after).properties.size = { type: 'integer' };
        newOrder(after).required.push('size');
      },
      ['POST /orders body size: now required'],
    ],
    ['a removed request field', (after) => delete newOrder(after).properties.note, ['POST /orders body note: removed']],
    [
      'a type that is no longer accepted',
      (after) => (newOrder(after).properties.note!.type = 'string'),
      ['POST /orders body note: type string,null -> string'],
    ],
    [
      'a form of a field that is no longer accepted',
      (after) => (newOrder(after).properties.what!.oneOf = [{ type: 'string' }]),
      ['POST /orders body what: removed'],
    ],
    [
      'a tighter bound',
      (after) => (newOrder(after).properties.note!.maxLength = 63),
      ['POST /orders body note: maxLength 64 -> 63'],
    ],
    [
      'a removed parameter',
      ({ paths }) => paths['/orders'].get.parameters.shift(),
      ['GET /orders parameter state: removed'],
    ],
    [
      'a new required parameter',
      ({ paths }) => paths['/orders'].get.parameters.unshift(parameter('of', true)),
      ['GET /orders parameter of: now required'],
    ],
    [
      'a parameter that became required',
      ({ paths }) => (paths['/orders'].get.parameters[1]!.required = true),
      ['GET /orders parameter page: now required'],
    ],
  ])('%s', (_, change, lines) => {
    expect(changed(change)).toEqual(lines);
  });

  it.each<[string, (api: Api) => void]>([
    ['a new route', ({ paths }) => Object.assign(paths, { '/returns': paths['/orders'] })],
    [
      'a new response field',
      (after) => {
        order(after).properties.weight = { type: 'number' };
        order(after).required.push('weight');
      },
    ],
    ['a new value in an answer', (after) => (order(after).properties.state!.enum = ['new', 'open', 'sent', 'lost'])],
    ['a new request field', (after) => (newOrder(after).properties.size = { type: 'integer' })],
    ['a new value of a request', (after) => (newOrder(after).properties.speed!.enum = ['slow', 'fast', 'faster'])],
    ['a wider bound and type', (after) => Object.assign(newOrder(after).properties.note!, { maxLength: 65 })],
    ['a narrower type of an answer', (after) => (order(after).properties.description!.type = 'string')],
    ['a new parameter', ({ paths }) => paths['/orders'].get.parameters.unshift(parameter('of', false))],
    ['other words', (after) => Object.assign(order(after).properties.id!, { description: 'A number.', example: 1 })],
  ])('but not %s', (_, change) => {
    expect(changed(change)).toEqual([]);
  });

  it('keeps everything that clients rely on, including fields named like documentation keywords', () => {
    const { components } = contractOf(api());
    expect(Object.keys((components.schemas.Order as { properties: object }).properties)).toContain('description');
    expect(components.schemas.Created).not.toHaveProperty('properties.data.description');
  });
});

describe('the API against the last release', () => {
  const after = api();
  after.components.schemas.Order.properties.state!.enum = ['open', 'lost'];
  const state = (changelog: string, released: ApiDocument | undefined = api()) =>
    complaints({ changelog: `# Changelog\n\n${changelog}`, released, current: after });
  const RELEASE = '## 1.0.0 - 2026-12-01\n\n### Added\n- Orders.\n';

  it('may change freely before the first release', () => {
    expect(complaints({ changelog: '## 1.0.0 - unreleased\n', current: after })).toEqual([]);
  });

  it('may break only what CHANGELOG.md mentions', () => {
    expect(state(RELEASE)).toHaveLength(3);
    expect(state(`## 1.1.0 - unreleased\n\n### Breaking\n- ${CHANGED}: use \`lost\`.\n\n${RELEASE}`)).toHaveLength(2);
    expect(state(`${RELEASE}- ${CHANGED}\n`)).toContain(CHANGED);
  });

  it.each([
    ['a release without its API', '## 1.1.0 - 2026-12-02\n', api()],
    ['an API of no release', '## 1.0.0 - unreleased\n', api()],
  ])('must be stored with %s', (_, changelog, released) => {
    expect(state(changelog + RELEASE.replace(/^.*\n/, ''), released)).toEqual([expect.stringContaining('--release')]);
  });

  it('is documented in this repository', () => {
    expect(check('.')).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { argumentProblems } from '@app/json-schema';
import { METHOD_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeOpenApi } from './openapi.js';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import { aCall, aWorkspace, type Workspace } from '../../../test/support/factories.js';

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: unknown[];
  description?: string;
  example?: unknown;
  default?: unknown;
  format?: string;
  allOf?: Schema[];
  $ref?: string;
}

interface Operation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: { name: string; description?: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema; examples?: Record<string, { value: object }> }> };
  responses: Record<string, { $ref?: string }>;
  'x-scope'?: string;
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation & { requestBody: object } }>;
  components: { schemas: Record<string, Schema>; responses: Record<string, unknown>; headers: Record<string, unknown> };
}

let document: Document;
let api: InProcessApi;
let own: Workspace;

beforeAll(async () => {
  document = JSON.parse(await readFile('openapi.json', 'utf8')) as Document;
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
  );

const schemas = () => Object.entries(document.components.schemas);

it('openapi.json is what `npm run openapi` writes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-openapi-'));
  await writeOpenApi(join(folder, 'openapi.json'));
  expect(JSON.parse(await readFile(join(folder, 'openapi.json'), 'utf8'))).toEqual(document);
  await rm(folder, { recursive: true });
});

describe('openapi.json', () => {
  it('describes every route of the application', () => {
    // /mcp is not a REST route: its protocol describes the tools. Browsers and issuers call the pages of a sign-in.
    const routes = controllerMethods().filter(({ name }) => !/^(?:McpController|SignInController)\./.test(name));
    expect(operations()).toHaveLength(routes.length);
    expect(document.openapi).toBe('3.1.0');
  });

  it('gives every operation an id, a summary, a tag and its errors', () => {
    for (const { name, path, operation } of operations()) {
      const errors = Object.keys(operation.responses).filter((status) => status >= '400');
      const canFail = path !== '/health/live';
      expect([name, operation.operationId, operation.summary, operation.tags?.length]).toEqual([
        name,
        expect.any(String),
        expect.any(String),
        1,
      ]);
      expect([name, errors.length > 0]).toEqual([name, canFail]);
      for (const parameter of operation.parameters ?? []) {
        expect([name, parameter.name, parameter.description]).toEqual([
          name,
          parameter.name,
          expect.stringMatching(/\w/),
        ]);
      }
    }
  });

  it('requires a token on every authenticated route', () => {
    const open = operations().filter(({ operation }) => !operation.security?.length);
    expect(open.map(({ name }) => name).toSorted()).toEqual([
      'get /api/v1/recordings/{callId}',
      'get /api/v1/transcripts/{callId}',
      'get /health/live',
      'get /health/ready',
      'post /api/v1/tool-callbacks/{token}',
    ]);
    for (const { name, operation } of operations().filter(({ operation }) => operation.security?.length)) {
      expect([name, Object.keys(operation.responses)]).toEqual([name, expect.arrayContaining(['401', '403'])]);
    }
  });

  it('describes every field, with an example of its type', () => {
    for (const [schema, { properties = {} }] of schemas()) {
      for (const [field, property] of Object.entries(properties)) {
        expect([schema, field, property.description]).toEqual([schema, field, expect.stringMatching(/\w/)]);
        expect([schema, field, fits(property)]).toEqual([schema, field, true]);
      }
    }
  });

  it('has no empty schema and no broken reference', () => {
    for (const [name, schema] of schemas()) expect([name, schema.properties]).not.toEqual([name, {}]);
    const { schemas: models, responses, headers } = document.components;
    const known = Object.entries({ schemas: models, responses, headers }).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `#/components/${kind}/${name}`),
    );
    const references = JSON.stringify(document).match(/#\/components\/\w+\/\w+/g) ?? [];
    expect([...new Set(references)].filter((reference) => !known.includes(reference))).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('nullable');
  });

  it('shares the error responses of its operations, except for those with a body of their own', () => {
    const errors = operations().flatMap(({ name, operation }) =>
      Object.entries(operation.responses)
        .filter(([status]) => status >= '400')
        .map(([status, { $ref }]) => ({ name: `${name} ${status}`, component: $ref?.split('/').at(-1) })),
    );
    expect(errors.flatMap(({ name, component }) => (component ? [] : [name]))).toEqual([
      'get /api/v1/recordings/{callId} 416',
      'get /health/ready 503',
    ]);
    const used = new Set(errors.flatMap(({ component }) => component ?? []));
    expect([...used].toSorted()).toEqual(Object.keys(document.components.responses).toSorted());
  });

  it('describes all webhooks with their headers', () => {
    expect(Object.keys(document.webhooks)).toEqual([
      'call-status',
      'post-call',
      'call-analysis',
      'tool-result',
      'pre-call',
      'campaign',
      'test-run',
      'test',
      'tool-action',
    ]);
    for (const { post } of Object.values(document.webhooks)) {
      expect(post.parameters?.map((parameter) => parameter.name)).toEqual(
        expect.arrayContaining(['webhook-id', 'webhook-timestamp', 'webhook-signature']),
      );
    }
  });
});

/** Whether the example of a property, if it has one, is of its type and its enum. */
function fits({ type, enum: values, example }: Schema): boolean {
  if (example === undefined) return true;
  if (values && !values.includes(example)) return false;
  const types = [type ?? []].flat();
  const is: Record<string, boolean> = {
    string: typeof example === 'string',
    integer: Number.isInteger(example),
    number: typeof example === 'number',
    boolean: typeof example === 'boolean',
    array: Array.isArray(example),
    object: typeof example === 'object' && example !== null && !Array.isArray(example),
    null: example === null,
  };
  return types.length === 0 || types.some((one) => is[one]);
}

/** Name -> property names of a schema. */
const fieldsOf = (name: string): string[] =>
  Object.keys(document.components.schemas[name]?.properties ?? {}).toSorted();

describe('the OpenAPI document matches the service', () => {
  it('in the payloads of both webhooks', async () => {
    const hooks = { call_status_webhook_url: 'http://127.0.0.1:9/s', post_call_webhook_url: 'http://127.0.0.1:9/p' };
    const made = await api
      .as(own.token)
      .post('/api/v1/calls')
      .send({ to_number: 'sip:a@127.0.0.1', agent_id: own.agentId, number_id: own.numberId, ...hooks });
    const id: string = made.body.data.call_id;
    await api.as(own.token).post(`/api/v1/calls/${id}/cancel`);
    const sent = await api.pool.query<{ type: string; body: string }>(
      'SELECT type, body FROM webhook_deliveries WHERE call_id = $1 ORDER BY sequence',
      [id],
    );
    const bodies = sent.rows.map((row) => JSON.parse(row.body) as { type: string; data: object });
    const [status, postCall] = [bodies[0], bodies.at(-1)];
    expect(Object.keys(status ?? {}).toSorted()).toEqual(fieldsOf('CallStatusEventDto'));
    // Only a call with a flow has its path and values.
    const ofFlows = ['path', 'values'];
    const always = fieldsOf('CallStatusDataDto').filter((name) => !ofFlows.includes(name));
    expect(Object.keys(status?.data ?? {}).toSorted()).toEqual(always);
    expect(Object.keys(postCall ?? {}).toSorted()).toEqual(fieldsOf('PostCallEventDto'));
    expect(Object.keys(postCall?.data ?? {}).toSorted()).toEqual(fieldsOf('PostCallDataDto'));
  });

  it('in every example body of Swagger UI', async () => {
    expect([own.agentId, own.numberId, own.trunkId]).toEqual([1, 1, 1]);
    const me = api.as(own.token);
    const [base, tool, token, webKey] = [
      await me.post('/api/v1/agents/1/knowledge-bases').send({ title: 'a', source_type: 'text', content: 'b' }),
      await me.post('/api/v1/agents/1/tools').send({ ...firstToolExample(), name: 'a' }),
      await me.post('/api/v1/tokens').send({ name: 'a', scopes: ['calls:read'] }),
      await me.post('/api/v1/web-keys').send({ name: 'a', agent_id: 1, origins: ['https://www.example.com'] }),
    ].map(({ body }) => String(body.data.id));
    const newDraft = async () => String((await me.post('/api/v1/agents/1/versions').send({})).body.data.version);
    const ids: [RegExp, string | undefined][] = [
      [/knowledge-bases/, base],
      [/tools/, tool],
      [/tokens/, token],
      [/web-keys/, webKey],
    ];
    await api.pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('d', now() + interval '1 hour')`);
    const answered = { started_at: new Date(), answered_at: new Date() };
    const liveCall = await aCall(api.pool, own, { ...answered, status: 'in_progress', owner: 'd' });
    // Tools and MCP servers need hosts that do not exist here, the agent of the test has no webhook, and files are not JSON.
    const left = [
      'importContacts',
      'importDoNotCallEntries',
      'importDoNotCallFile',
      'previewContactImport',
      'previewDoNotCallImport',
      'invokeTool',
      'createMcpServer',
      'updateMcpServer',
      'patchMcpServer',
      'variables',
      'agent',
      // The call is in progress, there is no such campaign, and the agent has no scenarios.
      'analyseCall',
      'createAnalyses',
      'startTestRun',
      // No background tool runs.
      'reportToolResult',
    ];
    for (const { method, path, operation } of bodies()) {
      const id = ids.find(([pattern]) => pattern.test(path))?.[1] ?? '';
      const url = path
        .replace('{callId}', liveCall)
        .replace('{id}', id)
        .replaceAll(/\{(?!version)(\w+)\}/g, (_, name: string) => String(exampleOf(operation, name)));
      for (const [name, body] of filledIn(operation)) {
        if (left.includes(name) || left.includes(operation.operationId ?? '')) continue;
        const version = url.includes('{version}') ? await newDraft() : '';
        const answer = await me[method](url.replace('{version}', version)).send(body);
        const { message, errors } = answer.body;
        const wrong = answer.status < 300 ? [] : [answer.status, message, errors];
        expect([url, name, wrong]).toEqual([url, name, []]);
      }
    }
  });

  it('in the example arguments of a tool invocation', () => {
    const { parameters } = firstToolExample() as { parameters: Record<string, unknown> };
    const args = document.components.schemas.InvokeToolDto?.properties?.arguments?.example;
    expect(argumentProblems(parameters, args)).toBeUndefined();
  });
});

const bodies = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    (['post', 'put', 'patch'] as const).flatMap((method) => {
      const operation = methods[method];
      return operation?.requestBody ? [{ method, path, operation }] : [];
    }),
  );

const jsonOf = ({ requestBody }: Operation) => requestBody?.content['application/json'];
const exampleOf = ({ parameters = [] }: Operation, name: string) =>
  parameters.find((parameter) => parameter.name === name)?.schema?.example;

function firstToolExample(): object {
  const create = bodies().find(({ operation }) => operation.operationId === 'createTool');
  const [first] = create ? filledIn(create.operation) : [];
  if (!first) throw new Error('A tool is made without an example.');
  return first[1];
}

/** Name and body of each example; without any, what Swagger UI makes of the fields. */
function filledIn(operation: Operation): [string, object][] {
  const { examples, schema } = jsonOf(operation) ?? {};
  if (examples) return Object.entries(examples).map(([name, { value }]) => [name, value]);
  const fields = document.components.schemas[schema?.$ref?.split('/').at(-1) ?? '']?.properties ?? {};
  const sample = Object.entries(fields).map(([name, { example, default: usual, enum: values }]) => [
    name,
    example ?? usual ?? values?.[0] ?? 'string',
  ]);
  return [['of the fields', Object.fromEntries(sample) as object]];
}

interface ControllerMethod {
  name: string;
  args: { kind: number; key: unknown; type: unknown }[];
}

function controllerMethods(): ControllerMethod[] {
  const controllers = [...api.app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  return controllers.flatMap(({ metatype }) => {
    const prototype = (metatype as { prototype: object }).prototype;
    const names = Object.getOwnPropertyNames(prototype).filter(
      (name) => name !== 'constructor' && Reflect.hasMetadata(METHOD_METADATA, Reflect.get(prototype, name) as object),
    );
    return names.map((name) => {
      const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as unknown[];
      const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, metatype as object, name) ?? {}) as Record<
        string,
        { index: number; data: unknown }
      >;
      return {
        name: `${(metatype as { name: string }).name}.${name}`,
        args: Object.entries(args).map(([key, { index, data }]) => ({
          kind: Number(key.split(':')[0]),
          key: data,
          type: types[index],
        })),
      };
    });
  });
}

const INPUTS: number[] = [RouteParamtypes.BODY, RouteParamtypes.QUERY];

describe('the controllers', () => {
  // `import type { SomeDto }` compiles, erases the class and with it the validation: then the type is Object.
  it('declare DTO classes for bodies and queries', () => {
    const inputs = controllerMethods().flatMap(({ name, args }) =>
      args.filter(({ kind, key }) => key === undefined && INPUTS.includes(kind)).map(({ type }) => ({ name, type })),
    );
    expect(inputs.length).toBeGreaterThan(1);
    expect(inputs.filter(({ type }) => type === Object || typeof type !== 'function')).toEqual([]);
  });
});

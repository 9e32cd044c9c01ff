import { type Env, VERSION } from '@app/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { withCallEvents } from './calls/events/call-events.dto.js';
import { withSharedErrors } from './http/responses/shared-errors.js';
import { WarningDto } from './http/responses/warning.dto.js';
import { IGNORED_FIELDS_HEADER } from './http/validation/ignored-fields.js';
import { withUploadForm } from './knowledge-bases/request-examples.js';
import { withScenario } from './simulations/simulations.dto.js';
import { WEBHOOK_MODELS, webhookOperations } from './webhooks/webhook-operations.js';

const DESCRIPTION = `Outbound phone calls by AI voice agents.

Every request needs \`Authorization: Bearer <token>\`: a token of the account, issued with \`bin/trunkline tokens issue\`, or an access token
of the account's OpenID Connect issuer. Every response
carries \`X-Request-Id\`, which also appears in the log; to use your own ID, send the header (8 to 128 letters, digits, \`.\`, \`_\`,
\`-\`). Errors are returned as \`{"message": …}\`, invalid fields as 422 with \`errors\` and \`codes\` by field. Records of other accounts, unknown
records and malformed IDs return the same 404.

Unknown body fields and query parameters are ignored and listed in \`warnings\` of the response and in \`Trunkline-Ignored-Fields\`,
which reveals misspelled names. With the header \`Prefer: handling=strict\` (RFC 7240) they are errors instead: 422, and nothing is changed; the response has
\`Preference-Applied: handling=strict\`.

Requests are limited per minute and token (\`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\`); all tokens of an account together are
limited to ten times as many. Requests beyond a limit return 429 with \`Retry-After\`.

Assistants can use the service over the Model Context Protocol: \`POST /mcp\` is an MCP server over streamable HTTP, with the same tokens and
scopes. It is not part of this document, because MCP clients read the tools and their schemas from the server itself.`;

/** The OpenAPI document of the routes of `app`. */
export function openApiDocument(app: NestExpressApplication, env: Env): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Trunkline')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'The server of this document')
    .addTag('Calls', 'Create calls, follow them live, and control and end them.')
    .addTag('Call results', 'Transcripts, recordings, analyses, requests of tools, and diagnostics of calls.')
    .addTag('Web calls', 'Calls from web pages, and the keys with which pages create them.')
    .addTag('Campaigns', 'Calls to lists of contacts: schedules, retries, pacing, imports and results.')
    .addTag('Analytics', 'Counts and measures of ended calls by time, agent, campaign and outcome.')
    .addTag('Knowledge bases', 'Texts, files and web pages that agents can search.')
    .addTag('Tools', 'HTTP actions that agents can invoke in a conversation.')
    .addTag('MCP servers', 'Servers of the Model Context Protocol whose tools agents can use.')
    .addTag('Simulations', 'Tester callers: conversations with an agent as tests, their runs and schedules.')
    .addTag('Agents', 'Voice agents that handle calls.')
    .addTag('Numbers', 'Phone numbers of outbound and inbound calls.')
    .addTag('Webhooks', 'Webhook deliveries, replays, endpoints, signing secrets and tests.')
    .addTag('Trunks', 'SIP trunks of carriers and their health.')
    .addTag('Compliance', 'Numbers that are not called, and whether a number may be called now.')
    .addTag('Account', 'Limits, retention and usage of the account.')
    .addTag('Sign-in', 'People of an organisation: issuer, roles and sessions.')
    .addTag('Tokens', 'API tokens and their scopes.')
    .addTag('Audit log', 'Administrative changes in the account.')
    .addTag('Operations', 'State of the installation, for operators.')
    .addTag('Health', 'For load balancers and orchestrators.')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'tk_…', description: 'A token of your account.' })
    .addSecurity('openid', {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'An access token of the OpenID Connect issuer of your account. People of several accounts name one in the header `Trunkline-Account`, by its organisation or ID.',
    });
  if (env.PUBLIC_URL) builder.addServer(env.PUBLIC_URL, 'The public address');
  const document = SwaggerModule.createDocument(app, builder.build(), { extraModels: [...WEBHOOK_MODELS, WarningDto] });
  const complete = {
    ...withSharedErrors(withWarnings(withIgnoredFields(withScenario(withCallEvents(withUploadForm(document)))))),
    webhooks: webhookOperations(),
  };
  return withSandboxPort(nullableTypes(complete), env.SANDBOX_SIP_PORT);
}

/** The address of the sandbox phone in the examples. */
const SANDBOX_PHONE = '@127.0.0.1:5070';

/** Replaces the sandbox port in the examples: `npm start` uses another port when 5070 is in use. 0: no sandbox phone. */
function withSandboxPort(document: OpenAPIObject, port: number): OpenAPIObject {
  if (port === 0) return document;
  const text = JSON.stringify(document).replaceAll(SANDBOX_PHONE, `@127.0.0.1:${port}`);
  return JSON.parse(text) as OpenAPIObject;
}

const IGNORED_FIELDS = 'IgnoredFields';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Documents the header on 2xx and 422 responses of authenticated routes. */
function withIgnoredFields(document: OpenAPIObject): OpenAPIObject {
  document.components = {
    ...document.components,
    headers: {
      ...document.components?.headers,
      [IGNORED_FIELDS]: {
        description:
          'Percent-encoded paths of unknown body fields and query parameters, which were ignored: `recrod, webhook_actions.0.foo`. At most 20, then `...`. Absent if there are none.',
        schema: { type: 'string' },
      },
    },
  };
  const reference = { $ref: `#/components/headers/${IGNORED_FIELDS}` };
  for (const path of Object.values(document.paths)) {
    for (const operation of METHODS.flatMap((method) => path[method] ?? [])) {
      if (!operation.security) continue;
      for (const [status, response] of Object.entries(operation.responses)) {
        if (response === undefined || '$ref' in response || !/^(?:2\d\d|422)$/.test(status)) continue;
        response.headers = { ...response.headers, [IGNORED_FIELDS_HEADER]: reference };
      }
    }
  }
  return document;
}

type Schema = Exclude<NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string], { $ref: string }>;
type SchemaOrRef = Schema | { $ref: string };

const WARNINGS: Schema = {
  type: 'array',
  items: { $ref: `#/components/schemas/${WarningDto.name}` },
  description: 'What the request did not do, such as fields that were ignored. Absent if there is nothing to warn of.',
};

/** Documents the warnings in the bodies of successful responses of authenticated routes. */
function withWarnings(document: OpenAPIObject): OpenAPIObject {
  const { schemas = {} } = document.components ?? {};
  for (const path of Object.values(document.paths)) {
    for (const operation of METHODS.flatMap((method) => path[method] ?? [])) {
      if (!operation.security) continue;
      for (const [status, response] of Object.entries(operation.responses)) {
        if (response === undefined || '$ref' in response || !status.startsWith('2')) continue;
        addWarnings(response.content?.['application/json']?.schema, schemas);
      }
    }
  }
  return document;
}

/** Adds the warnings to an envelope: a schema with `data` or `message`. */
function addWarnings(schema: SchemaOrRef | undefined, schemas: Record<string, SchemaOrRef>): void {
  if (schema === undefined) return;
  if ('$ref' in schema) return addWarnings(schemas[schema.$ref.replace('#/components/schemas/', '')], schemas);
  const { properties } = schema;
  if (!properties || !('data' in properties || 'message' in properties)) return;
  properties['warnings'] ??= WARNINGS;
}

/**
 * OpenAPI 3.1 is JSON Schema, which has no `nullable`: `{type: 'string', nullable: true}` becomes
 * `{type: ['string', 'null']}`, with null among the values of an `enum`. A text has no items.
 */
function nullableTypes<T>(node: T): T {
  if (Array.isArray(node)) return node.map((item: unknown) => nullableTypes(item)) as T;
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, nullableTypes(value as unknown)]));
  // The compiler plugin adds the items of a list that a text becomes.
  if (copy.type === 'string') delete copy.items;
  if (copy.nullable !== true || typeof copy.type !== 'string') return copy as T;
  const { nullable: _nullable, type, enum: values, ...rest } = copy;
  const allowed = Array.isArray(values) ? { enum: [...new Set([...(values as unknown[]), null])] } : {};
  return { type: [type, 'null'], ...allowed, ...rest } as T;
}

import { type Env, VERSION } from '@app/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { withCallEvents } from './calls/call-event-schemas.js';
import { IGNORED_FIELDS_HEADER } from './http/ignored-fields.js';
import { withUploadForm } from './knowledge-bases/create-knowledge-base.dto.js';
import { withScenario } from './simulations/scenario-schemas.js';
import { WEBHOOK_MODELS, webhookOperations } from './webhooks/webhook-operations.js';

const DESCRIPTION = `Outbound phone calls by AI voice agents.

Every request needs \`Authorization: Bearer <token>\`; tokens are issued with \`bin/trunkline tokens issue\`. Every answer carries
\`X-Request-Id\`, which the log knows; send one (8 to 128 letters, digits, \`.\`, \`_\`, \`-\`) to use your own. Errors are
\`{"message": …}\`, wrong fields 422 with \`errors\` by field. A record of another account, an unknown one and a malformed id are
the same 404.

Unknown body fields and query parameters are ignored; \`Trunkline-Ignored-Fields\` names them, so that a typing error is noticed.

Requests are limited per minute: those of one token (\`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\`), and those of all tokens of an
account together to ten times as many. Beyond a limit the answer is 429 with \`Retry-After\`.`;

/** The OpenAPI document of the routes of `app`. */
export function openApiDocument(app: NestExpressApplication, env: Env): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Trunkline')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'Where this document came from')
    .addTag('Calls', 'Place calls, follow them, fetch their recordings.')
    .addTag('Knowledge bases', 'What agents can look up: texts, files and web pages.')
    .addTag('Tools', 'What agents can do: webhooks that they invoke in a conversation.')
    .addTag('Simulations', 'Talk with an agent in writing: conversations tested without a phone.')
    .addTag('Agents', 'Who speaks on calls.')
    .addTag('Numbers', 'The phone numbers that calls come from and go to.')
    .addTag('Webhooks', 'What was sent, to whom, signed with what; sent again when it did not arrive.')
    .addTag('Trunks', 'The carriers that calls go over, and whether they answer.')
    .addTag('Tokens', 'Who may ask.')
    .addTag('Audit log', 'Who did what.')
    .addTag('Health', 'For load balancers and orchestrators.')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'tk_…', description: 'A token of your account.' });
  if (env.PUBLIC_URL) builder.addServer(env.PUBLIC_URL, 'The public address');
  const document = SwaggerModule.createDocument(app, builder.build(), { extraModels: WEBHOOK_MODELS });
  const complete = {
    ...withIgnoredFields(withScenario(withCallEvents(withUploadForm(document)))),
    webhooks: webhookOperations(),
  };
  return withSandboxPort(nullableTypes(complete), env.SANDBOX_SIP_PORT);
}

/** The address in the examples. */
const SANDBOX_PHONE = '@127.0.0.1:5070';

/** Puts the port of the sandbox phone into the examples: `npm start` takes another port when 5070 is in use. 0: no sandbox phone. */
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
          'Names of body fields and query parameters that were ignored because the service does not know them, with their path, percent-encoded: `recrod, webhook_actions.0.foo`. At most 20, then `...`. Absent when there are none.',
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

/**
 * OpenAPI 3.1 is JSON Schema, which has no `nullable`: `{type: 'string', nullable: true}` becomes
 * `{type: ['string', 'null']}`, with null among the values of an `enum`.
 */
function nullableTypes<T>(node: T): T {
  if (Array.isArray(node)) return node.map((item: unknown) => nullableTypes(item)) as T;
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, nullableTypes(value as unknown)]));
  if (copy.nullable !== true || typeof copy.type !== 'string') return copy as T;
  const { nullable: _nullable, type, enum: values, ...rest } = copy;
  const allowed = Array.isArray(values) ? { enum: [...new Set([...(values as unknown[]), null])] } : {};
  return { type: [type, 'null'], ...allowed, ...rest } as T;
}

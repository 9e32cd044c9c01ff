import type { OpenAPIObject } from '@nestjs/swagger';
import { IGNORED_FIELDS_HEADER } from './ignored-fields.js';

const NAME = 'IgnoredFields';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Adds the header to the answers of routes that take a token, where the request was done or its fields were wrong. */
export function withIgnoredFields(document: OpenAPIObject): OpenAPIObject {
  document.components = {
    ...document.components,
    headers: {
      ...document.components?.headers,
      [NAME]: {
        description:
          'Names of body fields and query parameters that were ignored because the service does not know them, with their path, percent-encoded: `recrod, webhook_actions.0.foo`. At most 20, then `...`. Absent when there are none.',
        schema: { type: 'string' },
      },
    },
  };
  const reference = { $ref: `#/components/headers/${NAME}` };
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

import createClient, { type Client, defaultBodySerializer, type Middleware } from 'openapi-fetch';
import type { paths } from './generated/api-types.js';
import { IGNORED_FIELDS_HEADER, type IgnoredField, ignoredFields, ignoredFieldText } from './ignored-fields.js';
import { IDEMPOTENT_ROUTES } from './generated/idempotent-routes.js';
import { retryingFetch, type RetryOptions } from './retry.js';

export interface TrunklineOptions extends RetryOptions {
  /** Of the service, without `/api/v1`: `https://calls.example.com`. */
  baseUrl: string;
  /** `tk_…`: sent as a bearer token with every request. */
  token: string;
  /** Another fetch, of a proxy for example. */
  fetch?: (request: Request) => Promise<Response>;
  /**
   * Called once for each field or query parameter that the service does not know and ignored, most often a typing error. Absent: a
   * warning on the console; false: nothing.
   */
  onIgnoredField?: ((field: IgnoredField) => void) | false;
}

/** `GET`, `POST`, `PUT`, `PATCH` and `DELETE` by path, with the types of the API; `dataOf` turns an answer into its data or an error. */
export type Trunkline = Client<paths>;

/** A client of one account. What may be sent again without harm is, and creating something twice by accident is not possible. */
export function createTrunkline({
  baseUrl,
  token,
  fetch,
  onIgnoredField = (field) => console.warn(ignoredFieldText(field)),
  ...retry
}: TrunklineOptions): Trunkline {
  const send = fetch ?? ((request: Request) => globalThis.fetch(request));
  const client = createClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    fetch: retryingFetch(send, retry),
    bodySerializer: (body: unknown) => (holdsFile(body) ? formOf(body) : defaultBodySerializer(body)),
  });
  client.use(idempotency);
  if (onIgnoredField) client.use(reportIgnoredFields(onIgnoredField));
  return client;
}

/** Creating requests get a key of their own where the caller gave none, so that a repeated one gets the first answer. */
const idempotency: Middleware = {
  onRequest: ({ request, schemaPath }) => {
    if (request.method !== 'POST' || !IDEMPOTENT_ROUTES.has(schemaPath)) return undefined;
    if (!request.headers.has('idempotency-key')) request.headers.set('idempotency-key', crypto.randomUUID());
    return request;
  },
};

/** Names of fields may be values of the caller's own, so the memory of what was reported is bounded. */
const MAX_REPORTED = 1_000;

function reportIgnoredFields(report: (field: IgnoredField) => void): Middleware {
  const reported = new Set<string>();
  return {
    onResponse: ({ request, response, schemaPath }) => {
      for (const field of ignoredFields(response.headers.get(IGNORED_FIELDS_HEADER), request.method, schemaPath)) {
        const key = `${field.method} ${field.path} ${field.name}`;
        if (reported.has(key) || reported.size >= MAX_REPORTED) continue;
        reported.add(key);
        report(field);
      }
    },
  };
}

/** A file cannot travel in JSON: a body that holds one is sent as a form. */
function holdsFile(body: unknown): body is Record<string, string | Blob> {
  return typeof body === 'object' && body !== null && Object.values(body).some((value) => value instanceof Blob);
}

function formOf(body: Record<string, string | Blob>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.set(name, value);
  return form;
}

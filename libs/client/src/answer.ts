import type { Schemas } from './schemas.js';

/** What is wrong with a field. A later version of the service may have further codes. */
export type ErrorCode = Schemas['ValidationErrorDto']['codes'][string][number];

/** An error response of the API. */
export class TrunklineError extends Error {
  override readonly name = 'TrunklineError';

  constructor(
    message: string,
    /** HTTP status: 401, 403, 404, 409, 413, 415, 422, 429 or 5xx. */
    readonly status: number,
    /** For 422: messages by field (`to_number.3`). */
    readonly errors: Record<string, string[]>,
    /** The `X-Request-Id` of the response, which identifies the request in the logs of the service. */
    readonly requestId: string | null,
    /** For 422: codes by field, in the order of the messages. */
    readonly codes: Record<string, ErrorCode[]> = {},
  ) {
    super(message);
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

type DataOf<Body> = Body extends { data: infer Data } ? Data : never;

/** The `data` of a successful response: one record, or the records of a page. @throws TrunklineError for an error response. */
export async function dataOf<Body>(request: Promise<Answer<Body>>): Promise<DataOf<Body>> {
  return ((await bodyOf(request)) as { data: DataOf<Body> }).data;
}

/** The body of a successful response. @throws TrunklineError for an error response. */
export async function bodyOf<Body>(request: Promise<Answer<Body>>): Promise<Body> {
  const { data, error, response } = await request;
  if (response.ok && data !== undefined) return data;
  const { message, errors, codes } = (typeof error === 'object' && error !== null ? error : {}) as {
    message?: string;
    errors?: Record<string, string[]>;
    codes?: Record<string, ErrorCode[]>;
  };
  const text = message ?? `The service returned status ${response.status} without a message.`;
  throw new TrunklineError(text, response.status, errors ?? {}, response.headers.get('x-request-id'), codes);
}

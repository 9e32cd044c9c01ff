/** What the API said no with. */
export class TrunklineError extends Error {
  override readonly name = 'TrunklineError';

  constructor(
    message: string,
    /** The status of the answer: 401, 403, 404, 409, 413, 415, 422, 429 or 5xx. */
    readonly status: number,
    /** Of a 422: sentences by the name of the field (`to_number.3`). */
    readonly errors: Record<string, string[]>,
    /** Names the request in the service's logs. */
    readonly requestId: string | null,
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

/** What an answer that says yes holds under `data`: the record, or those of one page. @throws TrunklineError for every other. */
export async function dataOf<Body>(asked: Promise<Answer<Body>>): Promise<DataOf<Body>> {
  return ((await bodyOf(asked)) as { data: DataOf<Body> }).data;
}

/** The whole body of an answer that says yes, where it is more than `data`. @throws TrunklineError for every other. */
export async function bodyOf<Body>(asked: Promise<Answer<Body>>): Promise<Body> {
  const { data, error, response } = await asked;
  if (response.ok && data !== undefined) return data;
  const { message, errors } = (typeof error === 'object' && error !== null ? error : {}) as {
    message?: string;
    errors?: Record<string, string[]>;
  };
  const said = message ?? `The service answered ${response.status} without saying why.`;
  throw new TrunklineError(said, response.status, errors ?? {}, response.headers.get('x-request-id'));
}

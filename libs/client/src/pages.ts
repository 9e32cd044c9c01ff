import { bodyOf } from './answer.js';
import type { paths } from './generated/api-types.js';
import type { Trunkline } from './trunkline.js';

interface Page<T> {
  data: T[];
  links: { next: string | null };
}

type PageOf<R extends keyof paths> = paths[R] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

/** Routes that return pages. */
export type ListRoute = {
  [R in keyof paths]: [PageOf<R>] extends [never] ? never : PageOf<R> extends Page<unknown> ? R : never;
}[keyof paths];

export type ListedItem<R extends ListRoute> = PageOf<R> extends Page<infer Item> ? Item : never;

export type ListQuery<R extends ListRoute> = paths[R] extends { get: { parameters: { query?: infer Query } } }
  ? Query
  : never;

type ListPath<R extends ListRoute> = paths[R] extends { get: { parameters: { path: infer Path } } } ? Path : undefined;

/**
 * Iterates over all records of a list, fetching page after page: `for await (const call of every(client, '/api/v1/calls', { query: { status: 'busy' } }))`.
 * @throws TrunklineError
 */
export async function* every<R extends ListRoute>(
  client: Trunkline,
  route: R,
  parameters: { query?: ListQuery<R>; path?: ListPath<R> } = {},
): AsyncGenerator<ListedItem<R>, void, undefined> {
  // The route is a variable here, so its types cannot be derived.
  const get = client.GET as unknown as (
    route: string,
    init: object,
  ) => Promise<{ data?: Page<ListedItem<R>>; response: Response }>;
  let query: object = parameters.query ?? {};
  for (;;) {
    const page = await bodyOf(get(route, { params: { ...parameters, query } }));
    yield* page.data;
    if (page.links.next === null) return;
    query = Object.fromEntries(new URL(page.links.next).searchParams);
  }
}

import type { Request } from 'express';

interface PageFacts {
  page: number;
  perPage: number;
  /** Records on this page. */
  shown: number;
  total: number;
  isEstimate: boolean;
}

interface CursorFacts {
  perPage: number;
  next: string | null;
  prev: string | null;
}

/** The URL of a list request, for links to other pages of the list. */
export class ListUrl {
  readonly path: string;
  private readonly query: URLSearchParams;

  /** `base`: PUBLIC_URL; without it, links use the host of the request. */
  constructor(request: Request, base: string | undefined) {
    const [path = '', ...query] = request.originalUrl.split('?');
    this.path = `${base?.replace(/\/+$/, '') ?? `${request.protocol}://${request.get('host') ?? 'localhost'}`}${path}`;
    // Further question marks are part of the query (RFC 3986 §3.4).
    this.query = new URLSearchParams(query.join('?'));
  }

  with(name: 'page' | 'cursor', value: string | number): string {
    const query = new URLSearchParams(this.query);
    query.set(name, String(value));
    return `${this.path}?${query.toString()}`;
  }
}

/** The `links` and `meta` of Laravel's LengthAwarePaginator. */
export function pageEnvelope(address: ListUrl, { page, perPage, shown, total, isEstimate }: PageFacts) {
  const last = Math.max(1, Math.ceil(total / perPage));
  const from = shown === 0 ? null : (page - 1) * perPage + 1;
  const hasNext = isEstimate ? shown === perPage : page < last;
  return {
    links: {
      first: address.with('page', 1),
      last: address.with('page', last),
      prev: page > 1 ? address.with('page', page - 1) : null,
      next: hasNext ? address.with('page', page + 1) : null,
    },
    meta: {
      current_page: page,
      from,
      last_page: last,
      path: address.path,
      per_page: perPage,
      to: from === null ? null : from + shown - 1,
      total,
      ...(isEstimate && { total_is_estimate: true }),
    },
  };
}

/** The `links` and `meta` of Laravel's CursorPaginator. */
export const cursorEnvelope = (address: ListUrl, { perPage, next, prev }: CursorFacts) => ({
  links: {
    first: null,
    last: null,
    prev: prev === null ? null : address.with('cursor', prev),
    next: next === null ? null : address.with('cursor', next),
  },
  meta: { path: address.path, per_page: perPage, next_cursor: next, prev_cursor: prev },
});

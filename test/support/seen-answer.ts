import type { Response } from 'supertest';

/**
 * What two answers must share that are not to be told apart; the number of a request, what is left of a limit, and the id that was asked for in a
 * sentence differ.
 */
export const seen = ({ status, headers, body }: Response, asked?: number | string): unknown => ({
  status,
  headers: Object.keys(headers as object)
    .filter((name) => !name.startsWith('x-ratelimit'))
    .toSorted(),
  body: JSON.parse(
    JSON.stringify(body ?? null, (key, value: unknown) => (key === 'request_id' ? undefined : value)).replaceAll(
      ` ${asked}`,
      ' ID',
    ),
  ) as unknown,
});

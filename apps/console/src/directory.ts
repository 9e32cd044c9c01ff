import { type ApiPath, apiPath } from './api-path.js';
import { ask } from './api.js';
import type { Agent, ListOf, PhoneNumber, Trunk } from './types.js';

const PER_PAGE = 100;
/** A choice of more than 1,000 is none. */
const MOST_PAGES = 10;

async function list<T>(path: ApiPath, signal: AbortSignal): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data, meta } = await ask<ListOf<T>>('GET', path, { query: { per_page: PER_PAGE, page }, signal });
    all.push(...data);
    if (page >= meta.last_page) break;
  }
  return all;
}

export const agentsOf = (signal: AbortSignal): Promise<Agent[]> => list<Agent>(apiPath`agents`, signal);
export const numbersOf = (signal: AbortSignal): Promise<PhoneNumber[]> => list<PhoneNumber>(apiPath`numbers`, signal);
export const trunksOf = (signal: AbortSignal): Promise<Trunk[]> => list<Trunk>(apiPath`trunks`, signal);

/** The name that `npm start` gives to the trunk that leads to its sandbox phone. */
const SANDBOX_TRUNK = 'sandbox-phone';

/** `127.0.0.1:5070`, when there is a sandbox phone to call. */
export function sandboxPhone(trunks: readonly Trunk[]): string | undefined {
  const target = trunks.find(({ name, active }) => name === SANDBOX_TRUNK && active)?.targets[0];
  return target && `${target.host}:${target.port ?? 5060}`;
}

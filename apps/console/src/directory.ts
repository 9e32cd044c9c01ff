import { ask } from './api.js';
import type { Agent, ListOf, PhoneNumber, Trunk } from './types.js';

const MOST = 100;

const list = async <T>(path: string, signal: AbortSignal): Promise<T[]> =>
  (await ask<ListOf<T>>('GET', path, { query: { per_page: MOST }, signal })).data;

export const agentsOf = (signal: AbortSignal): Promise<Agent[]> => list<Agent>('agents', signal);
export const numbersOf = (signal: AbortSignal): Promise<PhoneNumber[]> => list<PhoneNumber>('numbers', signal);
export const trunksOf = (signal: AbortSignal): Promise<Trunk[]> => list<Trunk>('trunks', signal);

/** The name that `npm start` gives to the trunk that leads to its sandbox phone. */
const SANDBOX_TRUNK = 'sandbox-phone';

/** `127.0.0.1:5070`, when there is a sandbox phone to call. */
export function sandboxPhone(trunks: readonly Trunk[]): string | undefined {
  const target = trunks.find(({ name, active }) => name === SANDBOX_TRUNK && active)?.targets[0];
  return target && `${target.host}:${target.port ?? 5060}`;
}

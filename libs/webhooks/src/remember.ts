/** Hosts and endpoints that a dispatcher remembers. */
const MOST = 10_000;

/** Forgetting all of it now and then costs a few statements more, no delivery. */
export function remember<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size >= MOST) map.clear();
  map.set(key, value);
}

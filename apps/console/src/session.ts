const KEY = 'trunkline.token';

/** The token lives as long as the tab and is sent only in the Authorization header. */
export const session = {
  get token(): string | null {
    return sessionStorage.getItem(KEY);
  },
  begin(token: string): void {
    sessionStorage.setItem(KEY, token);
  },
  end(): void {
    sessionStorage.removeItem(KEY);
  },
};

/**
 * Returns the token of a link (`/console#token=…`) and clears the address bar at once, so that it stays out of the history and
 * of screenshots. A fragment is never sent to a server. `place`: the fragment that replaces it.
 */
export function takeTokenFromAddress(place = '#/calls'): string | undefined {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(null, '', `${location.pathname}${location.search}${place}`);
  return token;
}

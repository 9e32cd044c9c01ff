const KEY = 'trunkline.token';

/** The token lives as long as the tab, and is sent in one header only. */
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
 * Takes the token of a link (`/console#token=…`) and clears the address bar at once, so that it stays out of the history and
 * of screenshots. A fragment is never sent to a server.
 */
export function takeTokenFromAddress(): void {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  session.begin(token);
  history.replaceState(null, '', `${location.pathname}${location.search}#/calls`);
}

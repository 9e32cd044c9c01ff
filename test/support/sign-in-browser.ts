/** A browser without a screen: cookies by host, redirects one by one. */
export class SignInBrowser {
  private readonly jars = new Map<string, Map<string, string>>();
  /** The redirects to this service, oldest first. */
  readonly visited: string[] = [];

  cookies(host: string): Map<string, string> {
    const jar = this.jars.get(host) ?? new Map<string, string>();
    this.jars.set(host, jar);
    return jar;
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url);
    const jar = this.cookies(host);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string> | undefined), ...(cookie ? { cookie } : {}) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';');
      const at = pair.indexOf('=');
      const isGone = attributes.some((one) => /^\s*(?:max-age=0|expires=thu, 01 jan 1970.*)$/i.test(one));
      if (isGone) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  /** Starts a sign-in as the console does. */
  start(
    base: string,
    body: { organisation?: string; place?: string; replace_session?: boolean } = {},
    more: Record<string, string> = {},
  ): Promise<Response> {
    const headers = { 'content-type': 'application/json', 'trunkline-console': '1', ...more };
    return this.fetch(`${base}/sign-in/start`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** Starts a sign-in that the service accepts. @returns the address at the issuer */
  async begin(base: string, body: Parameters<SignInBrowser['start']>[1] = {}): Promise<string> {
    const response = await this.start(base, body);
    if (response.status !== 200) throw new Error(`The sign-in was not started: ${await response.text()}`);
    return ((await response.json()) as { data: { url: string } }).data.url;
  }

  /** Follows redirects until `isEnd` is true for the next address, which is returned and not requested. */
  async follow(start: string, { login, isEnd }: { login: string; isEnd: (url: URL) => boolean }): Promise<URL> {
    let url = new URL(start);
    let init: RequestInit = {};
    for (let steps = 0; steps < 20; steps += 1) {
      const response = await this.fetch(url.href, init);
      const location = response.headers.get('location');
      init = {};
      if (location !== null) {
        url = new URL(location, url);
        this.visited.push(url.href);
        if (isEnd(url)) return url;
        continue;
      }
      const page = await response.text();
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
      if (action === undefined) throw new Error(`${url.href} answers with ${response.status}: ${page.slice(0, 300)}`);
      url = new URL(action, url);
      const body = new URLSearchParams({ prompt: 'login', login, password: 'any' });
      init = { method: 'POST', body };
    }
    throw new Error('The sign-in does not end.');
  }
}

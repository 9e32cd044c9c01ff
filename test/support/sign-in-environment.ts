import { TestApi } from './app.js';
import { aWorkspace, type Workspace } from './factories.js';
import { SignInBrowser } from './sign-in-browser.js';
import { AUDIENCE, CLIENT, TestIssuer } from './test-issuer.js';

/** Group at the issuer -> role in the account. */
export const ROLES = {
  'voice-owners': 'owner',
  'voice-ops': 'operator',
  'voice-editors': 'agent_editor',
  everyone: 'viewer',
};
export const SESSION = '__Host-trunkline-session';

export const person = (email: string, name: string, groups: string[]) => ({
  claims: { email, email_verified: true, name, groups },
});

export const clientOf = ({ url }: TestIssuer) => ({ issuer: url, ...CLIENT });

const toConsole = (url: URL): boolean => url.pathname.startsWith('/console/');

/** An api with an issuer of its own, which the account `own` uses, and the account `their` with the organisation `other` and another issuer. */
export class SignInEnvironment {
  private constructor(
    readonly api: TestApi,
    readonly issuer: TestIssuer,
    readonly foreign: TestIssuer,
    readonly own: Workspace,
    readonly their: Workspace,
  ) {}

  static async start(): Promise<SignInEnvironment> {
    const [issuer, foreign] = [await TestIssuer.start(), await TestIssuer.start()];
    const api = await TestApi.start({
      OIDC_ISSUER: issuer.url,
      OIDC_CLIENT_ID: CLIENT.client_id,
      OIDC_CLIENT_SECRET: CLIENT.client_secret,
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_NAME: 'Example Ltd',
      TRUST_PROXY: '1',
    });
    const [own, their] = [await aWorkspace(api.pool), await aWorkspace(api.pool)];
    const environment = new SignInEnvironment(api, issuer, foreign, own, their);
    await environment.prepare();
    return environment;
  }

  private async prepare(): Promise<void> {
    const { issuer, foreign, own, their, base } = this;
    issuer.allow(base);
    foreign.allow(base, await this.redirectUriOf(foreign));
    await this.settle(own, { roles: ROLES });
    await this.settle(their, { organisation: 'other', ...clientOf(foreign), roles: ROLES, audience: AUDIENCE });
    for (const one of [issuer, foreign]) {
      one.people.set('anna', person('Anna@Example.com', 'Anna Smith', ['everyone', 'voice-owners']));
      one.people.set('vik', person('vik@example.com', 'Vik', ['everyone']));
      one.people.set('guest', person('guest@example.com', 'Guest', ['others']));
    }
  }

  get base(): string {
    return this.api.baseUrl;
  }

  async settle({ token }: Workspace, settings: object): Promise<void> {
    await this.api.as(token).put('/api/v1/account/sign-in').send(settings).expect(200);
  }

  /** What an operator registers at an issuer. */
  async redirectUriOf({ url }: TestIssuer): Promise<string> {
    const asked = this.api.as(this.own.token).get('/api/v1/account/sign-in/addresses').query({ issuer: url });
    return ((await asked.expect(200)).body as { data: { redirect_uri: string } }).data.redirect_uri;
  }

  async signIn(
    login: string,
    at: { organisation?: string; place?: string } = {},
  ): Promise<{ browser: SignInBrowser; end: URL }> {
    const browser = new SignInBrowser();
    const end = await browser.follow(await browser.begin(this.base, at), { login, isEnd: toConsole });
    return { browser, end };
  }

  asConsole(browser: SignInBrowser, path: string, init: RequestInit = {}): Promise<Response> {
    return browser.fetch(`${this.base}${path}`, {
      ...init,
      headers: { 'trunkline-console': '1', ...(init.headers as object) },
    });
  }

  async stop(): Promise<void> {
    await this.api.stop();
    for (const one of [this.issuer, this.foreign]) await one.stop();
  }
}

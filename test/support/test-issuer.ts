import { exportJWK, generateKeyPair, type JWK, type JWTPayload, type KeyLike, SignJWT } from 'jose';
// oxlint-disable-next-line import/no-named-as-default -- the types export only this name
import Provider from 'oidc-provider';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const AUDIENCE = 'https://calls.example.com/api';
export const CLIENT = { client_id: 'trunkline-console', client_secret: 'a secret of the test issuer' };

/** A person of the issuer. `claims`: beside `sub`. */
export interface TestPerson {
  claims: Record<string, unknown>;
}

interface SigningKey {
  kid: string;
  private: KeyLike;
  jwk: JWK;
}

async function newKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = randomUUID();
  return { kid, private: privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A real OpenID Connect issuer (oidc-provider) with a log-in form, on this machine. */
export class TestIssuer {
  readonly people = new Map<string, TestPerson>();
  /** Requests by path. */
  readonly requests: string[] = [];
  /** Answers with 503 instead. */
  isDown = false;
  /** Changes a token response before it is sent. */
  private handler: Handler = (_request, response) => void response.writeHead(404).end();
  private redirectUris: string[] = [];
  private returnTo: string[] = [];
  private backChannel: string | undefined;

  private constructor(
    private readonly server: Server,
    private key: SigningKey,
  ) {}

  static async start(): Promise<TestIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = new TestIssuer(server, await newKey());
    server.on('request', (request, response) => issuer.answer(request, response));
    issuer.open();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Registers the console at this address. Absent: the redirect URI of the installation's issuer. */
  allow(base: string, redirectUri = `${base}/sign-in/callback`): void {
    this.redirectUris.push(redirectUri);
    this.returnTo.push(`${base}/console/`);
    this.backChannel = `${base}/sign-in/back-channel-logout`;
    this.open();
  }

  /** Replaces the signing key, which old tokens are no longer verified with. */
  async rotate(): Promise<void> {
    this.key = await newKey();
    this.open();
  }

  /** A token with the current key. */
  sign(
    claims: JWTPayload,
    { header = {}, key = this.key }: { header?: object; key?: SigningKey } = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const given = { iss: this.url, aud: AUDIENCE, client_id: CLIENT.client_id, iat: now, exp: now + 300, ...claims };
    return new SignJWT(given)
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key.kid, ...header })
      .sign(key.private);
  }

  /** A key that the issuer does not have, under the name of one that it has. */
  async foreignKey(): Promise<SigningKey> {
    return { ...(await newKey()), kid: this.key.kid };
  }

  get publicJwk(): JWK {
    const { kty, n, e, kid, alg } = this.key.jwk;
    return { kty, n, e, kid, alg };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(`${request.method} ${request.url?.split('?')[0] ?? ''}`);
    if (this.isDown) response.writeHead(503).end();
    else this.handler(request, response);
  }

  private open(): void {
    this.handler = new Provider(this.url, this.configuration()).callback();
  }

  private configuration(): object {
    const { people } = this;
    const claimsOf = (sub: string) => people.get(sub)?.claims ?? {};
    return {
      clients: [
        {
          ...CLIENT,
          redirect_uris: this.redirectUris,
          post_logout_redirect_uris: this.returnTo,
          ...(this.backChannel ? { backchannel_logout_uri: this.backChannel } : {}),
          backchannel_logout_session_required: true,
          grant_types: ['authorization_code', 'refresh_token'],
        },
      ],
      jwks: { keys: [this.key.jwk] },
      cookies: { keys: ['a key of the test issuer'] },
      conformIdTokenClaims: false,
      claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
      features: {
        devInteractions: { enabled: true },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => undefined,
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({ scope: 'api', audience: AUDIENCE, accessTokenFormat: 'jwt' }),
        },
      },
      extraTokenClaims: (_context: unknown, { accountId }: { accountId?: string }) => claimsOf(accountId ?? ''),
      issueRefreshToken: () => true,
      findAccount: (_context: unknown, sub: string) =>
        people.has(sub) ? { accountId: sub, claims: () => ({ sub, ...claimsOf(sub) }) } : undefined,
      // No question for consent.
      loadExistingGrant: async ({ oidc }: GrantContext) => {
        const { provider, client, session } = oidc;
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid email profile offline_access');
        grant.addResourceScope(AUDIENCE, 'api');
        await grant.save();
        return grant;
      },
    };
  }
}

interface GrantContext {
  oidc: { provider: Provider; client: { clientId: string }; session: { accountId: string } };
}

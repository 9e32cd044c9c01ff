import type { Role } from '@app/accounts';
import { type Log, Unavailable } from '@app/common';
import { metrics } from '@app/metrics';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import {
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  fetchUserInfo,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  ResponseBodyError,
} from 'openid-client';
import {
  type Claims,
  claimAt,
  describePerson,
  groundsOf,
  issuerSessionOf,
  type NoRole,
  roleOfPerson,
  subjectOf,
} from '../domain/person-claims.js';
import { hashToken } from '../domain/token.js';
import { IssuerUnavailable } from './issuer.js';
import { IssuersService, type SignInAccount, type SignInClient } from './issuers.service.js';
import { SessionsService } from './sessions.service.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';

/** Why a sign-in failed, as the console explains it. */
export type SignInProblemCode =
  NoRole | 'unknown' | 'denied' | 'expired' | 'refused' | 'several' | 'unavailable' | 'busy' | 'address';

export class SignInProblem extends Error {
  override readonly name = 'SignInProblem';

  constructor(
    readonly code: SignInProblemCode,
    options?: ErrorOptions,
  ) {
    super(`The sign-in failed: ${code}.`, options);
  }
}

const BROWSER = /^[\w-]{43}$/;
const newBrowser = (): string => randomBytes(32).toString('base64url');

interface StartSignInCommand {
  /** Absent: the organisation of the installation. */
  organisation?: string;
  /** Page of the console to return to. */
  place: string;
  /** Public address of the service, without a final slash. */
  base: string;
  /** Of the browser, as limits count it. */
  address: string;
  /** The cookie of an earlier start. */
  browser?: string;
}

interface StartedSignIn {
  /** At the issuer. */
  url: URL;
  /** For the cookie that binds the sign-in to this browser. */
  browser: string;
}

interface FinishSignInCommand {
  /** Public address of the service, without a final slash. */
  base: string;
  /** The address at which the browser arrived, without its query. */
  arrivedAt: string;
  /** The parameters of the issuer. */
  query: string;
  browser: string | undefined;
  requestId?: string;
}

interface FinishedSignIn {
  /** For the cookie of the session. */
  session: string;
  place: string;
}

/** Sign-in of people at the console: authorization code with PKCE, state and nonce. */
@Injectable()
export class SignInService {
  constructor(
    private readonly issuers: IssuersService,
    private readonly attempts: SignInAttemptsRepository,
    private readonly sessions: SessionsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Throws SignInProblem. */
  async start(of: StartSignInCommand): Promise<StartedSignIn> {
    return this.counted(async () => {
      const account = of.organisation === undefined ? undefined : await this.issuers.byOrganisation(of.organisation);
      const client = of.organisation === undefined ? this.issuers.ofInstallation() : account?.client;
      if (!client) throw new SignInProblem('unknown');
      const configuration = await this.issuers.configuration(client);
      const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
      // Sign-ins in several tabs of a browser share the cookie.
      const browser = of.browser !== undefined && BROWSER.test(of.browser) ? of.browser : newBrowser();
      const isAdded = await this.attempts.add({
        stateHash: hashToken(state),
        browserHash: hashToken(browser),
        accountId: account?.accountId ?? null,
        address: of.address,
        issuer: client.issuer,
        nonce,
        verifier,
        place: of.place,
      });
      if (!isAdded) throw new SignInProblem('busy');
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: this.issuers.redirectUri(of.base, client.issuer),
        scope: client.scopes,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { url, browser };
    });
  }

  /** Throws SignInProblem. */
  async finish(of: FinishSignInCommand): Promise<FinishedSignIn> {
    const finished = await this.counted(async () => {
      const url = new URL(`${of.arrivedAt}?${of.query}`);
      const state = url.searchParams.get('state');
      const taken = state && of.browser ? await this.attempts.take(hashToken(state), hashToken(of.browser)) : undefined;
      if (!taken || !state) throw new SignInProblem('expired');
      const { account_id: accountId, issuer } = taken;
      // RFC 9700 §4.4: before the code is sent anywhere. It belongs to the issuer whose redirect URI it came to.
      if (of.arrivedAt !== this.issuers.redirectUri(of.base, issuer))
        throw new SignInProblem('refused', {
          cause: new Error('The code came to the redirect URI of another issuer.'),
        });
      const account = accountId === null ? undefined : await this.issuers.byAccount(accountId);
      const client = accountId === null ? this.issuers.ofInstallation() : account?.client;
      if (client?.issuer !== issuer) throw new SignInProblem('expired');
      const configuration = await this.issuers.configuration(client);
      const checks = { pkceCodeVerifier: taken.verifier, expectedState: state, expectedNonce: taken.nonce };
      // Checks `iss` (RFC 9207) before it redeems the code, and requires it if the metadata of the issuer promises it.
      const tokens = await authorizationCodeGrant(configuration, url, { ...checks, idTokenExpected: true });
      const id = tokens.claims();
      const subject = id && subjectOf(id);
      if (!id || subject === null || subject === undefined) throw new SignInProblem('refused');
      const candidates = account ? [account] : await this.issuers.accountsOf(client.issuer);
      const mine = account ? candidates : candidates.filter((one) => isOfClient(one, client));
      const claims = await this.claimsOf(configuration, tokens.access_token, { id, accounts: mine });
      const opened = chosen(mine, claims);
      const session = await this.sessions.start({
        accountId: opened.account.accountId,
        person: { issuer: client.issuer, subject, ...describePerson(claims) },
        role: opened.role,
        grounds: groundsOf(claims, opened.account.rules),
        issuerSession: issuerSessionOf(id),
        refreshToken: tokens.refresh_token,
        idToken: tokens.id_token,
        requestId: of.requestId,
      });
      return { session, place: taken.place };
    });
    metrics.signIns.inc({ outcome: 'succeeded' });
    return finished;
  }

  /** Asks the issuer for the role of a session, in the background. A failure of the issuer leaves the session as it is. */
  async check(sessionId: number): Promise<void> {
    const tokens = await this.sessions.claimCheck(sessionId);
    if (!tokens?.refreshToken) return;
    const { accountId, subject, refreshToken } = tokens;
    const end = () => this.sessions.end({ accountId, actor: { kind: 'system' } }, sessionId);
    const account = await this.issuers.byAccount(accountId);
    if (!account) return end();
    try {
      const configuration = await this.issuers.configuration(account.client);
      const anew = await refreshTokenGrant(configuration, refreshToken);
      const id = anew.claims() ?? { sub: subject };
      if (id.sub !== subject) return await end();
      const claims = await this.claimsOf(configuration, anew.access_token, { id, accounts: [account] });
      const role = roleOfPerson(claims, account.rules);
      if (typeof role !== 'string') return await end();
      const grounds = groundsOf(claims, account.rules);
      await this.sessions.renew(sessionId, { role, grounds, refreshToken: anew.refresh_token ?? refreshToken });
    } catch (error) {
      // RFC 6749 §5.2: the issuer has revoked the grant, for example because the person left.
      if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return end();
      this.log.warn({ err: error, account_id: accountId }, 'the role of a session could not be asked for');
    }
  }

  /** The logout at the issuer, if it offers one. The session itself is ended by the caller. */
  async endSessionUrl(sessionId: number, returnTo: string): Promise<string | undefined> {
    const tokens = await this.sessions.tokensOf(sessionId);
    const account = tokens && (await this.issuers.byAccount(tokens.accountId));
    if (!tokens?.idToken || account?.client.issuer !== tokens.issuer) return undefined;
    try {
      const configuration = await this.issuers.configuration(account.client);
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      const parameters = { id_token_hint: tokens.idToken, post_logout_redirect_uri: returnTo };
      return buildEndSessionUrl(configuration, parameters).href;
    } catch (error) {
      if (error instanceof IssuerUnavailable) return undefined;
      throw error;
    }
  }

  /** ID tokens may leave out groups, which UserInfo has then. */
  private async claimsOf(
    configuration: Configuration,
    accessToken: string,
    { id, accounts }: { id: Partial<IDToken> & { sub: string }; accounts: readonly SignInAccount[] },
  ): Promise<Claims> {
    const names = accounts.map(({ rules }) => rules.group_claim ?? 'groups');
    const isComplete = id.email !== undefined && names.every((name) => claimAt(id, name) !== undefined);
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return id;
    // The claims of the ID token are signed, so they win.
    return { ...(await fetchUserInfo(configuration, accessToken, id.sub)), ...id };
  }

  /** Counts and logs failures. The log names no person. */
  private async counted<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const problem = problemOf(error);
      if (!problem) throw error;
      metrics.signIns.inc({ outcome: problem.code });
      this.log.warn({ outcome: problem.code, err: problem.cause }, 'a sign-in failed');
      throw problem;
    }
  }
}

const isOfClient = ({ client }: SignInAccount, { issuer, clientId }: SignInClient): boolean =>
  client.issuer === issuer && client.clientId === clientId;

/** undefined: an error of this service. */
function problemOf(error: unknown): SignInProblem | undefined {
  if (error instanceof SignInProblem) return error;
  if (error instanceof IssuerUnavailable || error instanceof Unavailable)
    return new SignInProblem('unavailable', { cause: error });
  // The person cancelled, or the issuer does not let them in.
  if (error instanceof AuthorizationResponseError) return new SignInProblem('denied', { cause: error });
  if (isFailingIssuer(error)) return new SignInProblem('unavailable', { cause: error });
  const { code, name } = error as { code?: unknown; name?: string };
  if (typeof code === 'string' && code.startsWith('OAUTH_TIMEOUT'))
    return new SignInProblem('unavailable', { cause: error });
  if (typeof code === 'string' && (code.startsWith('OAUTH_') || code.startsWith('ERR_J')))
    return new SignInProblem('refused', { cause: error });
  if (['ClientError', 'ResponseBodyError', 'WWWAuthenticateChallengeError'].includes(name ?? ''))
    return new SignInProblem('refused', { cause: error });
  if (['EgressTimeout', 'BlockedAddress', 'ProxyRefusal'].includes(name ?? '') || isConnectionError(code))
    return new SignInProblem('unavailable', { cause: error });
  return undefined;
}

/** The issuer answered with a status of its own faults. */
function isFailingIssuer(error: unknown): boolean {
  const { status, cause } = error as { status?: unknown; cause?: unknown };
  if (typeof status === 'number') return status >= 500;
  if (cause instanceof Response) return cause.status >= 500;
  return cause instanceof Error && isFailingIssuer(cause);
}

const isConnectionError = (code: unknown): boolean =>
  typeof code === 'string' && /^(?:ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|UND_ERR)/.test(code);

function chosen(accounts: readonly SignInAccount[], claims: Claims): { account: SignInAccount; role: Role } {
  const roles = accounts.map((account) => ({ account, role: roleOfPerson(claims, account.rules) }));
  const opened = roles.flatMap(({ account, role }) => (typeof role === 'string' ? { account, role } : []));
  const [first, second] = opened;
  if (first && !second) return first;
  if (first) throw new SignInProblem('several');
  const refused = roles.flatMap(({ role }) => (typeof role === 'string' ? [] : role.refused));
  throw new SignInProblem(refused.length > 0 && refused.every((one) => one === 'domain') ? 'domain' : 'no_role');
}

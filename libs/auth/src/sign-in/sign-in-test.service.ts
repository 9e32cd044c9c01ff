import { SignInSettingsService } from '@app/accounts';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { genericGrantRequest, randomPKCECodeVerifier, ResponseBodyError } from 'openid-client';
import { IssuersService, type SignInClient } from './issuers.service.js';

export const SIGN_IN_CHECKS = ['address', 'issuer', 'client'] as const;
export const SIGN_IN_RESULTS = ['passed', 'failed', 'unknown'] as const;

export interface SignInCheck {
  name: (typeof SIGN_IN_CHECKS)[number];
  result: (typeof SIGN_IN_RESULTS)[number];
  message: string;
}

interface TestedSignIn {
  /** To register at the issuer. */
  redirectUri: string;
  checks: SignInCheck[];
}

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

/** Browsers refuse `Secure` cookies of other hosts over http. */
export function keepsSessions(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || LOCAL.includes(hostname);
}

/** Issuers may lock a client after many wrong secrets. */
const REUSED_MS = 10_000;
const MAX_REUSED = 1_000;
/** RFC 6749 §5.2: the issuer accepted the client and refused the code. */
const CODE_REFUSED = 'invalid_grant';
const CLIENT_REFUSED = ['invalid_client', 'unauthorized_client'];

/** Tests the sign-in settings of an account at its issuer, without a person. */
@Injectable()
export class SignInTestService {
  private readonly recent = new LRUCache<string, Promise<TestedSignIn>>({ max: MAX_REUSED, ttl: REUSED_MS });

  constructor(
    private readonly settings: SignInSettingsService,
    private readonly issuers: IssuersService,
  ) {}

  /** Concurrent tests of the same settings share one result, which is reused for 10 s. Throws NotFound. */
  async test(accountId: number, base: string): Promise<TestedSignIn> {
    const { updated_at: changed } = await this.settings.find(accountId);
    const key = JSON.stringify([accountId, changed, base]);
    const known = this.recent.get(key);
    if (known) return known;
    const testing = this.tested(accountId, base);
    this.recent.set(key, testing);
    testing.catch(() => this.recent.delete(key));
    return testing;
  }

  private async tested(accountId: number, base: string): Promise<TestedSignIn> {
    const client = (await this.issuers.byAccount(accountId))?.client;
    const redirectUri = this.issuers.redirectUri(base, client?.issuer);
    return { redirectUri, checks: await this.checks(client, redirectUri) };
  }

  private async checks(client: SignInClient | undefined, redirectUri: string): Promise<SignInCheck[]> {
    const address = addressCheck(redirectUri);
    if (!client) return [address, { name: 'issuer', result: 'failed', message: 'The installation has no issuer.' }];
    const issuer = await this.issuerCheck(client);
    return issuer.result === 'passed'
      ? [address, issuer, await this.clientCheck(client, redirectUri)]
      : [address, issuer];
  }

  private async issuerCheck({ issuer }: SignInClient): Promise<SignInCheck> {
    try {
      await this.issuers.issuer(issuer).check();
      return { name: 'issuer', result: 'passed', message: 'The issuer answers, and its keys can be used.' };
    } catch (error) {
      return { name: 'issuer', result: 'failed', message: (error as Error).message };
    }
  }

  /** Redeems a code that the issuer never gave: its error shows whether it accepts the client and its secret. */
  private async clientCheck(client: SignInClient, redirectUri: string): Promise<SignInCheck> {
    try {
      const configuration = await this.issuers.configuration(client);
      const code = { code: 'test', redirect_uri: redirectUri, code_verifier: randomPKCECodeVerifier() };
      await genericGrantRequest(configuration, 'authorization_code', code);
      return { name: 'client', result: 'unknown', message: 'The issuer accepted a code that it never gave.' };
    } catch (error) {
      return { name: 'client', ...clientResult(error) };
    }
  }
}

const addressCheck = (redirectUri: string): SignInCheck =>
  keepsSessions(redirectUri)
    ? { name: 'address', result: 'passed', message: 'Browsers keep sessions of this address.' }
    : { name: 'address', result: 'failed', message: 'The operator must set PUBLIC_URL to an address with https.' };

function clientResult(error: unknown): Omit<SignInCheck, 'name'> {
  const code = error instanceof ResponseBodyError ? error.error : undefined;
  if (code === CODE_REFUSED)
    return {
      result: 'passed',
      message: 'The issuer accepts the client and its secret. It checks the redirect URI at a sign-in.',
    };
  const { name, message } = error as Error;
  if (CLIENT_REFUSED.includes(code ?? '') || name === 'WWWAuthenticateChallengeError')
    return { result: 'failed', message: 'The issuer refuses the client, or its secret is wrong.' };
  return {
    result: 'unknown',
    message: `The answer of the issuer does not show whether it accepts the client: ${code ?? message}`,
  };
}

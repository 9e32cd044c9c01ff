import { type SignInRow, SignInSettingsService, type StoredSignIn, withoutSlash } from '@app/accounts';
import type { Env } from '@app/common';
import { Egress } from '@app/egress';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  allowInsecureRequests,
  ClientSecretPost,
  ClientSecretBasic,
  clockTolerance,
  Configuration,
  customFetch,
  enableNonRepudiationChecks,
  None,
} from 'openid-client';
import { CLOCK_TOLERANCE_SECONDS } from '../domain/access-token.js';
import { isStorable } from '../domain/person-claims.js';
import { redirectUriOf } from '../domain/redirect-uri.js';
import { createGuardedFetch, isPrivateIssuer, Issuer } from './issuer.js';

/** The client of the console at an issuer. */
export interface SignInClient {
  /** Without a final slash. */
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  scopes: string;
}

/** An account that people of an issuer may use. */
export interface SignInAccount {
  accountId: number;
  organisation: string | null;
  requestsPerMinute: number | null;
  client: SignInClient;
  audience: string | undefined;
  rules: StoredSignIn;
}

const KNOWN_ISSUERS = 1_000;
/** As in the settings of accounts. */
const MAX_ISSUER = 300;
/** A change of settings takes effect after this time. */
const SETTINGS_MS = 5_000;

/** The issuers of the installation and of accounts, with their cached metadata and keys. */
@Injectable()
export class IssuersService {
  private readonly issuers = new LRUCache<string, Issuer>({ max: KNOWN_ISSUERS });
  private readonly accounts = new LRUCache<string, Promise<SignInAccount[]>>({ max: KNOWN_ISSUERS, ttl: SETTINGS_MS });

  constructor(
    private readonly settings: SignInSettingsService,
    private readonly egress: Egress,
    @Inject(ENV) private readonly env: Env,
  ) {}

  /** undefined: the installation has no issuer. */
  ofInstallation(): SignInClient | undefined {
    const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = this.env;
    if (issuer === undefined || clientId === undefined) return undefined;
    return { issuer, clientId, clientSecret, scopes: this.env.OIDC_SCOPES };
  }

  /** The accounts of an issuer, by the `iss` of a token that is not verified yet. Cached for 5 s. */
  async accountsOf(iss: unknown): Promise<SignInAccount[]> {
    if (typeof iss !== 'string' || iss.length > MAX_ISSUER || !isStorable(iss)) return [];
    const issuer = withoutSlash(iss);
    const cached = this.accounts.get(issuer);
    if (cached) return cached;
    const loading = this.load(issuer);
    this.accounts.set(issuer, loading);
    loading.catch(() => this.accounts.delete(issuer));
    return loading;
  }

  /** undefined: there is no such organisation. */
  async byOrganisation(organisation: string): Promise<SignInAccount | undefined> {
    const row = await this.settings.byOrganisation(organisation);
    return row && this.accountOf(row);
  }

  /** undefined: the account has no sign-in. */
  async byAccount(accountId: number): Promise<SignInAccount | undefined> {
    const row = await this.settings.byAccount(accountId);
    return row && this.accountOf(row);
  }

  /** Where an issuer sends people back to; undefined: the issuer of the installation. `base`: the public address of the service. */
  redirectUri(base: string, issuer: string | undefined): string {
    return redirectUriOf({ base, issuer, installationIssuer: this.env.OIDC_ISSUER });
  }

  issuer(url: string): Issuer {
    const known = this.issuers.get(url);
    if (known) return known;
    const issuer = new Issuer(url, this.egress);
    this.issuers.set(url, issuer);
    return issuer;
  }

  /** For openid-client. ID tokens are verified by their signature although they come from the token endpoint. Throws IssuerUnavailable. */
  async configuration({ issuer, clientId, clientSecret }: SignInClient): Promise<Configuration> {
    const metadata = await this.issuer(issuer).metadata();
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const withSecret = methods.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost;
    const authentication = clientSecret === undefined ? None() : withSecret(clientSecret);
    const client = { [clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const configuration = new Configuration(metadata, clientId, client, authentication);
    configuration[customFetch] = createGuardedFetch(this.egress);
    if (isPrivateIssuer(issuer)) allowInsecureRequests(configuration);
    enableNonRepudiationChecks(configuration);
    return configuration;
  }

  private async load(issuer: string): Promise<SignInAccount[]> {
    const isInstallation = issuer === this.env.OIDC_ISSUER;
    const rows = await Promise.all([
      this.settings.byIssuer(issuer),
      isInstallation ? this.settings.ofInstallation() : Promise.resolve([]),
    ]);
    return rows.flat().flatMap((row) => this.accountOf(row) ?? []);
  }

  /** undefined: the account uses the issuer of the installation, which has none. */
  private accountOf(row: SignInRow): SignInAccount | undefined {
    const { settings: rules } = row;
    const client = row.issuer === null ? this.ofInstallation() : this.ownClient(row, row.issuer);
    if (!client) return undefined;
    return {
      accountId: row.account_id,
      organisation: row.organisation,
      requestsPerMinute: row.requests_per_minute,
      client: { ...client, scopes: rules.scopes ?? client.scopes },
      // The audience of the installation belongs to its issuer.
      audience: rules.audience ?? (row.issuer === null ? this.env.OIDC_AUDIENCE : undefined),
      rules,
    };
  }

  private ownClient(row: SignInRow, issuer: string): SignInClient {
    return {
      issuer,
      clientId: row.settings.client_id ?? '',
      clientSecret: this.settings.secretOf(row.client_secret_sealed),
      scopes: 'openid profile email',
    };
  }
}

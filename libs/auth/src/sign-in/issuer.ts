import { isInsideAddress } from '@app/common';
import { type Egress, isInsideName } from '@app/egress';
import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWSHeaderParameters } from 'jose';
import { isIP } from 'node:net';
import { allowInsecureRequests, customFetch, discovery, type CustomFetch, type ServerMetadata } from 'openid-client';

const REQUEST_MS = 5_000;
/** A discovery document or key set is a few KB; UserInfo with thousands of groups some 100 KB. */
const MAX_BYTES = 512 * 1024;
/** Metadata and keys are loaded again in the background after this time. */
const FRESH_MS = 10 * 60_000;
/** While the issuer is down, its keys stay in use for this time. */
const USABLE_MS = 24 * 3_600_000;
/** Between two loads for unknown keys. */
const PAUSE_MS = 30_000;
/** After a failed load. */
const RETRY_MS = 5_000;

/** The issuer does not answer, or its documents are unusable. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** Sends the requests of openid-client through the SSRF guard. */
export const createGuardedFetch =
  (egress: Egress): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const response = await egress.request(url, {
      method,
      headers,
      ...(body === undefined || body === null ? {} : { body: textOf(body) }),
      ...(signal ? { signal } : {}),
      totalTimeoutMs: REQUEST_MS,
      maxBodyBytes: MAX_BYTES,
    });
    if (response.truncated) throw new Error('The response of the issuer is too large.');
    const shown = Object.entries(response.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    );
    const hasBody = ![101, 204, 205, 304].includes(response.status);
    return new Response(hasBody ? new Uint8Array(response.body) : null, { status: response.status, headers: shown });
  };

function textOf(body: unknown): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body);
  throw new TypeError('Only forms and text are sent to issuers.');
}

/** openid-client says of a failed connection only that something went wrong. */
function reasonOf({ message, cause }: Error): string {
  const inner = (cause as Partial<Error> | undefined)?.message;
  return typeof inner === 'string' && inner !== '' ? reasonOf(cause as Error) : message;
}

/** http is for issuers on this machine or in a private network. */
export function isPrivateIssuer(issuer: string): boolean {
  const host = new URL(issuer).hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? isInsideName(host) : isInsideAddress(host);
}

interface Loaded {
  metadata: ServerMetadata;
  keys: ReturnType<typeof createLocalJWKSet>;
  at: number;
}

/** Metadata and keys of one issuer. Concurrent requests share one load; a failed load is repeated after 5 s at the earliest. */
export class Issuer {
  private loaded: Loaded | undefined;
  private loading: Promise<Loaded> | undefined;
  private failed: { error: IssuerUnavailable; at: number } | undefined;

  constructor(
    readonly url: string,
    private readonly egress: Egress,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Throws IssuerUnavailable. */
  async metadata(): Promise<ServerMetadata> {
    return (await this.current()).metadata;
  }

  /** The key of a token, for `jwtVerify`. An unknown key loads the key set again, at most every 30 s: the issuer may have rotated it. */
  async key(header: JWSHeaderParameters, token: FlattenedJWSInput) {
    const loaded = await this.current();
    try {
      return await loaded.keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.now() - loaded.at < PAUSE_MS) throw error;
      const { keys } = await this.load().catch(() => loaded);
      return keys(header, token);
    }
  }

  /** The signing keys, loaded at each call. For `trunkline doctor`. */
  async check(): Promise<ServerMetadata> {
    return (await this.load()).metadata;
  }

  private async current(): Promise<Loaded> {
    const { loaded } = this;
    const age = loaded ? this.now() - loaded.at : Infinity;
    if (!loaded || age > USABLE_MS) return this.load();
    // The request goes on with what is there; a failure is remembered and tried again later.
    if (age > FRESH_MS && !this.isPausing()) void this.load().catch(() => undefined);
    return loaded;
  }

  private isPausing(): boolean {
    return this.failed !== undefined && this.now() - this.failed.at < RETRY_MS;
  }

  private load(): Promise<Loaded> {
    if (this.failed && this.isPausing()) return Promise.reject(this.failed.error);
    this.loading ??= this.fetch().finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async fetch(): Promise<Loaded> {
    try {
      const metadata = await this.discover();
      const { jwks_uri: uri } = metadata;
      if (uri === undefined) throw new Error('The issuer names no jwks_uri.');
      const response = await createGuardedFetch(this.egress)(uri, {
        method: 'GET',
        headers: { accept: 'application/json' },
        body: undefined,
        redirect: 'manual',
      });
      if (response.status !== 200) throw new Error(`The key set of the issuer has the status ${response.status}.`);
      const keys = createLocalJWKSet((await response.json()) as JSONWebKeySet);
      this.loaded = { metadata, keys, at: this.now() };
      this.failed = undefined;
      return this.loaded;
    } catch (cause) {
      const error = new IssuerUnavailable(`The issuer cannot be used: ${reasonOf(cause as Error)}`, { cause });
      this.failed = { error, at: this.now() };
      throw error;
    }
  }

  private async discover(): Promise<ServerMetadata> {
    const isPrivate = isPrivateIssuer(this.url);
    if (!isPrivate && !this.url.startsWith('https://')) throw new Error('An issuer must use https.');
    const options = {
      [customFetch]: createGuardedFetch(this.egress),
      timeout: REQUEST_MS / 1_000,
      ...(isPrivate ? { execute: [allowInsecureRequests] } : {}),
    };
    const found = await discovery(new URL(this.url), 'discovery', undefined, undefined, options);
    return found.serverMetadata();
  }
}

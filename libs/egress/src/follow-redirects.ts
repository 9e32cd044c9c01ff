import { BlockedAddress } from '@app/common';
import { CookieJar } from 'tough-cookie';
import { discard, type Egress, type StreamedResponse } from './egress.js';

export interface FollowRequest {
  headers: Record<string, string>;
  /** Applies to all requests and the body of the last response. */
  signal: AbortSignal;
  maxRedirects: number;
  /** Called before each request including the first; may wait, and throws to refuse. */
  before?(url: URL): Promise<void>;
}

export interface FollowedResponse extends StreamedResponse {
  /** The URL of the final response. */
  url: URL;
}

export class TooManyRedirects extends Error {
  override readonly name = 'TooManyRedirects';
}

/** RFC 9110 §15.4; 300 and 304 name no single target. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * GETs a URL and follows redirects; each target is checked like the first URL. Never follows from https to http. Cookies are
 * returned only to the host that set them (many sites set a cookie and redirect to themselves) and discarded at the end. Throws
 * like Egress.open (BlockedAddress also for a redirect to an internal address), TooManyRedirects, or the error of `before`.
 */
export async function followRedirects(
  egress: Pick<Egress, 'open'>,
  start: string,
  request: FollowRequest,
): Promise<FollowedResponse> {
  const cookies = new HostCookies();
  let target = start;
  for (let redirects = 0; ; redirects++) {
    const url = parse(target);
    await request.before?.(url);
    const response = await egress.open(target, { ...request.headers, ...cookies.of(url) }, request.signal);
    const next = REDIRECTS.has(response.status) ? single(response.headers['location']) : undefined;
    if (next === undefined) return { ...response, url };
    discard(response);
    if (redirects === request.maxRedirects)
      throw new TooManyRedirects(`The URL leads to more than ${request.maxRedirects} redirects.`);
    cookies.keep(url, response.headers['set-cookie']);
    target = targetOf(next, url);
  }
}

function parse(target: string): URL {
  if (!URL.canParse(target)) throw new BlockedAddress('The URL must be an absolute http or https URL.');
  return new URL(target);
}

/** Headers arrive with one character per byte: bytes outside ASCII are percent-encoded, whatever their charset is (RFC 3986 §2.1). */
const encodeBytes = (header: string): string =>
  header.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

function targetOf(header: string, from: URL): string {
  const location = encodeBytes(header);
  if (!URL.canParse(location, from.href)) throw new BlockedAddress('The URL redirects to an invalid URL.');
  const target = new URL(location, from.href);
  if (from.protocol === 'https:' && target.protocol !== 'https:')
    throw new BlockedAddress('The URL redirects from https to http.');
  return target.href;
}

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** A separate jar for each host. */
class HostCookies {
  private readonly jars = new Map<string, CookieJar>();

  of(url: URL): { cookie?: string } {
    const cookie = this.jars.get(url.host)?.getCookieStringSync(url.href);
    return cookie ? { cookie } : {};
  }

  keep(url: URL, header: string | string[] | undefined): void {
    if (header === undefined) return;
    const jar = this.jars.get(url.host) ?? new CookieJar();
    this.jars.set(url.host, jar);
    for (const cookie of [header].flat()) jar.setCookieSync(cookie, url.href, { ignoreError: true });
  }
}

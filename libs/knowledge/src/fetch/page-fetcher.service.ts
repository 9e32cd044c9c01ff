import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Env, type Release, startDeadline, VERSION } from '@app/common';
import {
  ACCEPT_ENCODING,
  discard,
  Egress,
  EgressTimeout,
  type FollowedResponse,
  followRedirects,
  takeBody,
  TooManyRedirects,
} from '@app/egress';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { fetchProblem, httpProblem } from './fetch-problem.js';
import { HostPlaces } from './host-places.js';
import { refreshTarget } from './meta-refresh.js';
import { Robots } from './robots.js';
import { type DocumentType, isTextual, typeOfExtension, typeOfMedia } from '../extract/document-formats.js';

export interface FetchContext {
  egress: Egress;
  hosts: HostPlaces;
  /** Absent: robots.txt is ignored. */
  robots?: Robots;
  /** The `user-agent` header. */
  agent: string;
  /** From the place at the host to the last byte; 15 s if absent. */
  timeoutMs?: number;
}

/** A page that an account wants. */
export interface PageRequest {
  accountId: number;
  url: string;
  /** The file that receives the page. */
  into: string;
  /** Absent: the page is fetched whether it has changed or not. */
  known?: KnownPage | undefined;
}

/** Validators of the last fetch. */
export interface KnownPage {
  etag: string | null;
  lastModified: string | null;
}

export interface FetchedPage extends PageType {
  /** The URL after redirects. */
  url: URL;
  /** Size of the decoded body. */
  bytes: number;
  sha256: Buffer;
  etag: string | null;
  lastModified: string | null;
  /** The header `X-Robots-Tag`. */
  robotsTag?: string;
}

const TIMEOUT_MS = 15_000;
const REDIRECTS = 5;
/** A larger page is not only a redirect by `<meta http-equiv="refresh">`. */
const MAX_REFRESH_BYTES = 64 * 1024;
const LIMITS = { maxRawBytes: 10 * 1024 * 1024, maxDecodedBytes: 20 * 1024 * 1024 };
/** Longer validators are ignored: they would only fill the table. */
const MAX_VALIDATOR = 1_000;

/** Fetches pages for documents, a few at a time per host (see HostPlaces); URL_ROBOTS decides whether robots.txt is honoured. */
@Injectable()
export class PageFetcherService {
  private readonly context: FetchContext;

  constructor(egress: Egress, @Inject(ENV) env: Pick<Env, 'URL_ROBOTS'>) {
    const agent = `Trunkline/${VERSION}`;
    const hosts = new HostPlaces();
    const robots = env.URL_ROBOTS === 'honour' ? new Robots({ egress, agent }) : undefined;
    this.context = { egress, agent, hosts, ...(robots && { robots }) };
  }

  /** Whether the operator honours the rules of sites for robots. */
  get honoursRobots(): boolean {
    return this.context.robots !== undefined;
  }

  /** The pause between two pages that the site's robots.txt requests; 0 without one. Never throws. */
  crawlDelayMs(url: URL): Promise<number> {
    return this.context.robots?.crawlDelayMs(url) ?? Promise.resolve(0);
  }

  /** See fetchPage. */
  fetch(request: PageRequest, signal: AbortSignal): Promise<FetchedPage | 'unchanged'> {
    return fetchPage(this.context, request, signal);
  }
}

/**
 * Fetches a page or document into a file, within 15 s after the request got a place at the host. `unchanged`: the server answered 304. Throws a
 * DocumentProblem, or the signal's reason.
 */
export async function fetchPage(
  fetcher: FetchContext,
  request: PageRequest,
  signal: AbortSignal,
): Promise<FetchedPage | 'unchanged'> {
  const { accountId, url } = request;
  const place = new HostPlace(fetcher.hosts, accountId);
  try {
    if (URL.canParse(url)) await place.at(new URL(url).host, signal);
    return await withinTime(fetcher.timeoutMs ?? TIMEOUT_MS, signal, (inTime) =>
      attempt(fetcher, place, request, inTime),
    );
  } catch (error) {
    throw signal.aborted ? signal.reason : fetchProblem(error);
  } finally {
    place.end();
  }
}

async function withinTime<T>(ms: number, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = startDeadline(ms, outer, () => new EgressTimeout(ms));
  try {
    return await work(deadline.signal);
  } finally {
    deadline.clear();
  }
}

async function attempt(
  { egress, robots, agent }: FetchContext,
  place: HostPlace,
  { url, into, known }: PageRequest,
  signal: AbortSignal,
): Promise<FetchedPage | 'unchanged'> {
  let start = url;
  for (let refreshes = 0; ; refreshes++) {
    const sent = refreshes === 0 ? known : undefined;
    const response = await followRedirects(egress, start, {
      headers: { 'user-agent': agent, accept: ACCEPT, 'accept-encoding': ACCEPT_ENCODING, ...conditions(sent) },
      signal,
      maxRedirects: REDIRECTS,
      before: async (target) => {
        await place.at(target.host, signal);
        await robots?.check(target, signal);
      },
    });
    if (response.status === 304 && sent) {
      discard(response);
      return 'unchanged';
    }
    const page = await save(response, into, signal);
    const next = await refreshOf(page, into);
    // The validators are those of another URL than the document's, at which the next fetch starts.
    if (!next) return refreshes === 0 ? page : { ...page, etag: null, lastModified: null };
    if (refreshes === REDIRECTS) throw new TooManyRedirects(`The page refreshes to more than ${REDIRECTS} others.`);
    start = next.href;
  }
}

/** The page to which a small HTML page refreshes. A text whose type the server does not name may be one. */
async function refreshOf({ type, text, bytes, url }: FetchedPage, path: string): Promise<URL | undefined> {
  const isHtml = type === 'html' || (type === undefined && text !== undefined);
  return isHtml && bytes <= MAX_REFRESH_BYTES ? refreshTarget(await readFile(path, 'utf8'), url) : undefined;
}

function conditions(known: KnownPage | undefined): Record<string, string> {
  return {
    ...(known?.etag && { 'if-none-match': known.etag }),
    ...(known?.lastModified && { 'if-modified-since': known.lastModified }),
  };
}

async function save(response: FollowedResponse, into: string, signal: AbortSignal): Promise<FetchedPage> {
  try {
    // 203: a proxy has transformed the page (RFC 9110 15.3.4).
    if (response.status !== 200 && response.status !== 203) throw httpProblem(response.status, response.headers);
    const type = pageType(single(response.headers['content-type']), response.url);
    const bytes = await takeBody(response, createWriteStream(into, { mode: 0o600 }), LIMITS, signal);
    const [etag, lastModified] = [response.headers['etag'], response.headers['last-modified']].map(validator);
    const robotsTag = [response.headers['x-robots-tag'] ?? []].flat().join(', ');
    return {
      ...type,
      ...(robotsTag !== '' && { robotsTag }),
      url: response.url,
      bytes,
      sha256: await sha256Of(into),
      etag: etag ?? null,
      lastModified: lastModified ?? null,
    };
  } catch (error) {
    discard(response);
    throw error;
  }
}

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

function validator(header: string | string[] | undefined): string | null {
  const value = single(header);
  return value !== undefined && value.length <= MAX_VALIDATOR ? value : null;
}

/** The hash of a local file, which is streamed. */
async function sha256Of(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest();
}

/** The place of a request at its current host. */
class HostPlace {
  private host = '';
  private release: Release | undefined;

  constructor(
    private readonly hosts: HostPlaces,
    private readonly accountId: number,
  ) {}

  /** Releases the previous host first, so that two requests that redirect to each other's hosts cannot deadlock. */
  async at(host: string, signal: AbortSignal): Promise<void> {
    if (host === this.host) return;
    this.end();
    this.release = await this.hosts.acquire(this.accountId, host, signal);
    this.host = host;
  }

  end(): void {
    this.release?.();
    this.release = undefined;
    this.host = '';
  }
}

/** What header and URL say about a response. The bytes decide, see typeOfContent. */
interface PageType {
  /** The expected type; absent: the server and the URL name none. */
  type?: DocumentType;
  /** The type of a text without markup; absent: such a text is not a document (a script, JSON, an image). */
  text?: DocumentType;
  /** As declared by the server; the decoder interprets it. */
  charset?: string;
}

const ACCEPT = 'text/html, application/xhtml+xml, text/markdown, text/plain, text/csv, application/pdf, */*;q=0.5';

/** Text formats that are not documents. Their bytes are indistinguishable from plain text. */
const OTHER_TEXT_MEDIA = /[/+](?:json|xml|yaml|x-yaml|javascript|ecmascript|x-javascript|css|rtf|x-sh|typescript)$/;
const OTHER_TEXT_EXTENSIONS = new Set(
  'json jsonl xml rss atom svg yaml yml js mjs cjs ts css map sh bat ps1 php py rb java c h cpp go rs sql rtf ics vcf'.split(
    ' ',
  ),
);

/** The expected types of a response by its Content-Type header and the extension of its URL. */
export function pageType(header: string | undefined, url: URL): PageType {
  const [media = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim());
  const charset = parameters.map((part) => /^charset\s*=\s*"?([\w.:+-]{1,40})"?$/i.exec(part)?.[1]).find(Boolean);
  return { ...typesOf(media.toLowerCase(), url), ...(charset && { charset }) };
}

function typesOf(media: string, url: URL): Pick<PageType, 'type' | 'text'> {
  const extension = /\.([a-z\d]{1,8})$/i.exec(url.pathname)?.[1]?.toLowerCase();
  const named = typeOfExtension(extension);
  const declared = typeOfMedia(media);
  // Servers of source code send every text file as plain text.
  const namedText = named === 'md' || named === 'csv' ? named : 'txt';
  if (declared === 'txt') return { type: namedText, text: namedText };
  if (declared !== undefined) return { type: declared, ...(isTextual(declared) && { text: declared }) };
  const isOther =
    /^(?:image|audio|video|font)\//.test(media) ||
    OTHER_TEXT_MEDIA.test(media) ||
    (extension !== undefined && OTHER_TEXT_EXTENSIONS.has(extension));
  const text = named && isTextual(named) ? named : 'txt';
  return { ...(named && !isOther && { type: named }), ...(!isOther && { text }) };
}

import { type Env, NotFound, Unavailable, VENDOR_VARIABLES } from '@app/common';
import { ENV } from '@app/common/settings';
import { Egress, type EgressResponse, isSameOrigin, operatorEgress } from '@app/egress';
import { providerSettings, type ProviderSettings, type VendorName } from '@app/voice';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  CATALOG_VENDORS,
  type CatalogVendor,
  joinLists,
  listAddress,
  type ListRequest,
  listUrl,
  VENDOR_CATALOGS,
  type VendorCatalog,
  type VendorLists,
} from './vendor-lists.js';

const REQUEST_MS = 8_000;
const MAX_LIST_BYTES = 4_000_000;
const MAX_SAMPLE_BYTES = 4_000_000;
const MAX_PAGES = 10;
const KEPT_MS = 5 * 60_000;
/** A vendor that failed is asked again soon. */
const KEPT_FAILURE_MS = 20_000;

/** Types that browsers play. Anything else of a vendor is not passed on. */
const AUDIO = /^audio\/(?:mpeg|mp3|mp4|ogg|wav|wave|x-wav|webm|flac|aac)$/;
const TYPE_OF: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  m4a: 'audio/mp4',
};

export const CATALOG_STATUSES = ['listed', 'not_listed', 'not_configured', 'unavailable'] as const;

/** `not_listed`: the vendor publishes no list, and any name may be given. */
export interface Catalog extends VendorLists {
  status: (typeof CATALOG_STATUSES)[number];
  /** Why there is no list, as a sentence. */
  message: string | null;
}

interface VoiceSample {
  type: string;
  audio: Buffer;
}

/** The id of the voice of sandbox agents, which has no name. */
const BUILT_IN = 'default';
const SAMPLE_TEXT = 'Hello! This is the built-in voice of the sandbox agent.';

interface Server {
  url: string;
  key?: string;
  isSandbox?: boolean;
}

const nothing = (status: Catalog['status'], message: string): Catalog => ({ status, message, models: [], voices: [] });

/**
 * The models and voices of the vendors of this installation, from their published lists, with the keys of the installation. Lists are
 * kept for minutes. Addresses of the operator may be private; a sample at another host is fetched as an address from users is.
 */
@Injectable()
export class VendorCatalogService implements OnApplicationShutdown {
  private readonly vendors = operatorEgress();
  private readonly settings: ProviderSettings;
  private readonly kept = new LRUCache<CatalogVendor, Promise<Catalog>>({ max: CATALOG_VENDORS.length });

  constructor(
    @Inject(ENV) env: Env,
    private readonly egress: Egress,
  ) {
    this.settings = providerSettings(env);
  }

  find(vendor: CatalogVendor): Promise<Catalog> {
    const known = this.kept.get(vendor);
    if (known) return known;
    const read: Promise<Catalog> = this.read(vendor).then((catalog) => {
      if (catalog.status === 'unavailable') this.kept.set(vendor, read, { ttl: KEPT_FAILURE_MS });
      return catalog;
    });
    this.kept.set(vendor, read, { ttl: KEPT_MS });
    return read;
  }

  /** A recording of the voice. Throws NotFound, and Unavailable when the vendor does not answer. */
  async sample(vendor: CatalogVendor, voiceId: string, signal: AbortSignal): Promise<VoiceSample> {
    if (vendor === 'sandbox' && voiceId === BUILT_IN) {
      const { spokenByBuiltInVoice } = await import('./built-in-voice.js');
      return { type: 'audio/wav', audio: await spokenByBuiltInVoice(SAMPLE_TEXT, signal) };
    }
    const { voices } = await this.find(vendor);
    const { sample: url } = voices.find(({ id }) => id === voiceId) ?? {};
    if (url === undefined) throw new NotFound('Sample');
    const response = await this.fetched(vendor, url, signal);
    const type = response.status === 200 && !response.truncated ? audioType(response, url) : undefined;
    if (type === undefined) throw new Unavailable('The vendor did not send the sample. Try again.');
    return { type, audio: response.body };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.vendors.close();
  }

  private async fetched(vendor: CatalogVendor, url: string, signal: AbortSignal): Promise<EgressResponse> {
    const address = this.address(vendor);
    const egress = address !== undefined && isSameOrigin(address, url) ? this.vendors : this.egress;
    const options = { method: 'GET', headers: { accept: 'audio/*' }, totalTimeoutMs: REQUEST_MS, signal };
    try {
      return await egress.request(url, { ...options, maxBodyBytes: MAX_SAMPLE_BYTES });
    } catch (error) {
      signal.throwIfAborted();
      throw new Unavailable('The vendor did not send the sample. Try again.', { cause: error });
    }
  }

  private async read(vendor: CatalogVendor): Promise<Catalog> {
    if (vendor === 'sandbox') return builtIn();
    const catalog = VENDOR_CATALOGS[vendor];
    if (!catalog) return nothing('not_listed', 'The vendor publishes no list. Enter a name of its documentation.');
    const server = this.server(vendor);
    if (!server) return nothing('not_configured', `${keyOf(vendor)} is not set, so the names cannot be listed.`);
    const address = this.address(vendor);
    if (address === undefined) return nothing('not_listed', 'This server has no list. Enter a name.');
    return listed(catalog, await this.lists(catalog, address, server.key));
  }

  /** Below which the lists are; undefined: the vendor is not configured, or the server has none. */
  private address(vendor: CatalogVendor): string | undefined {
    const server = this.server(vendor);
    if (!server || server.isSandbox) return undefined;
    return isProvider(vendor) ? listAddress(vendor, server.url) : server.url;
  }

  private server(vendor: CatalogVendor): Server | undefined {
    const { realtime, live, gemini, vendors = {} } = this.settings;
    const providers: Partial<Record<CatalogVendor, Server>> = {
      'openai-realtime': realtime,
      'openai-live': live,
      'gemini-live': gemini,
    };
    return isProvider(vendor) ? providers[vendor] : vendors[legVendor(vendor)];
  }

  private lists(catalog: VendorCatalog, address: string, key: string | undefined) {
    const headers = { accept: 'application/json', ...(key !== undefined && catalog.headers(key)) };
    return Promise.allSettled(catalog.requests.map((list) => this.pages(list, address, headers)));
  }

  private async pages(list: ListRequest, address: string, headers: Record<string, string>) {
    const pages: Partial<VendorLists>[] = [];
    let more: Record<string, string> | undefined = {};
    while (more && pages.length < MAX_PAGES) {
      const body = await this.json(listUrl(address, list.path, more), headers);
      pages.push(list.read(body));
      more = list.next?.(body);
    }
    return joinLists(pages);
  }

  private async json(url: string, headers: Record<string, string>): Promise<unknown> {
    const options = { method: 'GET', headers, totalTimeoutMs: REQUEST_MS, maxBodyBytes: MAX_LIST_BYTES };
    const { status, body, truncated } = await this.vendors.request(url, options);
    if (status !== 200) throw new ListRefused(status);
    if (truncated) throw new Error('The list is longer than 4 MB.');
    return JSON.parse(body.toString('utf8')) as unknown;
  }
}

class ListRefused extends Error {
  constructor(readonly status: number) {
    super(`The vendor answered with status ${status}.`);
  }
}

const builtIn = (): Catalog => ({
  status: 'listed',
  message: null,
  models: [],
  voices: [{ id: BUILT_IN, name: 'Built-in voice', description: '', languages: [], sample: '' }],
});

/** A key may be allowed to read one list and not the other. Without any answer, there is no list, and any name may be given. */
function listed(catalog: VendorCatalog, results: readonly PromiseSettledResult<VendorLists>[]): Catalog {
  const answers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const { models, voices } = joinLists(answers);
  const failure = results.find((result) => result.status === 'rejected')?.reason as unknown;
  if (answers.length === 0) return nothing('unavailable', messageOf(failure));
  return {
    status: 'listed',
    message: failure === undefined ? null : messageOf(failure),
    models,
    voices: [...(catalog.voices ?? []), ...voices],
  };
}

/** Without the address, which is the operator's. */
function messageOf(failure: unknown): string {
  if (!(failure instanceof ListRefused)) return 'The vendor does not answer, so the names cannot be listed.';
  const isKey = failure.status === 401 || failure.status === 403;
  return isKey ? `The vendor refuses the key for its list (${failure.status}).` : failure.message;
}

type Provider = 'openai-realtime' | 'openai-live' | 'gemini-live';
const isProvider = (vendor: CatalogVendor): vendor is Provider =>
  vendor === 'openai-realtime' || vendor === 'openai-live' || vendor === 'gemini-live';

const legVendor = (vendor: CatalogVendor): VendorName =>
  (vendor === 'openai-compatible' ? 'compatible' : vendor) as VendorName;

function keyOf(vendor: CatalogVendor): string {
  if (vendor === 'openai-compatible') return VENDOR_VARIABLES.compatible.url;
  if (isProvider(vendor)) return vendor === 'gemini-live' ? 'GEMINI_API_KEY' : 'OPENAI_API_KEY';
  return VENDOR_VARIABLES[legVendor(vendor)].key;
}

/** The type of a sample; vendors' file stores send some as bytes of no type. Undefined: it is no audio. */
function audioType({ headers }: EgressResponse, url: string): string | undefined {
  const [sent = ''] = String(headers['content-type'] ?? '')
    .toLowerCase()
    .split(';');
  if (AUDIO.test(sent.trim())) return sent.trim();
  const isBytes = sent === '' || /^(?:application|binary)\/octet-stream$/.test(sent.trim());
  return isBytes ? TYPE_OF[new URL(url).pathname.split('.').at(-1)?.toLowerCase() ?? ''] : undefined;
}

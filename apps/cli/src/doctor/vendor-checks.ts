import { type AgentLookupsService, providerProblems } from '@app/agents';
import { type Env, isInsideAddress, VENDOR_VARIABLES } from '@app/common';
import { type EgressResponse, operatorEgress } from '@app/egress';
import type { VendorName, VendorServer } from '@app/voice';
import { lookup } from 'node:dns/promises';
import { dialerSettings } from '../agent-providers.js';
import { type CheckResult, type NamedCheck, ok, warning, wrong } from './finding.js';

const REQUEST_MS = 8_000;
const MAX_BODY_BYTES = 1_000_000;

/** A request that costs nothing and needs a valid key. */
interface Probe {
  /** Below the address. */
  path: string;
  headers: (key: string, url: URL) => Record<string, string>;
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

const AZURE = /\.azure(?:-api)?\.(?:com|net|us|cn)$/;

const PROBES: Record<VendorName, Probe> = {
  deepgram: { path: '/v1/projects', headers: (key) => ({ authorization: `Token ${key}` }) },
  assemblyai: { path: '/v3/token?expires_in_seconds=60', headers: (key) => ({ authorization: key }) },
  openai: { path: '/models', headers: bearer },
  anthropic: {
    path: '/models?limit=1',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  },
  google: { path: '/models?pageSize=1', headers: (key) => ({ 'x-goog-api-key': key }) },
  compatible: {
    path: '/models',
    headers: (key, { hostname }) => (AZURE.test(hostname) ? { 'api-key': key } : bearer(key)),
  },
  elevenlabs: { path: '/v1/models', headers: (key) => ({ 'xi-api-key': key }) },
  cartesia: { path: '/voices?limit=1', headers: (key) => ({ ...bearer(key), 'cartesia-version': '2026-08-14' }) },
};

/** One check for each configured vendor of pipelines. */
export function vendorChecks(env: Env): NamedCheck[] {
  const vendors = Object.entries(dialerSettings(env).vendors ?? {}) as [VendorName, VendorServer][];
  const called = vendors.filter(([, { isSandbox }]) => !isSandbox);
  const played = vendors.filter(([, { isSandbox }]) => isSandbox).map(([name]) => name);
  const checks = called.map(([name, server]): NamedCheck => {
    const { url, key } = VENDOR_VARIABLES[name];
    return [
      name,
      () => vendor(name, server),
      `Correct ${url}, or let this machine reach the vendor. The key is ${key}.`,
    ];
  });
  if (played.length === 0) return checks;
  return [
    ...checks,
    ['played vendors', () => Promise.resolve(ok(`the sandbox server plays ${played.join(', ')}`)), ''],
  ];
}

async function vendor(name: VendorName, { url, key }: VendorServer): Promise<CheckResult> {
  const variables = VENDOR_VARIABLES[name];
  const { path, headers } = PROBES[name];
  const began = performance.now();
  const probed = below(url, path);
  if (await isUnencrypted(probed))
    return wrong('would get speech and key unencrypted over the Internet', `Use https:// in ${variables.url}.`);
  const { status, body } = await requested(probed.href, key === undefined ? {} : headers(key, probed));
  const ms = Math.round(performance.now() - began);
  const says = body.toString('utf8');
  // A key that may only speak or transcribe is not allowed to read lists: ElevenLabs answers 401 then, others 403.
  if (key !== undefined && (status === 403 || says.includes('missing_permissions')))
    return ok(`answers in ${ms} ms and knows the key, which may not GET ${path}`);
  // Google answers 400 for an unknown key.
  if (status === 401 || status === 403 || says.includes('API_KEY_INVALID')) {
    const problem = key === undefined ? `needs a key (${status})` : `refuses the key (${status})`;
    return wrong(problem, `Set ${variables.key} to a valid key of the vendor.`);
  }
  if (status >= 500)
    return wrong(`answers with ${status}`, `Look at the vendor's status page, or correct ${variables.url}.`);
  if (status === 429)
    return warning('answers, but limits the requests (429)', 'Raise the limits of the account there.');
  if (status >= 300)
    return warning(
      `answers in ${ms} ms, but with ${status} to GET ${path}`,
      `Check ${variables.url}; calls show more.`,
    );
  return ok(key === undefined ? `answers in ${ms} ms, without a key` : `answers in ${ms} ms and accepts the key`);
}

/** Addresses may name the operation of an adapter (`…/chat/completions`) and have a query, such as Azure's `api-version`. */
function below(address: string, path: string): URL {
  const url = new URL(address);
  const probe = new URL(path, url);
  const base = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
  for (const [name, value] of probe.searchParams) url.searchParams.set(name, value);
  url.pathname = `${base === '' && path === '/models' ? '/v1' : base}${probe.pathname}`;
  return url;
}

/** Plain HTTP is for this machine and private networks, as in the dialers. */
async function isUnencrypted({ protocol, hostname }: URL): Promise<boolean> {
  if (protocol !== 'http:') return false;
  const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
  return addresses.some(({ address }) => !isInsideAddress(address));
}

async function requested(url: string, headers: Record<string, string>): Promise<EgressResponse> {
  const egress = operatorEgress();
  try {
    return await egress.request(url, {
      method: 'GET',
      headers: { accept: 'application/json', ...headers },
      totalTimeoutMs: REQUEST_MS,
      maxBodyBytes: MAX_BODY_BYTES,
    });
  } finally {
    await egress.close();
  }
}

const MAX_SHOWN = 5;

/** The active agents whose provider, legs or fallbacks are not configured; by id, because names may be those of customers. */
export async function agentProviders(env: Env, agents: AgentLookupsService): Promise<CheckResult> {
  const settings = dialerSettings(env);
  const problems = new Map<string, { agents: number; first: number }>();
  let checked = 0;
  for await (const { id, ...agent } of agents.activeProviders()) {
    checked += 1;
    for (const problem of new Set(await providerProblems(agent, settings))) {
      const known = problems.get(problem);
      problems.set(problem, { agents: (known?.agents ?? 0) + 1, first: known?.first ?? id });
    }
  }
  if (problems.size === 0) return ok(`the providers of ${checked} active agents are configured`);
  const shown = [...problems].slice(0, MAX_SHOWN).map(([problem, { agents, first }]) => {
    return `${problem} (agent ${first}${agents > 1 ? ` and ${agents - 1} more` : ''})`;
  });
  const others = problems.size > MAX_SHOWN ? ` And ${problems.size - MAX_SHOWN} other problems.` : '';
  return warning(
    shown.join(' ') + others,
    'Set the variables on the dialers, or change the agents. This check reads the variables of this machine.',
  );
}

import { isIP } from 'node:net';
import { z } from 'zod';
import {
  embeddingsProblem,
  embeddingsVariables,
  EMBEDDINGS_EXAMPLES,
  PROVIDERS_EXAMPLES,
  providersVariables,
  SUMMARY_EXAMPLES,
  summaryVariables,
} from './providers-env.js';
import { redisLocation } from './redis-location.js';
import { storageProblem } from './s3-location.js';

const port = z.coerce.number().int().min(0).max(65_535);
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );
const nameServers = list.refine((all) => all.every(isNameServer), 'must be addresses, each with or without a port');

function isNameServer(entry: string): boolean {
  const [, v6, v4] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(entry) ?? [];
  return isIP(entry) !== 0 || isIP(v6 ?? v4 ?? '') !== 0;
}

const flag = z.enum(['true', 'false', '1', '0', '']).transform((value) => value === 'true' || value === '1');

const portRange = z
  .string()
  .regex(/^\d+-\d+$/)
  .transform((text) => {
    const [min, max] = text.split('-').map(Number) as [number, number];
    return { min, max };
  })
  .refine(({ min, max }) => min >= 1024 && max <= 65_535 && max > min, 'two ports from 1024 to 65535, the lower first');

const networks = list.refine((all) => all.every(isNetwork), 'must be networks, or single addresses');

const address = z.string().refine((text) => isIP(text) !== 0, 'must be an IP address');

/** A number of hops, or networks in CIDR notation. */
const trustedProxies = z.union([
  z
    .string()
    .regex(/^\d{1,2}$/)
    .transform(Number),
  list.refine((all) => all.every(isNetwork), 'a number of proxies, or networks'),
]);

function isNetwork(entry: string): boolean {
  const [address = '', bits] = entry.split('/');
  const widest = isIP(address) === 6 ? 128 : 32;
  return isIP(address) !== 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest));
}

const origins = list.refine((all) => all.every(isOrigin), 'origins: a scheme and a host, without a path');

const isOrigin = (entry: string): boolean => URL.canParse(entry) && new URL(entry).origin === entry;

const digestAlgorithms = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim().toUpperCase()))
  .pipe(z.array(z.enum(['SHA-256', 'SHA-512-256', 'MD5'], 'SHA-256, SHA-512-256 or MD5')).min(1));

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** What each variable must look like, said when it does not. */
const EXAMPLES: Record<string, string> = {
  PORT: '3000',
  HEALTH_PORT: '9100',
  SIP_DIGEST: 'SHA-256,MD5',
  DATABASE_URL: 'postgres://user:password@localhost:5432/trunkline',
  QUEUE_URL: 'redis://localhost:6379',
  STORAGE_URL: 'file:/var/lib/trunkline/storage or s3://bucket/prefix?region=eu-central-1',
  PUBLIC_URL: 'https://calls.example.com',
  SIP_PORT: '5060',
  RTP_PORTS: '20000-20999',
  DIALER_INDEX: '0',
  LIVEKIT_URL: 'wss://livekit.example.com',
  LIVEKIT_API_KEY: 'APIxxxxxxxx',
  LIVEKIT_API_SECRET: 'the secret of that key, from the configuration of the LiveKit server',
  SIP_TLS_KEY: '/etc/trunkline/tls/tls.key',
  SIP_TLS_CERT: '/etc/trunkline/tls/tls.crt',
  SIP_DNS_SERVERS: '192.0.2.53,[2001:db8::53]:5353',
  TRUST_PROXY: '1 or 10.0.0.0/8,fd00::/8',
  CORS_ORIGINS: 'https://app.example.com,https://admin.example.com',
  SIP_PUBLIC_IP: '203.0.113.7',
  MEDIA_PUBLIC_IP: '203.0.113.7',
  SIP_ALLOW_CIDRS: '10.20.0.0/16,192.0.2.10/32',
  EGRESS_ALLOW_CIDRS: '10.20.0.0/16',
  EGRESS_PROXY_URL: 'http://proxy.example.com:3128',
  KNOWLEDGE_CACHE_MB: '256',
  SECRET_KEY: 'the output of: openssl rand -hex 32',
  SECRET_KEY_FALLBACKS: 'the key before this one',
  SANDBOX_SIP_PORT: '5070',
  LOG_TO: 'stdout',
  LOG_LEVEL: 'info',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector:4318',
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.1',
  ...EMBEDDINGS_EXAMPLES,
  ...SUMMARY_EXAMPLES,
  ...PROVIDERS_EXAMPLES,
};

const variables = z.object({
  ...embeddingsVariables.shape,
  ...providersVariables.shape,
  ...summaryVariables.shape,
  NODE_ENV: z.string().default('production'),
  /** HTTP port of the api process. */
  PORT: port.default(3000),
  /** Where a process answers /health/live, /health/ready and /metrics, beside PORT; absent: nowhere. `start`: of the api, the worker has the next one and the dialer the one after. */
  HEALTH_PORT: port.optional(),
  HOST: z.string().default('0.0.0.0'),
  /** Where embedded data, recordings and ready.json live. */
  TRUNKLINE_HOME: z.string().default('.trunkline'),
  /** PostgreSQL 14 or newer; with `?pgbouncer=true` through a pooler in transaction mode. Absent: the embedded one, under TRUNKLINE_HOME. */
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .optional(),
  DATABASE_POOL: z.coerce.number().int().min(1).max(100).default(10),
  /** `redis://…`, `redis+sentinel://…/name` or `redis+cluster://…` (see RedisLocation); absent: the same PostgreSQL. */
  QUEUE_URL: z.string().optional(),
  /** `file:…` or `s3://bucket/prefix?region=…&endpoint=…&path_style=true`; absent: under TRUNKLINE_HOME. */
  STORAGE_URL: z.string().optional(),
  /** Of the S3 bucket when its address names none. The credentials are read by the AWS SDK. */
  AWS_REGION: z.string().optional(),
  /** Base of the links we hand out (recordings, pagination). Absent: http://localhost:PORT. */
  PUBLIC_URL: z.url().optional(),
  /** Encrypts secrets at rest and signs links. Every process of one installation has the same. */
  SECRET_KEY: z.string().min(32).optional(),
  /** Other keys, separated by commas, that secrets and links may be of while the key is changed (docs/operate/key-rotation.md). */
  SECRET_KEY_FALLBACKS: list.refine(
    (keys) => keys.every((key) => key.length >= 32),
    'must be keys of 32 characters or more',
  ),
  /** A token for the first account, issued by `start --role` when the database has no account yet. */
  BOOTSTRAP_TOKEN: z.string().min(24).optional(),
  /** Name of the account that BOOTSTRAP_TOKEN makes; a workspace file adds to it under the same name. */
  BOOTSTRAP_ACCOUNT: z.string().trim().min(1).max(100).default('default'),
  /** Who speaks SIP: this service, or the LiveKit server at LIVEKIT_URL (its SIP service). */
  ENGINE: z.enum(['embedded', 'livekit']).default('embedded'),
  /** The API and the rooms of the LiveKit server, with one of its API keys. Only for ENGINE=livekit. */
  LIVEKIT_URL: z
    .string()
    .regex(/^(?:https?|wss?):\/\/[^/]/)
    .optional(),
  LIVEKIT_API_KEY: z.string().optional(),
  LIVEKIT_API_SECRET: z.string().optional(),
  SIP_BIND: z.string().default('0.0.0.0'),
  SIP_PORT: port.default(5060),
  /** Address in Via, Contact and From when it is not the bound one (NAT, Kubernetes host). */
  SIP_PUBLIC_IP: address.optional(),
  /** PEM files of the certificate that SIP over TLS is served with; read anew when they change. Absent: nothing listens for TLS. */
  SIP_TLS_CERT: z.string().optional(),
  SIP_TLS_KEY: z.string().optional(),
  /** PEM file of the authorities that the certificates of those who connect must be from; absent: none is asked for. */
  SIP_TLS_CA: z.string().optional(),
  SIP_TLS_PORT: port.default(5061),
  /** Name servers for SIP hosts (NAPTR, SRV, addresses) instead of the system's. */
  SIP_DNS_SERVERS: nameServers,
  /** How long a target of a carrier may leave an INVITE without any answer before the next one is tried. */
  SIP_FAILOVER_MS: z.coerce.number().int().min(100).max(32_000).default(3_000),
  MEDIA_PUBLIC_IP: address.optional(),
  /** What inbound trunks may prove themselves with, the preferred one first. */
  SIP_DIGEST: digestAlgorithms.prefault('SHA-256,MD5'),
  RTP_PORTS: portRange.prefault('20000-20999'),
  /** A call whose remote party sends neither RTP nor RTCP ends after so long, and earlier when its dialog is gone. */
  MEDIA_SILENCE_SECONDS: z.coerce.number().int().min(30).max(86_400).default(300),
  /** Which of several dialers this is, from 0 (the index of its pod): it takes as many ports as RTP_PORTS has, that many times further on. */
  DIALER_INDEX: z.coerce.number().int().min(0).max(1_000).default(0),
  /** Worker threads for audio and agents; absent: one less than the processors, 1 to 4. 0: none, for debugging. */
  MEDIA_THREADS: z.coerce.number().int().min(0).max(32).optional(),
  /** Private networks that calls may go to; everything public is allowed. */
  SIP_ALLOW_CIDRS: networks,
  /** Private networks that webhooks, tools and URL sources may go to. */
  EGRESS_ALLOW_CIDRS: networks,
  /**
   * An HTTP proxy that webhooks, tools and URL sources go through by CONNECT. It resolves their names: its own rules must refuse
   * private addresses.
   */
  EGRESS_PROXY_URL: z
    .string()
    .regex(/^https?:\/\/[^/]+\/?$/)
    .refine((text) => URL.canParse(text))
    .optional(),
  /** Webhooks, tools and URL sources must be https. */
  HTTPS_ONLY: flag.prefault('false'),
  /** Whether URL sources are fetched only where the site's robots.txt allows it (RFC 9309). */
  URL_ROBOTS: z.enum(['honour', 'ignore']).default('honour'),
  /** MB of memory for search indexes, of the api and of the dialer each; about 1 KB per passage. */
  KNOWLEDGE_CACHE_MB: z.coerce.number().int().min(1).max(65_536).default(256),
  /** Destinations in one `to_number` array. */
  MAX_DESTINATIONS: z.coerce.number().int().min(1).max(10_000).default(100),
  /** Knowledge bases one agent may have. */
  KNOWLEDGE_BASES_PER_AGENT: z.coerce.number().int().min(1).max(10_000).default(1_000),
  /** Calls one dialer process carries at once. */
  DIALER_CALLS: z.coerce.number().int().min(1).max(2_000).default(200),
  /** File with the prices of carrier and agents (YAML); absent: example prices. */
  PRICE_BOOK: z.string().optional(),
  /** Seconds that live calls get to end after SIGTERM. */
  DRAIN_SECONDS: z.coerce.number().min(0).max(7_200).default(30),
  /** Requests a token may make in a minute, through all processes; 0: any number. An account may have its own in the workspace file. */
  REQUESTS_PER_MINUTE: z.coerce.number().int().min(0).max(100_000_000).default(60_000),
  /** Requests without a token that an address may make in a minute (recording links, documentation); 0: any number. */
  ADDRESS_REQUESTS_PER_MINUTE: z.coerce.number().int().min(0).max(100_000_000).default(3_000),
  /** Wrong tokens that an address may show in a minute; 0: any number. */
  AUTH_FAILURES_PER_MINUTE: z.coerce.number().int().min(0).max(1_000_000).default(300),
  /** Proxies whose X-Forwarded-For is believed: how many there are, or their networks. Absent: none. */
  TRUST_PROXY: trustedProxies
    .optional()
    .transform((named) => (Array.isArray(named) && named.length === 0 ? undefined : named)),
  /** Origins of web pages that may call the API from a browser; none by default. */
  CORS_ORIGINS: origins,
  /** Connections of one api process at once; further ones are closed. */
  MAX_CONNECTIONS: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  /** Days that the log of administrative acts is kept. */
  AUDIT_DAYS: z.coerce.number().int().min(1).max(36_500).default(365),
  /** Swagger UI and openapi.json at /docs. */
  DOCS: flag.prefault('true'),
  /** The web page for people at /console. */
  CONSOLE: flag.prefault('true'),
  /** SIP port of the sandbox phone that `start` runs beside the service; 0: a free one, kept from start to start. */
  SANDBOX_SIP_PORT: port.default(0),
  /** Where `start` sends the JSON log lines of its parts: files under TRUNKLINE_HOME/logs, or its own stdout (containers). */
  LOG_TO: z.enum(['files', 'stdout']).default('files'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Collector that gets traces by OTLP over HTTP (docs/watch.md); absent: nothing is traced. Other OTEL_ variables are read by OpenTelemetry itself. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** `service.name` of the spans; absent: trunkline-api, trunkline-worker, trunkline-dialer. */
  OTEL_SERVICE_NAME: z.string().optional(),
  /** Which traces are recorded; absent: those of callers who record theirs, and all that begin here. */
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).optional(),
  /** Of the samplers by ratio: which part of the traces. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).optional(),
});

/** The names of all that is read. */
export const VARIABLES: readonly string[] = Object.keys(variables.shape);

const LIVEKIT = ['LIVEKIT_URL', 'LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET'] as const;

const schema = variables.superRefine((env, context) => {
  const { SIP_TLS_CERT: cert, SIP_TLS_KEY: key } = env;
  const miss = (name: string, message: string): void => context.addIssue({ code: 'custom', path: [name], message });
  if ((cert === undefined) !== (key === undefined))
    miss(cert === undefined ? 'SIP_TLS_CERT' : 'SIP_TLS_KEY', 'a certificate and its key belong together');
  if (rtpPortsOf(env).max > 65_535) miss('DIALER_INDEX', 'there are not so many ports for RTP_PORTS of this size');
  const embeddings = embeddingsProblem(env);
  if (embeddings) miss(embeddings.name, embeddings.message);
  const storage = env.STORAGE_URL === undefined ? undefined : storageProblem(env.STORAGE_URL, env.AWS_REGION);
  if (storage !== undefined) miss('STORAGE_URL', storage);
  const queue = queueProblem(env);
  if (queue !== undefined) miss('QUEUE_URL', queue);
  if (env.ENGINE !== 'livekit') return;
  for (const name of LIVEKIT) if (env[name] === undefined) miss(name, 'ENGINE=livekit needs it');
});

export type Env = z.output<typeof schema>;

/** Dialers behind one address must not share ports: each takes its own piece of the range. */
function rtpPortsOf({
  RTP_PORTS: { min, max },
  DIALER_INDEX: index,
}: Pick<Env, 'RTP_PORTS' | 'DIALER_INDEX'>): Env['RTP_PORTS'] {
  const shift = index * (max - min + 1);
  return { min: min + shift, max: max + shift };
}

export class InvalidEnvironment extends Error {}

/** Reads the variables once. Empty ones count as absent. Throws InvalidEnvironment naming each wrong one, with an example. */
export function loadEnv(source: NodeJS.ProcessEnv = process.env): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return { ...parsed.data, RTP_PORTS: rtpPortsOf(parsed.data) };
  const lines = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const example = EXAMPLES[name] ? ` Example: ${name}=${EXAMPLES[name]}` : '';
    return `${name}: ${issue.message}.${example}`;
  });
  throw new InvalidEnvironment(`The environment is not usable:\n  ${lines.join('\n  ')}`);
}

/** Why the queue cannot be used: QUEUE_URL is invalid, or a pooler makes it necessary. */
function queueProblem(env: { QUEUE_URL?: string; DATABASE_URL?: string }): string | undefined {
  if (env.QUEUE_URL !== undefined) {
    const location = redisLocation(env.QUEUE_URL);
    return typeof location === 'string' ? location : undefined;
  }
  // BullMQ on PostgreSQL listens on its session.
  return env.DATABASE_URL !== undefined && isPooled(env.DATABASE_URL)
    ? 'a queue cannot be in a database behind a pooler: name a Redis'
    : undefined;
}

/**
 * Whether DATABASE_URL says that a pooler in transaction mode stands before the database: `?pgbouncer=true`. Each transaction may then run
 * in another session, so no state may be left in one: no named statements, no settings, no LISTEN, no session locks.
 */
export const isPooled = (url: string): boolean =>
  URL.canParse(url) && new URL(url).searchParams.get('pgbouncer') === 'true';

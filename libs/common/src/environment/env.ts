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
import { readsSecret, type SecretReader } from './role-secrets.js';
import { isSecret, readSecretFiles, type SecretName, withPassword } from './secret-files.js';
import { databaseTlsProblem, redisLocation, storageProblem } from './store-locations.js';

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

const HOST_NAME = /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9-]{1,63})*$/;

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

const issuer = z
  .url({ protocol: /^https?$/ })
  .max(300)
  .refine((url) => !/[?#]/.test(url))
  .transform((url) => url.replace(/\/+$/, ''));

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

/** Examples for the error messages of invalid variables. */
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
  INTERNAL_PORT: '3200',
  INTERNAL_ADDRESS: '10.20.0.7',
  MEDIA_PUBLIC_IP: '203.0.113.7',
  SIP_ALLOW_CIDRS: '10.20.0.0/16,192.0.2.10/32',
  EGRESS_ALLOW_CIDRS: '10.20.0.0/16',
  EGRESS_PROXY_URL: 'http://proxy.example.com:3128',
  KNOWLEDGE_CACHE_MB: '256',
  SECRET_KEY: 'the output of: openssl rand -hex 32',
  SECRET_KEY_FALLBACKS: 'the key before this one',
  SANDBOX_SIP_PORT: '5070',
  OIDC_ISSUER: 'https://login.example.com/realms/company',
  OIDC_CLIENT_ID: 'trunkline-console',
  OIDC_AUDIENCE: 'https://calls.example.com/api',
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
  /** Folder with one file for each secret, named for its variable. A variable that is set has priority. */
  SECRETS_DIR: z.string().optional(),
  /** HTTP port of the api process. */
  PORT: port.default(3000),
  /**
   * Port of /health/live, /health/ready and /metrics, beside PORT; absent: they are not served. With `start` it is the port of the api;
   * worker and dialer get the next two.
   */
  HEALTH_PORT: port.optional(),
  HOST: z.string().default('0.0.0.0'),
  /** Folder of embedded data, recordings and ready.json. */
  TRUNKLINE_HOME: z.string().default('.trunkline'),
  /** PostgreSQL 14 or newer; with `?pgbouncer=true` through a pooler in transaction mode. Absent: the embedded PostgreSQL under TRUNKLINE_HOME. */
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .optional(),
  /** The password of DATABASE_URL, when the URL has none. */
  DATABASE_PASSWORD: z.string().optional(),
  DATABASE_POOL: z.coerce.number().int().min(1).max(100).default(10),
  /** `redis://…`, `redis+sentinel://…/name` or `redis+cluster://…` (see RedisLocation); absent: the same PostgreSQL. */
  QUEUE_URL: z.string().optional(),
  /** The password of QUEUE_URL, when the URL has none. */
  QUEUE_PASSWORD: z.string().optional(),
  /** `file:…` or `s3://bucket/prefix?region=…&endpoint=…&path_style=true`; absent: under TRUNKLINE_HOME. */
  STORAGE_URL: z.string().optional(),
  /** Region of the S3 bucket when STORAGE_URL names none. */
  AWS_REGION: z.string().optional(),
  /** Credentials of the S3 bucket. Absent: the AWS SDK looks for profiles and roles. */
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  /** Base of generated links (recordings, pagination). Absent: http://localhost:PORT. */
  PUBLIC_URL: z.url().optional(),
  /** Encrypts secrets at rest and signs links. The same in every process of an installation. */
  SECRET_KEY: z.string().min(32).optional(),
  /** Earlier keys, separated by commas, during a key rotation (docs/operate/key-rotation.md). */
  SECRET_KEY_FALLBACKS: list.refine(
    (keys) => keys.every((key) => key.length >= 32),
    'must be keys of 32 characters or more',
  ),
  /** A token for the first account, issued by `start --role` when the database has no account yet. */
  BOOTSTRAP_TOKEN: z.string().min(24).optional(),
  /** Name of the account that BOOTSTRAP_TOKEN creates; a workspace file extends it under the same name. */
  BOOTSTRAP_ACCOUNT: z.string().trim().min(1).max(100).default('default'),
  /** The SIP stack: that of this service, or the SIP service of the LiveKit server at LIVEKIT_URL. */
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
  /** Address in Via, Contact and From when it differs from the bound one (NAT, Kubernetes host). */
  SIP_PUBLIC_IP: address.optional(),
  /** PEM files of the certificate for SIP over TLS; reloaded when they change. Absent: no TLS listener. */
  SIP_TLS_CERT: z.string().optional(),
  SIP_TLS_KEY: z.string().optional(),
  /** PEM file of the authorities of client certificates; absent: clients need no certificate. */
  SIP_TLS_CA: z.string().optional(),
  SIP_TLS_PORT: port.default(5061),
  /** Name servers for SIP hosts (NAPTR, SRV, addresses) instead of the system's. */
  SIP_DNS_SERVERS: nameServers,
  /** Time without any response to an INVITE after which the next target of the carrier is tried. */
  SIP_FAILOVER_MS: z.coerce.number().int().min(100).max(32_000).default(3_000),
  MEDIA_PUBLIC_IP: address.optional(),
  /** Digest algorithms for inbound trunks, the preferred one first. */
  SIP_DIGEST: digestAlgorithms.prefault('SHA-256,MD5'),
  RTP_PORTS: portRange.prefault('20000-20999'),
  /** A call whose remote party sends neither RTP nor RTCP ends after this time, or earlier when its dialog is gone. */
  MEDIA_SILENCE_SECONDS: z.coerce.number().int().min(30).max(86_400).default(300),
  /** Index of this dialer among several, from 0 (the index of its pod): its ports are RTP_PORTS shifted by so many times their number. */
  DIALER_INDEX: z.coerce.number().int().min(0).max(1_000).default(0),
  /** Worker threads for audio and agents; absent: one fewer than the processors, 1 to 4. 0: none, for debugging. */
  MEDIA_THREADS: z.coerce.number().int().min(0).max(32).optional(),
  /** Scheduling class of the media threads. `auto`: real time where the process may; `realtime`: with a warning where it may not. */
  MEDIA_PRIORITY: z.enum(['auto', 'realtime', 'normal']).default('auto'),
  /** Private networks that calls may reach; public addresses are always allowed. */
  SIP_ALLOW_CIDRS: networks,
  /** Private networks that webhooks, tools and URL sources may reach. */
  EGRESS_ALLOW_CIDRS: networks,
  /** An HTTP proxy for webhooks, tools and URL sources (CONNECT). It resolves the names, so its own rules must refuse private addresses. */
  EGRESS_PROXY_URL: z
    .string()
    .regex(/^https?:\/\/[^/]+\/?$/)
    .refine((text) => URL.canParse(text))
    .optional(),
  /** Webhooks, tools and URL sources must be https. */
  HTTPS_ONLY: flag.prefault('false'),
  /** Whether URL sources are fetched only where the site's robots.txt allows it (RFC 9309). */
  URL_ROBOTS: z.enum(['honour', 'ignore']).default('honour'),
  /** MB of memory for search indexes, in the api and in the dialer each; about 1 KB per passage. */
  KNOWLEDGE_CACHE_MB: z.coerce.number().int().min(1).max(65_536).default(256),
  /** Destinations in one `to_number` array. */
  MAX_DESTINATIONS: z.coerce.number().int().min(1).max(10_000).default(100),
  /** Knowledge bases per agent. */
  KNOWLEDGE_BASES_PER_AGENT: z.coerce.number().int().min(1).max(10_000).default(1_000),
  /** Port at which the api reaches this dialer, for audio in the browser; 0: a free one. */
  INTERNAL_PORT: port.default(0),
  /** Address or host name at which the api reaches this dialer; absent: that of its route to the database. */
  INTERNAL_ADDRESS: z
    .string()
    .refine((text) => isIP(text) !== 0 || HOST_NAME.test(text), 'must be an IP address or a host name')
    .optional(),
  /** Concurrent calls of one dialer process. */
  DIALER_CALLS: z.coerce.number().int().min(1).max(2_000).default(200),
  /** File with the prices of carrier and agents (YAML); absent: example prices. */
  PRICE_BOOK: z.string().optional(),
  /** Seconds in which live calls may end after SIGTERM. */
  DRAIN_SECONDS: z.coerce.number().min(0).max(7_200).default(30),
  /** Requests of a token per minute, over all processes; 0: no limit. The workspace file may set another limit for an account. */
  REQUESTS_PER_MINUTE: z.coerce.number().int().min(0).max(100_000_000).default(60_000),
  /** Requests of an address per minute without a token (recording links, documentation); 0: no limit. */
  ADDRESS_REQUESTS_PER_MINUTE: z.coerce.number().int().min(0).max(100_000_000).default(3_000),
  /** Requests of an address per minute with a wrong token; 0: no limit. */
  AUTH_FAILURES_PER_MINUTE: z.coerce.number().int().min(0).max(1_000_000).default(300),
  /** Proxies whose X-Forwarded-For is trusted: their number, or their networks. Absent: none. */
  TRUST_PROXY: trustedProxies
    .optional()
    .transform((named) => (Array.isArray(named) && named.length === 0 ? undefined : named)),
  /** Origins of web pages that may call the API from a browser; none by default. */
  CORS_ORIGINS: origins,
  /** Concurrent connections of one api process; further ones are closed. */
  MAX_CONNECTIONS: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  /** The OpenID Connect issuer of the installation: accounts with `sign_in` and no issuer use it. */
  OIDC_ISSUER: issuer.optional(),
  /** The client of the console at OIDC_ISSUER. */
  OIDC_CLIENT_ID: z.string().max(300).optional(),
  OIDC_CLIENT_SECRET: z.string().max(1_000).optional(),
  /** Audience of access tokens of OIDC_ISSUER for the API; absent: none are accepted. */
  OIDC_AUDIENCE: z.string().max(300).optional(),
  /** Requested scopes; `offline_access` lets sessions follow changes of groups. */
  OIDC_SCOPES: z.string().max(500).default('openid profile email'),
  /** The organisation in "Sign in with …". */
  OIDC_NAME: z.string().trim().max(60).optional(),
  /** A console session without requests ends after this time. */
  SESSION_IDLE_MINUTES: z.coerce.number().int().min(1).max(10_080).default(60),
  /** A console session ends after this time in any case. */
  SESSION_HOURS: z.coerce.number().int().min(1).max(720).default(12),
  /** Retention of the audit log in days. */
  AUDIT_DAYS: z.coerce.number().int().min(1).max(36_500).default(365),
  /** Swagger UI and openapi.json at /docs. */
  DOCS: flag.prefault('true'),
  /** The web console at /console. */
  CONSOLE: flag.prefault('true'),
  /** IP address of the phones of tester callers (docs/tester-calls.md); dialers must reach it. */
  TESTER_BIND: address.default('127.0.0.1'),
  /** `host:port` at which tester callers call this service; absent: SIP_PORT on this machine. */
  TESTER_TARGET: z
    .string()
    .regex(/^[^\s:]+:\d{1,5}$/)
    .optional(),
  /** SIP port of the sandbox phone that `start` runs beside the service; 0: a free port, the same at every start. */
  SANDBOX_SIP_PORT: port.default(0),
  /** Destination of the JSON log lines with `start`: files under TRUNKLINE_HOME/logs, or its own stdout (containers). */
  LOG_TO: z.enum(['files', 'stdout']).default('files'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Collector of traces by OTLP over HTTP (docs/watch.md); absent: tracing is off. OpenTelemetry itself reads other OTEL_ variables. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** `service.name` of the spans; absent: trunkline-api, trunkline-worker, trunkline-dialer. */
  OTEL_SERVICE_NAME: z.string().optional(),
  /** The sampler; absent: traces that begin here, and those that the client samples. */
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).optional(),
  /** The ratio of the samplers by ratio. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).optional(),
});

/** The names of all variables. */
export const VARIABLES: readonly string[] = Object.keys(variables.shape);

/** The names of variables that name a file with a secret. */
export const SECRET_FILES: readonly string[] = VARIABLES.filter(isSecret).map((name) => `${name}_FILE`);

const LIVEKIT = ['LIVEKIT_URL', 'LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET'] as const;

/** The variables of a program, with the relations between them. A program that does not read a secret does not need it either. */
const schemaOf = (reader?: SecretReader) =>
  variables.superRefine((env, context) => {
    const { SIP_TLS_CERT: cert, SIP_TLS_KEY: key } = env;
    const miss = (name: string, message: string): void => context.addIssue({ code: 'custom', path: [name], message });
    if ((cert === undefined) !== (key === undefined))
      miss(cert === undefined ? 'SIP_TLS_CERT' : 'SIP_TLS_KEY', 'a certificate and its key belong together');
    if (rtpPortsOf(env).max > 65_535) miss('DIALER_INDEX', 'too large for RTP_PORTS: ports end at 65535');
    const embeddings = embeddingsProblem(env);
    if (embeddings && reads(reader, 'EMBEDDINGS_API_KEY')) miss(embeddings.name, embeddings.message);
    const storage = env.STORAGE_URL === undefined ? undefined : storageProblem(env.STORAGE_URL, env.AWS_REGION);
    if (storage !== undefined) miss('STORAGE_URL', storage);
    const tls = env.DATABASE_URL === undefined ? undefined : databaseTlsProblem(env.DATABASE_URL);
    if (tls !== undefined) miss('DATABASE_URL', tls);
    const queue = queueProblem(env);
    if (queue !== undefined && reads(reader, 'QUEUE_URL')) miss('QUEUE_URL', queue);
    if ((env.OIDC_ISSUER === undefined) !== (env.OIDC_CLIENT_ID === undefined))
      miss(env.OIDC_ISSUER === undefined ? 'OIDC_ISSUER' : 'OIDC_CLIENT_ID', 'issuer and client ID belong together');
    if (env.ENGINE !== 'livekit' || !reads(reader, 'LIVEKIT_API_KEY')) return;
    for (const name of LIVEKIT) if (env[name] === undefined) miss(name, 'ENGINE=livekit requires it');
  });

/** Commands and `start` without a role read every secret. */
const reads = (reader: SecretReader | undefined, name: string): boolean =>
  reader === undefined || readsSecret(reader, name);

export type Env = z.output<typeof variables>;

/** Dialers behind one address must not share ports: each has its own range. */
function rtpPortsOf({
  RTP_PORTS: { min, max },
  DIALER_INDEX: index,
}: Pick<Env, 'RTP_PORTS' | 'DIALER_INDEX'>): Env['RTP_PORTS'] {
  const shift = index * (max - min + 1);
  return { min: min + shift, max: max + shift };
}

export class InvalidEnvironment extends Error {}

/**
 * Reads the variables once, secrets also from the file that `NAME_FILE` names and from the folder SECRETS_DIR. Empty ones count as absent.
 * A role gets only the secrets that it reads. Throws InvalidEnvironment, which names each invalid variable with an example.
 */
export function loadEnv(source: NodeJS.ProcessEnv = process.env, reader?: SecretReader): Env {
  const given = Object.fromEntries(
    Object.entries(source).filter(([name, value]) => value !== '' && !isForeign(name, reader)),
  );
  const { values, problems } = readSecretFiles(
    given,
    VARIABLES.filter((name) => !isForeign(name, reader)),
  );
  const complete = { ...given, ...values };
  problems.push(...joinPasswords(complete));
  const parsed = schemaOf(reader).safeParse(complete);
  if (parsed.success && problems.length === 0) return { ...parsed.data, RTP_PORTS: rtpPortsOf(parsed.data) };
  const lines = (parsed.error?.issues ?? []).map((issue) => {
    const name = String(issue.path[0]);
    const example = EXAMPLES[name] ? ` Example: ${name}=${EXAMPLES[name]}` : '';
    return `${name}: ${issue.message}.${example}`;
  });
  lines.unshift(...problems.map(({ name, message }) => `${name}: ${message}.`));
  throw new InvalidEnvironment(`The environment is not usable:\n  ${lines.join('\n  ')}`);
}

const isForeign = (name: string, reader: SecretReader | undefined): boolean =>
  reader !== undefined && isSecret(name) && !readsSecret(reader, name);

/** Puts passwords of variables of their own into their URLs. */
function joinPasswords(given: Record<string, string | undefined>): { name: string; message: string }[] {
  return (['DATABASE', 'QUEUE'] as const).flatMap((store) => {
    const [url, password] = [`${store}_URL`, `${store}_PASSWORD`];
    const [address, secret] = [given[url], given[password]];
    if (address === undefined || secret === undefined) return [];
    const joined = withPassword(address, secret);
    if (joined === undefined) return [{ name: password, message: `${url} has another password: remove one of them` }];
    given[url] = joined;
    return [];
  });
}

/** The secrets that this environment has, in whichever form. */
export function givenSecrets(source: NodeJS.ProcessEnv = process.env): SecretName[] {
  const { values } = readSecretFiles(source, VARIABLES);
  return VARIABLES.filter(isSecret).filter((name) => Boolean(source[name]) || values[name] !== undefined);
}

/** Why the queue cannot be used: QUEUE_URL is invalid, or a pooler makes it necessary. */
function queueProblem(env: { QUEUE_URL?: string; DATABASE_URL?: string }): string | undefined {
  if (env.QUEUE_URL !== undefined) {
    const location = redisLocation(env.QUEUE_URL);
    return typeof location === 'string' ? location : undefined;
  }
  // BullMQ on PostgreSQL listens on its session.
  return env.DATABASE_URL !== undefined && isPooled(env.DATABASE_URL)
    ? 'must name a Redis: the queue cannot use a database behind a pooler'
    : undefined;
}

/**
 * Whether DATABASE_URL declares a pooler in transaction mode: `?pgbouncer=true`. Each transaction may then run in another session, so
 * sessions must have no state: no named statements, no settings, no LISTEN, no session locks.
 */
export const isPooled = (url: string): boolean =>
  URL.canParse(url) && new URL(url).searchParams.get('pgbouncer') === 'true';

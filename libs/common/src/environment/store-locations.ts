import { accessSync, constants } from 'node:fs';
import { isIP } from 'node:net';

interface RedisNode {
  host: string;
  port: number;
}

/** The Redis of QUEUE_URL: one server, a server found through Sentinels, or a Cluster. */
export type RedisLocation =
  | { kind: 'single'; url: string }
  | {
      kind: 'sentinel';
      sentinels: RedisNode[];
      /** The name of the server in the Sentinels: `sentinel monitor <name> …`. */
      name: string;
      db: number;
      tls: boolean;
      username?: string;
      password?: string;
      sentinelPassword?: string;
    }
  | { kind: 'cluster'; nodes: RedisNode[]; tls: boolean; username?: string; password?: string };

const URL_PARTS = /^redis(s?)\+(sentinel|cluster):\/\/(?:([^@/]*)@)?([^@/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;
const NODE = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/;
const PORTS = { sentinel: 26_379, cluster: 6_379 };
const WRONG =
  'must be redis://host:6379, redis+sentinel://host:26379,host:26379/name or redis+cluster://host:6379,host:6379';

/**
 * Reads `redis://…`, `redis+sentinel://user:password@a:26379,b:26379/mymaster/0?sentinel_password=…` and
 * `redis+cluster://user:password@a:6379,b:6379`; with `rediss` for TLS. @returns a sentence when it is wrong.
 */
export function redisLocation(text: string): RedisLocation | string {
  if (/^rediss?:\/\/./.test(text)) return URL.canParse(text) ? { kind: 'single', url: text } : WRONG;
  const [, secure, kind, user, hosts = '', path = '', query = ''] = URL_PARTS.exec(text) ?? [];
  if (kind !== 'sentinel' && kind !== 'cluster') return WRONG;
  const nodes = hosts.split(',').map((part) => nodeOf(part, PORTS[kind]));
  if (!nodes.every((node) => node !== undefined)) return 'needs hosts as host:port, separated by commas';
  const credentials = credentialsOf(user);
  if (credentials === undefined) return 'needs user and password percent-encoded';
  const common = { tls: secure === 's', ...credentials };
  return kind === 'cluster' ? clusterOf(nodes, path, query, common) : sentinelOf(nodes, path, query, common);
}

type Common = { tls: boolean; username?: string; password?: string };

function clusterOf(nodes: RedisNode[], path: string, query: string, common: Common): RedisLocation | string {
  if (path !== '' || query !== '') return 'must not have a path or parameters: a Cluster has no databases';
  return { kind: 'cluster', nodes, ...common };
}

function sentinelOf(sentinels: RedisNode[], path: string, query: string, common: Common): RedisLocation | string {
  const [, name, db = '0'] = /^([\w.-]+)(?:\/(\d{1,4}))?$/.exec(path) ?? [];
  if (name === undefined) return 'needs the name of the server in the Sentinels: redis+sentinel://…/mymaster';
  const parameters = new URLSearchParams(query);
  const wrong = [...parameters.keys()].find((key) => key !== 'sentinel_password');
  if (wrong !== undefined) return `does not support the parameter ${wrong}, only sentinel_password`;
  const sentinelPassword = parameters.get('sentinel_password');
  return {
    kind: 'sentinel',
    sentinels,
    name,
    db: Number(db),
    ...common,
    ...(sentinelPassword !== null && { sentinelPassword }),
  };
}

function nodeOf(text: string, usual: number): RedisNode | undefined {
  const [, v6, name, given] = NODE.exec(text) ?? [];
  const host = v6 ?? name;
  const port = Number(given ?? usual);
  if (host === undefined || port < 1 || port > 65_535 || (v6 !== undefined && isIP(v6) !== 6)) return undefined;
  return { host, port };
}

/** `user:password`, `:password` or nothing. */
function credentialsOf(text = ''): { username?: string; password?: string } | undefined {
  const at = text.indexOf(':');
  const [username, password] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  try {
    return {
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
    };
  } catch {
    return undefined;
  }
}

/** A folder in an S3 bucket, as STORAGE_URL names it. */
export interface S3Location {
  bucket: string;
  /** Prefix of every key; empty, or without leading and trailing slashes. */
  prefix: string;
  region?: string;
  /** Of an S3-compatible service other than Amazon's. */
  endpoint?: string;
  /** `https://host/bucket/key` instead of `https://bucket.host/key`. */
  pathStyle: boolean;
}

const S3_PARAMETERS = ['region', 'endpoint', 'path_style'];
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** A folder on this machine, or an S3 location. @returns a sentence when STORAGE_URL is wrong. */
export function storageProblem(text: string, region?: string): string | undefined {
  if (text.startsWith('file:')) return undefined;
  if (!text.startsWith('s3:')) return 'must begin with file: or s3://';
  const location = s3Location(text);
  if (typeof location === 'string') return location;
  if (location.region ?? location.endpoint ?? region) return undefined;
  return 'needs ?region=… or AWS_REGION';
}

/** Reads `s3://bucket/prefix?region=…&endpoint=…&path_style=true`. @returns a sentence when it is wrong. */
export function s3Location(text: string): S3Location | string {
  if (!URL.canParse(text)) return 'must be s3://bucket/prefix';
  const url = new URL(text);
  if (url.username || url.password)
    return 'must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  if (!BUCKET.test(url.host)) return 'must name a bucket: 3 to 63 lower-case letters, digits, hyphens and dots';
  const wrong = [...url.searchParams.keys()].find((name) => !S3_PARAMETERS.includes(name));
  if (wrong !== undefined) return `does not support the parameter ${wrong}, only ${S3_PARAMETERS.join(', ')}`;
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint)) return 'needs an endpoint with http:// or https://';
  if (!/^[\w!.*'()/-]*$/.test(url.pathname)) return "must have a prefix of letters, digits and /!-_.*'()";
  const pathStyle = url.searchParams.get('path_style') ?? 'false';
  if (!/^(?:true|false)$/.test(pathStyle)) return 'needs path_style to be true or false';
  const region = url.searchParams.get('region');
  return {
    bucket: url.host,
    prefix: url.pathname.replace(/^\/+|\/+$/g, ''),
    ...(region !== null && { region }),
    ...(endpoint !== undefined && { endpoint }),
    pathStyle: pathStyle === 'true',
  };
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const SSL_FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/** Why the TLS parameters of DATABASE_URL cannot be used. Otherwise a wrong mode would be an unencrypted connection without a word. */
export function databaseTlsProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { searchParams } = new URL(text);
  const mode = searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode)) return `needs one of the sslmodes ${SSL_MODES.join(', ')}`;
  for (const name of SSL_FILES) {
    const problem = fileProblem(searchParams.get(name));
    if (problem !== undefined) return `names a file in ${name} that cannot be read: ${problem}`;
  }
  return undefined;
}

function fileProblem(path: string | null): string | undefined {
  try {
    if (path !== null) accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return `${path} (${(error as NodeJS.ErrnoException).code})`;
  }
}

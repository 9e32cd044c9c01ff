import { allowList, type Env, isAddressAllowed, missingSecrets, readsSecret, type SecretReader } from '@app/common';
import { probeQueue } from '@app/queue';
import { openStorage, storageFolder, tryStorage } from '@app/storage';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { semanticSearch } from './embedder-check.js';
import { type CheckResult, type NamedCheck, ok, warning, wrong } from './finding.js';
import { homeOf } from '../installation-home.js';

const QUEUE_MS = 5_000;
const DAY_MS = 86_400_000;
const GB = 1e9;

/** Checks of this machine, the queue, the storage and the embedder; they need no database. */
export const localChecks = (env: Env): NamedCheck[] => [
  ['queue', () => queue(env), 'Start Redis, or correct QUEUE_URL. Until then the sweeps find work within a second.'],
  [
    'storage',
    () => storage(env),
    'Correct STORAGE_URL, the credentials of the bucket, or the permissions of the folder.',
  ],
  ['secrets', () => Promise.resolve(secrets(env)), 'See docs/operate/secrets.md.'],
  ['disk', () => disk(env), 'Make the directory TRUNKLINE_HOME readable for this user.'],
  ['egress', () => Promise.resolve(egress(env)), 'Correct EGRESS_ALLOW_CIDRS.'],
  ['rtp ports', () => Promise.resolve(rtpPorts(env)), 'Correct RTP_PORTS.'],
  ['sip certificate', () => certificate(env), 'Correct SIP_TLS_CERT and SIP_TLS_KEY.'],
  ['semantic search', () => semanticSearch(env), 'Correct the variables of embeddings; see docs/embeddings.md.'],
];

async function queue(env: Env): Promise<CheckResult> {
  const { waiting, persistent } = await probeQueue(env, QUEUE_MS);
  if (persistent === undefined) return ok(`in PostgreSQL, ${waiting} wake-ups waiting`);
  if (persistent) return ok(`Redis answers and persists its jobs (AOF), ${waiting} wake-ups waiting`);
  return warning(
    'Redis answers, but loses its jobs when it is killed',
    'Set appendonly yes. Without it no work is lost: the sweeps find it within a second.',
  );
}

async function storage(env: Env): Promise<CheckResult> {
  await tryStorage(openStorage(env));
  return ok(
    `files can be written, read and deleted in ${storageFolder(env) === undefined ? 'the bucket' : 'the folder'}`,
  );
}

const SERVING: readonly SecretReader[] = ['api', 'worker', 'dialer'];

/** Of the processes that serve: this environment should have what each of them needs. */
function secrets(env: Env): CheckResult {
  const [lack] = SERVING.flatMap((reader) => missingSecrets(reader, env));
  if (lack === undefined) return ok('the settings have the secrets that they need');
  const readers = SERVING.filter((reader) => lack.names.some((name) => readsSecret(reader, name)));
  return warning(
    `${lack.setting} needs ${lack.names.join(' or ')}, which is not set here`,
    `Set it for ${readers.join(', ')}, as a variable or a file (docs/operate/secrets.md).`,
  );
}

async function disk(env: Env): Promise<CheckResult> {
  const folders = [homeOf(env), storageFolder(env)].filter((folder) => folder !== undefined).map(nearestExisting);
  const rooms = await Promise.all(folders.map(roomOf));
  const tight = rooms.find(({ bavail, blocks, bsize }) => bavail * bsize < 2 * GB || bavail / blocks < 0.05);
  if (tight) {
    const left = ((tight.bavail * tight.bsize) / GB).toFixed(1);
    return wrong(`${left} GB are free for ${tight.folder}`, 'Free disk space, or shorten the retention of recordings.');
  }
  const least = Math.min(...rooms.map(({ bavail, bsize }) => bavail * bsize));
  return ok(`${Math.round(least / GB)} GB are free`);
}

async function roomOf(folder: string) {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { folder, bavail, blocks, bsize };
}

/** The folder, or its nearest parent that exists. */
function nearestExisting(folder: string): string {
  const path = resolve(folder);
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

const METADATA = ['169.254.169.254', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254'];

/** Webhooks, tools and URL sources must never reach the machine's credentials, whatever networks are allowed. */
function egress({ EGRESS_ALLOW_CIDRS: cidrs, SIP_ALLOW_CIDRS: sip }: Env): CheckResult {
  const open = METADATA.filter((address) => isAddressAllowed(address, allowList(cidrs)));
  if (open.length > 0)
    return wrong(`requests may go to ${open[0]}, which serves credentials`, 'Narrow EGRESS_ALLOW_CIDRS.');
  if (cidrs.length + sip.length === 0) return ok('requests and calls go to public addresses only');
  return ok(`also allowed: requests to ${cidrs.join(', ') || 'none'}, calls to ${sip.join(', ') || 'none'}`);
}

/** A leg uses one port for RTP and the next for RTCP; a transfer adds a second leg. */
function rtpPorts({ RTP_PORTS: { min, max }, DIALER_CALLS: calls }: Env): CheckResult {
  const legs = Math.floor((max - min + 1) / 2);
  if (legs >= calls) return ok(`${legs} legs at once (${min}-${max}) for ${calls} calls`);
  return warning(
    `${legs} legs fit into ${min}-${max}, and DIALER_CALLS is ${calls}`,
    'Widen RTP_PORTS: two ports per leg.',
  );
}

async function certificate({ SIP_TLS_CERT: cert, SIP_TLS_KEY: key }: Env): Promise<CheckResult> {
  if (cert === undefined || key === undefined) return ok('none: SIP over TLS is off');
  const found = new X509Certificate(await readFile(cert));
  if (!found.checkPrivateKey(createPrivateKey(await readFile(key))))
    return wrong('certificate and key do not match', 'Set SIP_TLS_KEY to the key of this certificate.');
  const days = Math.floor((Date.parse(found.validTo) - Date.now()) / DAY_MS);
  if (days < 0) return wrong(`it expired ${-days} days ago`, 'Renew it; the dialers reload the files automatically.');
  if (days < 14) return warning(`it expires in ${days} days`, 'Renew it; the dialers reload the files automatically.');
  return ok(`valid for ${days} days`);
}

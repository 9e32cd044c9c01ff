import { allowList, type Env, isAddressAllowed } from '@app/common';
import { probeQueue } from '@app/queue';
import { openStorage, storageFolder, tryStorage } from '@app/storage';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type CheckResult, type NamedCheck, ok, warning, wrong } from './finding.js';
import { homeOf } from '../instance.js';

const QUEUE_MS = 5_000;
const DAY_MS = 86_400_000;
const GB = 1e9;

/** Checks of this machine, the queue and the storage; they need no database. */
export const localChecks = (env: Env): NamedCheck[] => [
  [
    'queue',
    () => queue(env),
    'Start Redis, or correct QUEUE_URL. Until then work is found by looking, a second later.',
  ],
  ['storage', () => storage(env), 'Correct STORAGE_URL, the credentials of the bucket, or the rights on the folder.'],
  ['disk', () => disk(env), 'Make the folder of TRUNKLINE_HOME readable for this user.'],
  ['egress', () => Promise.resolve(egress(env)), 'Correct EGRESS_ALLOW_CIDRS.'],
  ['rtp ports', () => Promise.resolve(rtpPorts(env)), 'Correct RTP_PORTS.'],
  ['sip certificate', () => certificate(env), 'Correct SIP_TLS_CERT and SIP_TLS_KEY.'],
];

async function queue(env: Env): Promise<CheckResult> {
  const { waiting, persistent } = await probeQueue(env, QUEUE_MS);
  if (persistent === undefined) return ok(`in PostgreSQL, ${waiting} wake-ups wait`);
  if (persistent) return ok(`Redis answers and keeps what it has (AOF), ${waiting} wake-ups wait`);
  return warning(
    'Redis answers, and forgets its jobs when it is killed',
    'Set appendonly yes. Nothing is lost without it: the sweepers find the work, a second later.',
  );
}

async function storage(env: Env): Promise<CheckResult> {
  await tryStorage(openStorage(env));
  return ok(`${storageFolder(env) === undefined ? 'the bucket' : 'the folder'} takes, gives and deletes files`);
}

async function disk(env: Env): Promise<CheckResult> {
  const folders = [homeOf(env), storageFolder(env)].filter((folder) => folder !== undefined).map(nearestExisting);
  const rooms = await Promise.all(folders.map(roomOf));
  const tight = rooms.find(({ bavail, blocks, bsize }) => bavail * bsize < 2 * GB || bavail / blocks < 0.05);
  if (tight) {
    const left = ((tight.bavail * tight.bsize) / GB).toFixed(1);
    return wrong(`${left} GB are left for ${tight.folder}`, 'Make room, or shorten the retention of recordings.');
  }
  const least = Math.min(...rooms.map(({ bavail, bsize }) => bavail * bsize));
  return ok(`${Math.round(least / GB)} GB are left`);
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

/** Webhooks, tools and URL sources must not get at the keys of the machine, whatever is opened. */
function egress({ EGRESS_ALLOW_CIDRS: cidrs, SIP_ALLOW_CIDRS: sip }: Env): CheckResult {
  const open = METADATA.filter((address) => isAddressAllowed(address, allowList(cidrs)));
  if (open.length > 0)
    return wrong(`requests may go to ${open[0]}, which gives out credentials`, 'Narrow EGRESS_ALLOW_CIDRS.');
  if (cidrs.length + sip.length === 0) return ok('requests and calls go to public addresses only');
  return ok(`beside public addresses: requests to ${cidrs.join(', ') || 'none'}, calls to ${sip.join(', ') || 'none'}`);
}

/** A leg has a port for RTP and the next one for RTCP; a transfer is a second leg. */
function rtpPorts({ RTP_PORTS: { min, max }, DIALER_CALLS: calls }: Env): CheckResult {
  const legs = Math.floor((max - min + 1) / 2);
  if (legs >= calls) return ok(`${legs} legs at once (${min}-${max}) for ${calls} calls`);
  return warning(
    `${legs} legs fit into ${min}-${max}, and DIALER_CALLS is ${calls}`,
    'Widen RTP_PORTS: two ports per leg.',
  );
}

async function certificate({ SIP_TLS_CERT: cert, SIP_TLS_KEY: key }: Env): Promise<CheckResult> {
  if (cert === undefined || key === undefined) return ok('none: nothing listens for SIP over TLS');
  const found = new X509Certificate(await readFile(cert));
  if (!found.checkPrivateKey(createPrivateKey(await readFile(key))))
    return wrong('certificate and key do not fit', 'Put the key of this certificate into SIP_TLS_KEY.');
  const days = Math.floor((Date.parse(found.validTo) - Date.now()) / DAY_MS);
  if (days < 0) return wrong(`it ended ${-days} days ago`, 'Renew it; the dialers read the files anew by themselves.');
  if (days < 14) return warning(`it ends in ${days} days`, 'Renew it; the dialers read the files anew by themselves.');
  return ok(`valid for ${days} days`);
}

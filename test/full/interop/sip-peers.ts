import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode } from '@app/telephony';
import { PATIENCE_MS } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { sineWave } from './heard-tone.js';

/** An external SIP program on loopback, started for one test and ended by its pid. */
export interface SipPeer {
  port: number;
  /** Resolves with the exit code; That of SIPp is 0 when every call followed its scenario. */
  exited: Promise<number>;
  /** Suspends the program, so that messages wait for it; `thaw` resumes it. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

const HERE = fileURLToPath(new URL('.', import.meta.url));
const HOST = '127.0.0.1' as const;
/** A range without other peers. SIPp opens the next even port for video as well. */
const SIPP_MEDIA = { first: 19_000, count: 125, step: 8 };
const RINGING = 'ringing.ul';
const RINGING_HZ = 425;

/** Debian packages: sip-tester, kamailio. */
export const SIP_PROGRAMS = ['sipp', 'kamailio'];

/**
 * SIPp as the callee of one call, or of several. `verdict` is the status line of scenarios/reject.xml and others, or the Contact of
 * scenarios/moved.xml. Those with `[audio]` play a ringing tone of 425 Hz.
 */
export const startSipp = (o: SippCallee): Promise<SipPeer> => onFreePorts(() => sippCallee(o));

interface SippCallee {
  scenario: string;
  transport: 'udp' | 'tcp';
  verdict?: string;
  host?: LoopbackHost;
  calls?: number;
  /** Ignores unexpected messages; otherwise SIPp would end the call with one BYE that it never repeats. Over UDP by default: a repeated request is none. */
  lenient?: boolean;
}

async function sippCallee(o: SippCallee): Promise<SipPeer> {
  const { host = HOST, calls = 1 } = o;
  const [port, mediaPort] = [await freePort(), await freePort(SIPP_MEDIA)];
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-sipp-'));
  const scenario = await readFile(`${HERE}scenarios/${o.scenario}.xml`, 'utf8');
  // SIPp checks status codes when it reads the file, so -key is too late for them.
  const text = scenario.replaceAll('[verdict]', o.verdict ?? '').replaceAll('[audio]', join(folder, RINGING));
  await writeFile(join(folder, 'scenario.xml'), text);
  await writeFile(join(folder, RINGING), encode('PCMU', sineWave(RINGING_HZ, 1_000)));
  const args = ['-sf', join(folder, 'scenario.xml'), '-i', host, '-p', `${port}`, '-mi', host];
  args.push('-mp', `${mediaPort}`, '-t', o.transport === 'tcp' ? 't1' : 'u1', '-m', `${calls}`);
  args.push('-timeout', `${PATIENCE_MS / 1_000}s`);
  if (o.lenient ?? o.transport === 'udp') args.push('-default_behaviors', 'all,-abortunexp');
  // SIPp writes its screen to standard output and reads keys from standard input.
  try {
    return await start('sipp', [...args, '-nostdin', '-timeout_error'], { host, port, transport: o.transport });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** SIPp as the caller of `calls` calls to a number, from an address of loopback. Resolves with its exit code when all are over. */
export async function callWithSipp(o: {
  scenario: string;
  port: number;
  from: string;
  number: string;
  transport?: 'udp' | 'tcp';
  calls?: number;
}): Promise<number> {
  const args = ['-sf', `${HERE}scenarios/${o.scenario}.xml`, `${HOST}:${o.port}`, '-i', o.from, '-mi', o.from];
  args.push('-s', o.number, '-m', `${o.calls ?? 1}`, '-r', '200', '-t', o.transport === 'tcp' ? 't1' : 'u1');
  args.push(
    '-timeout',
    `${PATIENCE_MS / 1_000}s`,
    '-timeout_error',
    '-nostdin',
    '-mp',
    `${await freePort(SIPP_MEDIA)}`,
  );
  const child = spawn('sipp', args, { stdio: 'ignore', env: { ...process.env, TERM: 'dumb' } });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? -1;
}

/** Kamailio as a carrier's proxy: requires digest credentials (user `trunkline`, password `secret`), then calls `calleePort` over UDP. */
export const startKamailio = (o: KamailioTrunk): Promise<SipPeer & { tlsPort: number }> =>
  onFreePorts(() => kamailioTrunk(o));

interface KamailioTrunk {
  calleePort: number;
  algorithm: 'MD5' | 'SHA-256';
  /** Requires no credentials: a proxy inside the carrier's network. */
  open?: boolean;
  host?: LoopbackHost;
  tls?: { certFile: string; keyFile: string; clientCaFile?: string };
}

async function kamailioTrunk(o: KamailioTrunk): Promise<SipPeer & { tlsPort: number }> {
  const { host = HOST, tls } = o;
  const [port, tlsPort] = [await freePort(), await freePort()];
  const at = host === HOST ? HOST : `[${host}]`;
  const args = ['-DD', '-E', '-f', `${HERE}kamailio.cfg`, '-m', '64', '-M', '8'];
  args.push('-l', `udp:${at}:${port}`, '-l', `tcp:${at}:${port}`);
  args.push('-A', `TRUNKLINE_CALLEE=sip:${at}:${o.calleePort}`);
  if (o.algorithm === 'SHA-256') args.push('-A', 'TRUNKLINE_SHA256');
  if (o.open) args.push('-A', 'TRUNKLINE_OPEN');
  if (tls) {
    args.push('-l', `tls:${at}:${tlsPort}`, '-A', `TRUNKLINE_TLS_CERT="${tls.certFile}"`);
    args.push('-A', `TRUNKLINE_TLS_KEY="${tls.keyFile}"`);
    if (tls.clientCaFile !== undefined) args.push('-A', `TRUNKLINE_TLS_CLIENT_CA="${tls.clientCaFile}"`);
  }
  const peer = await start('kamailio', args, { host, port: tls ? tlsPort : port, transport: 'tcp' });
  return { ...peer, port, tlsPort };
}

/** Kamailio as a PBX that keeps registrations (password `secret` for every user) and passes calls to them, over UDP and TCP. */
export const startRegistrar = (): Promise<SipPeer> =>
  onFreePorts(async () => {
    const port = await freePort();
    const args = ['-DD', '-E', '-f', `${HERE}kamailio-registrar.cfg`, '-m', '64', '-M', '8'];
    args.push('-l', `udp:${HOST}:${port}`, '-l', `tcp:${HOST}:${port}`);
    return start('kamailio', args, { host: HOST, port, transport: 'tcp' });
  });

type LoopbackHost = '127.0.0.1' | '::1';

interface Socket {
  host: LoopbackHost;
  port: number;
  transport: 'udp' | 'tcp';
}

/** A free port may be taken a moment later, by a program of another run: then this one is restarted on other ports. */
export async function onFreePorts<T>(begin: () => Promise<T>, tries = 3): Promise<T> {
  try {
    return await begin();
  } catch (error) {
    if (tries === 1 || !String(error).includes('in use')) throw error;
    return onFreePorts(begin, tries - 1);
  }
}

/** Runs the program until `stop`; resolves when it listens on `socket`. */
export async function start(command: string, args: string[], socket: Socket): Promise<SipPeer> {
  // A separate process group, so that `stop` ends its workers as well.
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, TERM: 'dumb' },
  });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints = `${complaints}${chunk.toString()}`.slice(-2_000)));
  const exited = once(child, 'exit').then(([code]) => (code as number | null) ?? -1);
  const early = exited.then((code) => {
    throw new Error(`${command} ended with ${code} before it listened: ${complaints}`);
  });
  early.catch(() => undefined);
  try {
    await Promise.race([listening(socket), early]);
  } catch (error) {
    await stop(child, exited);
    throw error;
  }
  return {
    port: socket.port,
    exited,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: () => stop(child, exited),
  };
}

/** Kamailio loses a SIGTERM while it forks its workers: after two seconds it is killed with its workers. */
async function stop(child: ChildProcess, exited: Promise<number>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const late = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 2_000);
  await exited;
  clearTimeout(late);
}

/** The kernel's table of sockets shows when a port is bound; a probe would be a call to SIPp. */
async function listening({ host, port, transport }: Socket): Promise<void> {
  const v6 = host === '::1';
  const wanted = `${v6 ? `${'0'.repeat(24)}01000000` : '0100007F'}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const deadline = Date.now() + PATIENCE_MS;
  // A TCP port of an earlier peer is listed as well, in another state than LISTEN (0A).
  const line = new RegExp(`: ${wanted} [0:]+ ${transport === 'tcp' ? '0A' : '07'} `);
  while (!line.test(await readFile(`/proc/net/${transport}${v6 ? '6' : ''}`, 'latin1'))) {
    if (Date.now() > deadline) throw new Error(`nothing listens on ${transport} port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

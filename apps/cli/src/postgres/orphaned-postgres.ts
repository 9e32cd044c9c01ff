import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 30_000;
const POLL_MS = 25;

/**
 * Ends a server that a killed supervisor left on this data directory, so that it can be started anew. The process of
 * postmaster.pid is touched only if it is a `postgres` that was started on this very directory: pids are used again.
 * The caller holds the lock of the home, so no other process starts one. Throws when it does not end within 30 s.
 */
export async function stopOrphan(data: string, say: (line: string) => void): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const pid = pidIn(pidFile);
  if (pid === undefined) return;
  if (!servesData(pid, data)) {
    // Without this, a process that got the pid meanwhile would make PostgreSQL believe that it is still running.
    rmSync(pidFile, { force: true });
    return;
  }
  say(`a PostgreSQL of an earlier start is still running (pid ${pid}): stopping it`);
  signalServer(pid);
  const until = Date.now() + PATIENCE_MS;
  while (servesData(pid, data)) {
    if (Date.now() > until)
      throw new Error(`PostgreSQL (pid ${pid}) on ${data} does not stop. End it, then start again.`);
    await delay(POLL_MS);
  }
}

/** The server's process id, or undefined when there is no readable postmaster.pid. */
export function pidIn(pidFile: string): number | undefined {
  if (!existsSync(pidFile)) return undefined;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  return pid > 0 ? pid : undefined;
}

/** SIGINT is PostgreSQL's fast shutdown: sessions are ended, transactions rolled back, data flushed. */
function signalServer(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function servesData(pid: number, data: string): boolean {
  const [command, ...args] = commandLine(pid);
  return command !== undefined && basename(command) === 'postgres' && args.includes(data);
}

/** Empty for a process that is gone, and for one that ended but was not collected by its parent yet. */
function commandLine(pid: number): string[] {
  if (process.platform !== 'linux') return listed(pid).trim().split(/\s+/);
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) ? readFileSync(file, 'utf8').split('\0') : [];
}

function listed(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

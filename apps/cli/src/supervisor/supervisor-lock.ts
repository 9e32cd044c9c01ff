import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../instance.js';
import { Problem } from '../problem.js';

interface Holder {
  pid: number;
  /** When that process began, in the system's own words: a pid alone may belong to another process by now. */
  since: string;
}

/**
 * Makes sure that one supervisor works in a home. Returns what gives the home back.
 * Throws Problem with the pid and address of the one that is running.
 */
export function lockHome(home: string): () => void {
  const file = join(home, 'supervisor.lock');
  const held = readJson(file) as Holder | undefined;
  if (held && beginOf(held.pid) === held.since) throw new Problem(alreadyRunning(home, held.pid));
  rmSync(file, { force: true });
  const holder: Holder = { pid: process.pid, since: beginOf(process.pid) ?? '' };
  try {
    writeFileSync(file, JSON.stringify(holder), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Problem(`Another \`start\` has just taken ${home}.`, { cause: error });
  }
  return () => rmSync(file, { force: true });
}

function alreadyRunning(home: string, pid: number): string {
  const ready = readJson(join(home, 'ready.json')) as { base_url: string } | undefined;
  const where = ready ? ` at ${ready.base_url}` : ' (still starting, or stopping)';
  return (
    `Trunkline is already running in ${home}: pid ${pid}${where}. Use that one, end it (Ctrl-C there, or kill ${pid}), ` +
    'or run a second one beside it: TRUNKLINE_HOME=.trunkline-2 PORT=3001 npm start'
  );
}

/** undefined: there is no such process. */
function beginOf(pid: number): string | undefined {
  return process.platform === 'linux' ? beginOnLinux(pid) : beginByPs(pid);
}

/** proc(5): field 22, clock ticks since boot; the name in field 2 may contain spaces and parentheses. */
function beginOnLinux(pid: number): string | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  const stat = readFileSync(file, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function beginByPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

import { readdir, readFile } from 'node:fs/promises';

/** /proc counts CPU in ticks of 1/100 s (sysconf(_SC_CLK_TCK) on Linux). */
const TICK_MS = 10;

interface Stat {
  pid: number;
  parent: number;
  /** User and system CPU time so far, including children that have ended. */
  ms: number;
}

/** CPU time so far of these processes and all their descendants: PostgreSQL and the document parser work in child processes. */
export async function cpuOfTrees(roots: readonly number[]): Promise<number> {
  const found = (await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(statOf))).filter(
    (stat) => stat !== undefined,
  );
  const children = new Map<number, Stat[]>();
  for (const stat of found) children.set(stat.parent, [...(children.get(stat.parent) ?? []), stat]);
  const byPid = new Map(found.map((stat) => [stat.pid, stat]));
  const sum = (pid: number): number =>
    (byPid.get(pid)?.ms ?? 0) + (children.get(pid) ?? []).reduce((total, child) => total + sum(child.pid), 0);
  return roots.reduce((total, pid) => total + sum(pid), 0);
}

/** CPU time in ms that all processes of this machine have used so far. */
export async function cpuOfMachine(): Promise<number> {
  const [line = ''] = (await readFile('/proc/stat', 'latin1')).split('\n');
  // user nice system idle iowait irq softirq steal
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq) * TICK_MS;
}

/** undefined: the process has ended. */
async function statOf(pid: string): Promise<Stat | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  if (stat === undefined) return undefined;
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, userOfChildren = 0, systemOfChildren = 0] = fields.slice(11, 15);
  return {
    pid: Number(pid),
    parent: fields[1] ?? 0,
    ms: (user + system + userOfChildren + systemOfChildren) * TICK_MS,
  };
}

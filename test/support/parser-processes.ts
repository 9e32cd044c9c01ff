import { readdir, readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';

/** Child processes of a process. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8')));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** The parser processes among them. */
export async function readersOf(pid: number): Promise<number[]> {
  // A process may end after it was listed.
  const commandOf = (child: number): Promise<string> => readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
  const children = await childrenOf(pid);
  const commands = await Promise.all(children.map(commandOf));
  return children.filter((_, at) => commands[at]!.includes('parsing/parser-process.js'));
}

/** Whether a process has ended; a zombie counts as ended. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

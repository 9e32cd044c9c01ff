/** A variable that looks right, but whose port or file cannot be used here; the message says which one, and what to do. */
export class UnusableSetting extends Error {}

const PORTS: Record<string, (name: string) => string> = {
  EADDRINUSE: (name) => `is in use by another program. Set ${name} to a free one.`,
  EACCES: (name) => `needs privileges this process has not. Set ${name} to 1024 or more.`,
};
const FILES: Record<string, string> = {
  ENOENT: 'is not there.',
  EACCES: 'may not be read by this process.',
  EISDIR: 'is a folder, not a file.',
};

/** The error of a port or a file by the variable that it is the value of; any other as it is. */
export function bySetting(error: unknown, settings: Readonly<Record<string, number | string | undefined>>): unknown {
  const { code = '', port, path } = error as NodeJS.ErrnoException & { port?: number };
  const [name, value] =
    Object.entries(settings).find(([, one]) => one !== undefined && (one === port || one === path)) ?? [];
  if (name === undefined) return error;
  const sentence = value === port ? PORTS[code]?.(name) : FILES[code];
  return sentence === undefined ? error : new UnusableSetting(`${name} ${value} ${sentence}`, { cause: error });
}

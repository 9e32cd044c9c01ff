import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

type LogTarget = 'files' | 'stdout';

const MAX_BYTES = 10 * 1024 * 1024;
const NOISY = new Set(['warn', 'error', 'fatal']);
const KEPT_LINES = 5;

interface LogLine {
  level: string;
  msg?: string;
  err?: { message?: string };
  [field: string]: unknown;
}

/**
 * The log output of the child processes of `start`. Target `files`: all lines go to logs/<role>.log (renamed to <role>.log.1 at 10 MB,
 * replacing the previous one), and warnings and errors also to the terminal in short form. Target `stdout`: every line unchanged.
 */
export class RoleLogs {
  private readonly files = new Map<string, RotatingFile>();
  private readonly last = new Map<string, string[]>();

  constructor(
    private readonly directory: string,
    private readonly target: LogTarget,
  ) {
    if (target === 'files') mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  collect(role: string, stream: Readable): void {
    createInterface({ input: stream }).on('line', (line) => this.write(role, line));
  }

  /** The last errors of a role in short form, for the message that it could not start. */
  lastErrors(role: string): string[] {
    return this.last.get(role) ?? [];
  }

  close(): void {
    for (const file of this.files.values()) file.close();
  }

  private write(role: string, line: string): void {
    const short = inShort(line);
    if (short) this.remember(role, short);
    if (this.target === 'stdout') return void process.stdout.write(`${line}\n`);
    this.fileOf(role).write(line);
    if (short) console.error(`  [${role}] ${short}`);
  }

  private remember(role: string, short: string): void {
    this.last.set(role, [...this.lastErrors(role), short].slice(-KEPT_LINES));
  }

  private fileOf(role: string): RotatingFile {
    const file = this.files.get(role) ?? new RotatingFile(join(this.directory, `${role}.log`));
    this.files.set(role, file);
    return file;
  }
}

/** `warn: the sentence (key=value …)`; undefined below level warn. A line that is not JSON comes from a crash and stays unchanged. */
function inShort(line: string): string | undefined {
  if (!line.startsWith('{')) return line.trim() || undefined;
  const { level, msg, err, time: _time, pid: _pid, role: _role, ...fields } = JSON.parse(line) as LogLine;
  if (!NOISY.has(level)) return undefined;
  const details = Object.entries(fields).flatMap(([key, value]) =>
    typeof value === 'object' ? [] : [`${key}=${JSON.stringify(value)}`],
  );
  const reason = err?.message ? `: ${err.message}` : '';
  return `${level}: ${msg ?? ''}${reason}${details.length > 0 ? ` (${details.join(' ')})` : ''}`;
}

/** Writes synchronously: there are few lines, and none may be lost when the process ends. */
class RotatingFile {
  private file: number;
  private bytes: number;

  constructor(private readonly path: string) {
    this.bytes = existsSync(path) ? statSync(path).size : 0;
    this.file = openSync(path, 'a', 0o600);
  }

  write(line: string): void {
    if (this.bytes > MAX_BYTES) this.rotate();
    this.bytes += writeSync(this.file, `${line}\n`);
  }

  close(): void {
    closeSync(this.file);
  }

  private rotate(): void {
    this.close();
    renameSync(this.path, `${this.path}.1`);
    this.file = openSync(this.path, 'a', 0o600);
    this.bytes = 0;
  }
}

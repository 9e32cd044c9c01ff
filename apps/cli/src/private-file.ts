import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only we may read, whole or not at all: readers never see half of it. */
export function writePrivate(file: string, text: string): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, text, { mode: 0o600 });
  renameSync(partial, file);
}

export const writePrivateJson = (file: string, value: unknown): void =>
  writePrivate(file, `${JSON.stringify(value, null, 2)}\n`);

/** undefined when there is no such file. */
export function readJson(file: string): unknown {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;
}

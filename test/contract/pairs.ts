import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Pair } from './exchange.js';

const FOLDER = 'test/contract/pairs';

/** The collection that a route is about, which names the file of its pairs. */
export function groupOf(route: string): string {
  const [, path = ''] = route.split(' ');
  if (!path.startsWith('/')) return 'no-route';
  const names = path
    .replace('/api/v1', '')
    .split('/')
    .filter((one) => one !== '' && !one.startsWith('{'));
  const isOfAgent = names[0] === 'agents' && names.length > 1 && names[1] !== 'preview';
  return (isOfAgent ? names[1] : names[0]) ?? 'no-route';
}

/** All stored pairs, file by file. */
export async function readPairs(): Promise<Pair[]> {
  const names = (await readdir(FOLDER)).toSorted();
  const files = await Promise.all(names.map(async (name) => gunzipSync(await readFile(join(FOLDER, name))).toString()));
  return files.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as Pair);
}

/** Replaces all stored pairs: a file per group, whose bytes depend on the pairs alone. @returns its compressed size by file */
export async function writePairs(pairs: readonly Pair[]): Promise<Record<string, { pairs: number; bytes: number }>> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const written: Record<string, { pairs: number; bytes: number }> = {};
  for (const group of [...new Set(pairs.map(({ route }) => groupOf(route)))].toSorted()) {
    const lines = pairs.filter(({ route }) => groupOf(route) === group).map((pair) => `${JSON.stringify(pair)}\n`);
    const bytes = gzipSync(lines.join(''), { level: 9 });
    await writeFile(join(FOLDER, `${group}.jsonl.gz`), bytes);
    written[group] = { pairs: lines.length, bytes: bytes.length };
  }
  return written;
}

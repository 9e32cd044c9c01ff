import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataPath } from '../test/support/test-data.js';

/** The specification's limit of an upload. */
const MAX_UPLOAD = 10_485_760;

export interface Bomb {
  name: string;
  content: Buffer;
}

/** Hostile documents within the upload limit: written by a script (25 s), or read from the folder BENCH_BOMBS. */
export function bombs(): Bomb[] {
  const given = process.env.BENCH_BOMBS;
  if (given) return bombsIn(given);
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-bombs-'));
  try {
    execFileSync('python3', [dataPath('bombs', 'gen.py')], { cwd: folder });
    return bombsIn(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const bombsIn = (folder: string): Bomb[] =>
  readdirSync(folder)
    .filter((name) => statSync(join(folder, name)).size <= MAX_UPLOAD)
    .map((name) => ({ name, content: readFileSync(join(folder, name)) }));

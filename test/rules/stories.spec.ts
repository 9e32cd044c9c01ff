import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

describe('the stories', () => {
  it('use the public surface only: no module of the application, nor what it is made of', () => {
    const found = filesIn('test')
      .filter((path) => path.endsWith('.e2e-spec.ts') && !path.startsWith('test/full/'))
      .flatMap((path) => foreignImports(path).map((imported) => `${path}: ${imported}`));
    expect(found).toEqual([]);
  });

  it('and those of the full set load peers and doubles of the application, not its features', () => {
    const found = filesIn('test/full')
      .filter((path) => path.endsWith('.e2e-spec.ts'))
      .flatMap((path) => importsOf(path).map((imported) => `${path}: ${imported}`))
      .filter((one) => FEATURE.test(one) && !EXPECTED_SOUND.includes(one));
    expect(found).toEqual([]);
  });

  it('lie in the folder of their feature', () => {
    expect(readdirSync('test', { withFileTypes: true }).filter((one) => one.isFile())).toEqual([]);
  });
});

const IMPORT = /^(?:import|export)\s(?!type\b)[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;
/** The client is published. */
const FOREIGN = /^(?:@app\/(?!client$)|@nestjs\/|typeorm$)/;

/** A SIP stack, phones, vendors and ids, which a test needs as the other side. */
const FEATURE =
  /: (?:@app\/(?!(?:client|common|sandbox|simulation\/tester|telephony)(?:\/|$))|@nestjs\/|typeorm$|(?:\.\.\/)+(?:apps|libs)\/)/;
/** The music that is heard again in a recording. */
const EXPECTED_SOUND = ['test/full/interop/warm-transfers.e2e-spec.ts: @app/voice'];

const importsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(IMPORT)].map(([, one, two, three]) => one ?? two ?? three ?? '');

/** What a file and the helpers that it loads import of the application. */
function foreignImports(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  return importsOf(path).flatMap((name) => {
    if (!name.startsWith('.')) return FOREIGN.test(name) ? [name] : [];
    const target = join(dirname(path), name).replace(/\.js$/, '.ts');
    if (!target.startsWith('test/')) return [name];
    return existsSync(target) ? foreignImports(target, seen) : [];
  });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name));
}

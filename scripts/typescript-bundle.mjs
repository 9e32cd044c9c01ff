/** Runs TypeScript of this repository outside of Jest: `@app/*` and the imports of TypeScript files exist only for compilers. */
import { build } from 'esbuild';
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Bundles a module; the packages stay outside.
 *
 * @param {string} entry relative to the root of the repository
 * @returns the path of the bundle, which the caller removes
 */
export async function bundleOf(entry) {
  const outfile = join(root, 'node_modules/.cache/trunkline', `${basename(entry, '.ts')}-${process.pid}.mjs`);
  await build({
    entryPoints: [join(root, entry)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
    outfile,
  });
  return outfile;
}

/**
 * Bundles and imports a module.
 *
 * @param {string} entry relative to the root of the repository
 */
export async function importTypeScript(entry) {
  const outfile = await bundleOf(entry);
  try {
    return await import(outfile);
  } finally {
    rmSync(outfile);
  }
}

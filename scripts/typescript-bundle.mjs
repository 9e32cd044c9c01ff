/** Runs TypeScript of this repository outside of Jest: `@app/*` and the imports of TypeScript files exist only for compilers. */
import { build } from 'esbuild';
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The database finds its migrations by their files, and imports them when it needs them: each is a module of its own. esbuild matches folders
 * with `**` only.
 */
const MIGRATIONS = 'libs/**/src/migrations/*.ts';

/** Where a build of the sources into `folder` has the module of a source; outside of packages `.js` is CommonJS in node_modules. */
const builtFile = (folder, source) => join(folder, source.replace(/\.ts$/, '.mjs'));

/** The modules in a bundle see the address that they would have without it. */
const addressesIn = (folder) => ({
  name: 'addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const address = pathToFileURL(builtFile(folder, relative(root, path))).href;
      const source = await readFile(path, 'utf8');
      return { loader: 'ts', contents: source.replaceAll('import.meta.url', JSON.stringify(address)) };
    });
  },
});

/**
 * Bundles a module and each migration; the packages stay outside.
 *
 * @param {string} entry relative to the root of the repository
 * @returns the path of the bundle, and its folder, which the caller removes
 */
export async function bundleOf(entry) {
  const folder = join(root, 'node_modules/.cache/trunkline', `${basename(entry, '.ts')}-${process.pid}`);
  await build({
    absWorkingDir: root,
    entryPoints: [entry, MIGRATIONS],
    outbase: '.',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins: [addressesIn(folder)],
  });
  return { folder, module: builtFile(folder, entry) };
}

/**
 * Bundles and imports a module, and removes the bundle when `work` is done.
 *
 * @template T
 * @param {string} entry relative to the root of the repository
 * @param {(module: any) => Promise<T>} work
 * @returns {Promise<T>} what `work` returns
 */
export async function withTypeScript(entry, work) {
  const { folder, module } = await bundleOf(entry);
  try {
    return await work(await import(pathToFileURL(module).href));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

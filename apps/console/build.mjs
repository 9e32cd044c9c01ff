/** Bundles this web page into dist/apps/console, where the api process finds it. */
import { build } from 'esbuild';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleForBrowsers, workletSource } from '../../libs/client/web-bundle.mjs';

const from = fileURLToPath(new URL('.', import.meta.url));
const to = fileURLToPath(new URL('../../dist/apps/console', import.meta.url));

await mkdir(to, { recursive: true });
// Bundled beside its place: a browser that loads the page meanwhile gets whole files.
const fresh = await mkdtemp(`${to}-`);
try {
  await bundle(fresh);
  for (const file of await readdir(fresh)) await rename(join(fresh, file), join(to, file));
} finally {
  await rm(fresh, { recursive: true });
}

/** @param {string} outdir */
async function bundle(outdir) {
  await bundleForBrowsers({
    entryPoints: { console: join(from, 'src/main.tsx') },
    outdir,
    format: 'esm',
    // What is imported when it is needed is a file of its own, of a fixed name as the others.
    splitting: true,
    chunkNames: '[name]',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  // Calls in the page: the policy of the console allows scripts of its own folder only.
  await writeFile(join(outdir, 'worklet.js'), await workletSource());
  await build({
    entryPoints: { console: join(from, 'styles/main.css') },
    outdir,
    bundle: true,
    minify: true,
    logLevel: 'warning',
  });
  for (const file of ['index.html', 'favicon.svg']) await copyFile(join(from, file), join(outdir, file));
}

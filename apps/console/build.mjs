/** Bundles this web page into dist/apps/console, where the api process finds it. */
import { build } from 'esbuild';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const from = fileURLToPath(new URL('.', import.meta.url));
const to = fileURLToPath(new URL('../../dist/apps/console', import.meta.url));

await mkdir(to, { recursive: true });
await build({
  entryPoints: { console: join(from, 'src/main.tsx') },
  outdir: to,
  bundle: true,
  minify: true,
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'warning',
});
await build({
  entryPoints: { console: join(from, 'styles/main.css') },
  outdir: to,
  bundle: true,
  minify: true,
  logLevel: 'warning',
});
for (const file of ['index.html', 'favicon.svg']) await copyFile(join(from, file), join(to, file));

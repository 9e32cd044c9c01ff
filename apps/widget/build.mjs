/** Bundles the widget and the page /talk into dist/apps/widget, where the api process finds them. */
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleForBrowsers, workletSource } from '../../libs/client/web-bundle.mjs';

const from = fileURLToPath(new URL('.', import.meta.url));
const to = fileURLToPath(new URL('../../dist/apps/widget', import.meta.url));

await mkdir(to, { recursive: true });
// Bundled beside its place: a browser that loads a file meanwhile gets a whole one.
const fresh = await mkdtemp(`${to}-`);
try {
  const entryPoints = { widget: join(from, 'src/widget.ts'), talk: join(from, 'src/talk.ts') };
  await bundleForBrowsers({ entryPoints, outdir: fresh, format: 'iife' });
  await writeFile(join(fresh, 'call-worklet.js'), await workletSource());
  await copyFile(join(from, 'talk.html'), join(fresh, 'talk.html'));
  for (const file of await readdir(fresh)) await rename(join(fresh, file), join(to, file));
} finally {
  await rm(fresh, { recursive: true });
}

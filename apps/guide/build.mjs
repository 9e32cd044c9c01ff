/**
 * Builds the guide, the site of the documentation, into dist/apps/guide, where the api process finds it; `--to FOLDER`: into another folder.
 * Pages are those of docs, and whatever they link to in the repository. A link that leads nowhere fails the build.
 */
import { build } from 'esbuild';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { notFoundPage, pageOf } from './layout.mjs';
import { readGuide } from './pages.mjs';

const { values } = parseArgs({ options: { to: { type: 'string', default: 'dist/apps/guide' } } });
const from = fileURLToPath(new URL('.', import.meta.url));
const root = resolve(from, '../..');
const to = resolve(root, values.to);

// Built beside its place: a browser that loads a page meanwhile gets whole files.
await mkdir(dirname(to), { recursive: true });
const fresh = await mkdtemp(`${to}-`);
try {
  await writeAll(fresh);
  await rm(to, { recursive: true, force: true });
  await rename(fresh, to);
} catch (error) {
  await rm(fresh, { recursive: true, force: true });
  throw error;
}

/** @param {string} folder */
async function writeAll(folder) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const guide = readGuide(root);
  const write = async (name, text) => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  const order = guide.menu.flatMap(({ entries }) => entries);
  for (const page of guide.pages) await write(page.file, pageOf(page, { menu: guide.menu, order, version }));
  await write('404.html', notFoundPage({ menu: guide.menu, version }));
  await write('search.json', JSON.stringify(guide.pages.flatMap(({ sections }) => sections)));
  for (const { name, text } of guide.diagrams) await write(name, text);
  for (const { source, name } of guide.files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await copyFile(join(root, source), join(folder, name));
  }
  await bundle(folder);
}

/** @param {string} outdir */
async function bundle(outdir) {
  const options = { bundle: true, minify: true, logLevel: 'warning' };
  await build({
    ...options,
    entryPoints: { guide: join(from, 'src/guide.ts') },
    outdir,
    format: 'esm',
    target: 'es2022',
    legalComments: 'eof',
  });
  await build({ ...options, entryPoints: { guide: join(from, 'styles/guide.css') }, outdir });
  await copyFile(join(root, 'apps/console/favicon.svg'), join(outdir, 'favicon.svg'));
}

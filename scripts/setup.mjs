/**
 * Makes a clone runnable: installs the dependencies and builds. Requires only Node and npm, and does nothing when all is up to date.
 * `npm start`, `npm run demo` and `npm test` call it first; `--test` adds the dependencies of tests: clients of vendors, the runtime of ONNX models and Debian packages.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDebianPackages } from './debian-packages.mjs';
import {
  buildHash,
  guideHash,
  isBorrowed,
  markBuilt,
  markGuideBuilt,
  markInstalled,
  needsBuild,
  needsGuide,
  needsInstall,
} from './fresh.mjs';
import { StepFailed, step } from './step.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const forTests = process.argv.includes('--test');

try {
  requireNode(20, 19);
  await install();
  await build();
  await buildGuide();
  if (forTests) await installForTests();
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  console.error(error.message);
  // The last line of `npm test`, also when no test could run.
  if (forTests) console.log('0 passed, 1 failed');
  process.exitCode = 1;
}

function requireNode(major, minor) {
  const [haveMajor, haveMinor] = process.versions.node.split('.').map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  throw new StepFailed(`Trunkline needs Node ${major}.${minor} or newer; this is ${process.versions.node}.`);
}

async function install() {
  if (!needsInstall(root)) return;
  if (isBorrowed(root))
    throw new StepFailed(
      'node_modules is a link, and its packages are not those of package-lock.json: install where it points.',
    );
  await npm('installing dependencies (npm ci)', root);
  markInstalled(root);
}

async function installForTests() {
  const clients = join(root, 'test/vendor-clients');
  if (needsInstall(clients)) {
    await npm('installing packages that only tests use (npm ci)', clients);
    markInstalled(clients);
  }
  await ensureDebianPackages();
}

/** npm passes its own path to scripts. Development packages are always installed, because they build the service. */
async function npm(title, folder) {
  const path = process.env.npm_execpath;
  const [command, ...first] = path ? [process.execPath, path] : ['npm'];
  const flags = ['--include=dev', '--include=optional', '--no-progress', '--loglevel=error'];
  await step(title, command, [...first, 'ci', ...flags], { cwd: folder });
}

async function build() {
  const hash = buildHash(root);
  if (!needsBuild(root, hash)) return;
  const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');
  await step('building (nest build)', process.execPath, [nest, 'build'], { cwd: root });
  await step('bundling (esbuild)', process.execPath, [join(root, 'scripts/bundle.mjs')], { cwd: root });
  const page = join(root, 'apps/console/build.mjs');
  await step('building the console (esbuild)', process.execPath, [page], { cwd: root });
  const widget = join(root, 'apps/widget/build.mjs');
  await step('building the widget (esbuild)', process.execPath, [widget], { cwd: root });
  markBuilt(root, hash);
}

/** After `build`, which empties dist. */
async function buildGuide() {
  const hash = guideHash(root);
  if (!needsGuide(root, hash)) return;
  await step('building the guide', process.execPath, [join(root, 'apps/guide/build.mjs')], { cwd: root });
  markGuideBuilt(root, hash);
}

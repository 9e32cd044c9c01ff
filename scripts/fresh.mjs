import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const INSTALL_MARKER = 'node_modules/.trunkline-install';
const BUILD_MARKER = 'dist/.trunkline-build';
const GUIDE_MARKER = 'dist/.trunkline-guide';
/** Written by `npm pack` in libs/client and not used by the service: it must not trigger a build that replaces `dist` of a running service. */
const BUILD_OUTPUT = /^libs\/client\/(?:dist|node_modules|[^/]*\.tgz)$/;
/** npm writes this file last, after all packages. */
const NPM_MARKER = 'node_modules/.package-lock.json';
const BUILD_INPUTS = [
  'apps',
  'libs',
  'bench',
  'scripts/bundle.mjs',
  'ormconfig.ts',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** The guide is built by itself: a changed page does not compile the service. Linked files outside of these folders seldom change. */
const GUIDE_INPUTS = [
  'apps/guide',
  'docs',
  'deploy',
  ...['README', 'CHANGELOG', 'CONTRIBUTING', 'SECURITY'].map((name) => `${name}.md`),
];

/** true when node_modules is missing, incomplete, or belongs to another package-lock.json. */
export function needsInstall(root) {
  if (!existsSync(join(root, NPM_MARKER))) return true;
  const marker = contents(join(root, INSTALL_MARKER));
  if (marker !== undefined) return marker !== lockHash(root);
  // npm was run directly: its result is valid unless the lock file changed since.
  return modified(join(root, NPM_MARKER)) < modified(join(root, 'package-lock.json'));
}

/** true when node_modules is a symbolic link: npm ci would delete the shared folder behind it. */
export function isBorrowed(root) {
  return lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

export function markInstalled(root) {
  writeFileSync(join(root, INSTALL_MARKER), lockHash(root));
}

/** Whether dist was built from the current sources; compares contents, because a checkout changes all time stamps. */
export const buildHash = (root) => hashOf(root, BUILD_INPUTS);

export function needsBuild(root, hash = buildHash(root)) {
  return contents(join(root, BUILD_MARKER)) !== hash;
}

/** `hash`: computed before the build, so that a file that changes meanwhile triggers the next build. */
export function markBuilt(root, hash) {
  writeFileSync(join(root, BUILD_MARKER), hash);
}

export const guideHash = (root) => hashOf(root, GUIDE_INPUTS);

export function needsGuide(root, hash = guideHash(root)) {
  return contents(join(root, GUIDE_MARKER)) !== hash;
}

export function markGuideBuilt(root, hash) {
  writeFileSync(join(root, GUIDE_MARKER), hash);
}

function hashOf(root, inputs) {
  const hash = createHash('sha256').update(lockHash(root));
  for (const input of inputs)
    for (const file of filesOf(root, input)) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function lockHash(root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function filesOf(root, path) {
  if (BUILD_OUTPUT.test(path) || !existsSync(join(root, path))) return [];
  if (statSync(join(root, path)).isFile()) return path.endsWith('.spec.ts') ? [] : [path];
  return readdirSync(join(root, path))
    .toSorted()
    .flatMap((name) => filesOf(root, `${path}/${name}`));
}

const contents = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
const modified = (file) => statSync(file).mtimeMs;

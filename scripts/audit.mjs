/**
 * Checks the dependencies: known vulnerabilities of production packages (`npm audit`), and package-lock.json: every package comes from a
 * registry and has a hash, none from git or http, and all licences allow distribution. Exits with 1 when a check fails.
 * A registry without audits (many mirrors) is reported; with `--require-registry` it is a failure.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const ALLOWED = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC', 'MIT', 'MIT-0'],
  ...['PSF-2.0', 'Python-2.0', 'Unlicense', 'Zlib'],
]);
/** Packages with an old manifest format; their licences were read by hand. */
const READ_BY_HAND = { pause: 'MIT' };
/** The `source` of a package that comes from neither a registry nor this folder. */
const FOREIGN = /^(?:git|github|http:|file:\.\.|.*\.git$)/;
const SEVERE = ['high', 'critical'];
const ASK_MS = 20_000;

/**
 * One line for each severe vulnerability; `null` when the registry did not respond.
 *
 * @param {any} report
 * @returns {string[] | null}
 */
export function severeIn(report) {
  if (report.statusCode >= 400 || report.error || !report.vulnerabilities) return null;
  return Object.values(report.vulnerabilities)
    .filter(({ severity }) => SEVERE.includes(severity))
    .map(({ name, severity, range }) => `${name} ${range}: ${severity}`);
}

/**
 * @typedef {{
 *   resolved?: string;
 *   integrity?: string;
 *   license?: string;
 *   dev?: boolean;
 *   devOptional?: boolean;
 *   optional?: boolean;
 *   link?: boolean;
 * }} LockEntry
 */

/**
 * One line for each problem of a lock file.
 *
 * @param {{ packages: Record<string, LockEntry> }} lock
 * @param {(path: string) => string | undefined} licenceOf reads licences that the lock file does not contain
 * @returns {string[]}
 */
export function lockProblems(lock, licenceOf = () => undefined) {
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path !== '' && !entry.link)
    .flatMap(([path, entry]) => [...sourceProblems(path, entry), ...licenceProblems(path, entry, licenceOf)]);
}

function sourceProblems(path, { resolved = '', integrity }) {
  if (FOREIGN.test(resolved)) return [`${path}: comes from ${resolved.split(/[?#]/)[0]}, not from a registry`];
  if (integrity === undefined) return [`${path}: has no integrity hash`];
  return integrity.startsWith('sha512-') ? [] : [`${path}: its hash is not SHA-512`];
}

function licenceProblems(path, entry, licenceOf) {
  if (entry.dev || entry.devOptional) return [];
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const licence = entry.license ?? licenceOf(path) ?? READ_BY_HAND[name];
  return licence !== undefined && isAllowed(licence) ? [] : [`${path}: licence ${licence ?? 'unknown'}`];
}

/** One licence of an OR, all licences of an AND; no other expressions occur. */
export function isAllowed(licence) {
  const terms = licence.replace(/^\(|\)$/g, '');
  if (terms.includes(' AND ')) return terms.split(' AND ').every(isAllowed);
  return terms.split(' OR ').some((term) => ALLOWED.has(term.trim()));
}

function licenceInFolder(path) {
  try {
    const { license, licenses } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
    return license?.type ?? license ?? licenses?.map(({ type }) => type).join(' OR ');
  } catch {
    // Not installed: for another platform.
    return undefined;
  }
}

function askRegistry() {
  const options = { cwd: root, encoding: 'utf8', timeout: ASK_MS, maxBuffer: 64 << 20 };
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], options);
  try {
    return severeIn(JSON.parse(stdout));
  } catch {
    return null;
  }
}

function main() {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const problems = lockProblems(lock, licenceInFolder);
  const severe = process.argv.includes('--offline') ? undefined : askRegistry();
  const unanswered = severe === null;
  if (unanswered)
    console.log('NOT AUDITED: the registry does not answer `npm audit`; ask one that does before a release.');
  for (const line of [...problems, ...(severe ?? [])]) console.log(line);
  const count = Object.keys(lock.packages).length - 1;
  if (problems.length === 0) console.log(`${count} packages: sources, hashes and licences are in order.`);
  if (severe?.length === 0) console.log('No high or critical vulnerability is known in what production uses.');
  const fails =
    problems.length > 0 || severe?.length > 0 || (unanswered && process.argv.includes('--require-registry'));
  process.exitCode = fails ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A script that V8 compiled. */
interface Script {
  path: string;
  isModule: boolean;
}

/** One process or thread, as record-scripts.cjs recorded it. */
export interface LoadedScripts {
  scripts: Script[];
}

/** The copies of one package: its files, each with where it was loaded from. */
interface Copies {
  bundles: Set<string>;
  modules: string[];
  commonJs: string[];
}

/** From the outermost `node_modules` on. */
const PACKAGE = /\/node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/;
const RELATIVE_IMPORT = /\bfrom\s*["'](\.[^"']+)["']/g;

export const readRecorded = (folder: string): LoadedScripts[] =>
  readdirSync(folder).map((name) => {
    const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n');
    const recorded = lines.map((line) => JSON.parse(line) as { url: string; isModule: boolean });
    return { scripts: recorded.map(({ url, isModule }) => ({ path: fileURLToPath(url), isModule })) };
  });

export const hasLoaded = ({ scripts }: LoadedScripts, entry: string): boolean =>
  scripts.some(({ path }) => path.endsWith(`/dist/${entry}`));

/** The packages, by their folders, of which the process or thread has more than one copy, and how. */
export function packagesLoadedTwice({ scripts }: LoadedScripts): string[] {
  const packages = new Map<string, Copies>();
  const copiesOf = (path: string): Copies | undefined => {
    const folder = PACKAGE.exec(path)?.[0];
    if (folder === undefined) return undefined;
    const copies = packages.get(folder) ?? { bundles: new Set(), modules: [], commonJs: [] };
    packages.set(folder, copies);
    return copies;
  };
  for (const { path, isModule } of scripts) {
    copiesOf(path)?.[isModule ? 'modules' : 'commonJs'].push(path);
    for (const source of sourcesOf(path)) copiesOf(source)?.bundles.add(source);
  }
  return [...packages].flatMap(([folder, copies]) => describeCopies(folder, copies));
}

/** The files that a bundle consists of; none for other scripts. */
function sourcesOf(path: string): string[] {
  const map = `${path}.map`;
  if (PACKAGE.test(path) || !existsSync(map)) return [];
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] };
  return sources.map((source) => resolve(map, '..', source));
}

function describeCopies(folder: string, { bundles, modules, commonJs }: Copies): string[] {
  if (bundles.size > 0 && modules.length + commonJs.length > 0) return [`${folder}: in a bundle and from its files`];
  if (commonJs.length === 0) return [];
  // An ES module that exports what its CommonJS files have is not a second copy.
  const known = new Set(commonJs);
  const copies = modules.filter((path) => !importsOf(path).some((imported) => known.has(imported)));
  return copies.length > 0 ? [`${folder}: as ES modules and as CommonJS`] : [];
}

const importsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(RELATIVE_IMPORT)].map(([, imported = '']) => resolve(path, '..', imported));

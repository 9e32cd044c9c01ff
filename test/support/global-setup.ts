import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withTypeScript } from '../../scripts/typescript-bundle.mjs';
import type { TestServer } from './postgres-server.js';

type Module = typeof import('./migrated-server.js');

declare global {
  var trunklineTestServer: TestServer | undefined;
}

/** Runs before the first end-to-end test: builds the console if needed, starts PostgreSQL with a migrated template and sets DATABASE_URL. */
export default async function globalSetup(): Promise<void> {
  buildPages();
  // Jest runs this file outside its module system, without TypeScript imports.
  globalThis.trunklineTestServer = await withTypeScript(
    'test/support/migrated-server.ts',
    ({ startMigratedServer }: Module) => startMigratedServer(),
  );
  process.env.DATABASE_URL = globalThis.trunklineTestServer.url;
}

const PAGE_SOURCES = [
  'apps/console',
  'apps/widget',
  'libs/client/src',
  'libs/client/web-bundle.mjs',
  'package-lock.json',
];

/** `nest build` alone removes console and widget from dist, and a build by hand may be older than the sources. */
function buildPages(): void {
  const newest = Math.max(...PAGE_SOURCES.map((path) => newestOf(join(process.cwd(), path))));
  for (const [app, file] of [
    ['console', 'index.html'],
    ['widget', 'talk.html'],
  ]) {
    const built = join(process.cwd(), `dist/apps/${app}/${file}`);
    if (existsSync(built) && statSync(built).mtimeMs >= newest) continue;
    execFileSync(process.execPath, [`apps/${app}/build.mjs`]);
  }
}

/** Time of the last change of a file, or of the files in a folder. */
function newestOf(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestOf(join(path, name))));
}

import { build } from 'esbuild';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

type Module = typeof import('./started-service.js');

declare global {
  var trunklineStories: { stop(): Promise<void> } | undefined;
}

/**
 * Runs before the first story: starts PostgreSQL with a migrated template, and the built service, once for all test files. DATABASE_URL is the
 * server, TRUNKLINE_TEST_SERVICE what `Service.get()` reads.
 */
export default async function setup(): Promise<void> {
  if (!existsSync('dist/apps/cli/src/main.js')) throw new Error('The service is not built: npm run build.');
  const { start } = await load();
  const started = await start();
  globalThis.trunklineStories = started;
  process.env.DATABASE_URL = started.serverUrl;
  process.env.TRUNKLINE_TEST_SERVICE = JSON.stringify(started.running);
}

/** Jest runs this file outside its module system, without TypeScript imports; therefore the bundle. */
async function load(): Promise<Module> {
  const outfile = join(process.cwd(), 'node_modules/.cache/trunkline', `started-service-${process.pid}.mjs`);
  await build({
    entryPoints: [join(process.cwd(), 'test/support/started-service.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile,
  });
  try {
    // A plain path: Jest's transform turns the import into require().
    return (await import(outfile)) as Module;
  } finally {
    rmSync(outfile);
  }
}

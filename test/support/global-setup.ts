import { build } from 'esbuild';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestServer } from './postgres-server.js';

type Module = typeof import('./postgres-server.js');

declare global {
  var trunklineTestServer: TestServer | undefined;
}

/** Runs before the first end-to-end test: starts PostgreSQL with a migrated template and sets DATABASE_URL. */
export default async function globalSetup(): Promise<void> {
  const { startTestServer } = await load();
  globalThis.trunklineTestServer = await startTestServer();
  process.env.DATABASE_URL = globalThis.trunklineTestServer.url;
}

/** Jest runs this file outside its module system, without `@app/*` and TypeScript imports; therefore the bundle. */
async function load(): Promise<Module> {
  const outfile = join(process.cwd(), 'node_modules/.cache/trunkline', `postgres-server-${process.pid}.mjs`);
  await build({
    entryPoints: [join(process.cwd(), 'test/support/postgres-server.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
    outfile,
  });
  try {
    // A plain path: Jest's transform turns the import into require().
    return (await import(outfile)) as Module;
  } finally {
    rmSync(outfile);
  }
}

import { existsSync } from 'node:fs';
import { withTypeScript } from '../../scripts/typescript-bundle.mjs';

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
  // Jest runs this file outside its module system, without TypeScript imports.
  const started = await withTypeScript('test/support/started-service.ts', ({ start }: Module) => start());
  globalThis.trunklineStories = started;
  process.env.DATABASE_URL = started.serverUrl;
  process.env.TRUNKLINE_TEST_SERVICE = JSON.stringify(started.running);
}

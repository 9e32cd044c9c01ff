/** Bundles the part of the client for browsers, for the package and for the pages of the service. */
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

const WORKLET = fileURLToPath(new URL('src/web/worklet/worklet.ts', import.meta.url));

const OPTIONS = { bundle: true, minify: true, target: 'es2022', legalComments: 'none', logLevel: 'warning' };

/** The audio thread's code as one script. */
export async function workletSource() {
  const { outputFiles } = await build({ ...OPTIONS, entryPoints: [WORKLET], format: 'iife', write: false });
  return outputFiles[0].text.trim();
}

/**
 * Bundles a page's script with the client inside.
 *
 * @param {import('esbuild').BuildOptions} options entry, output and format
 * @param {string} [worklet] the code of the audio thread, for scripts that are not served beside `worklet.js`
 */
export const bundleForBrowsers = (options, worklet = '') =>
  build({ ...OPTIONS, ...options, define: { ...options.define, TRUNKLINE_WORKLET: JSON.stringify(worklet) } });

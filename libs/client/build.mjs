/**
 * Compiles the package twice: `dist/esm` for `import`, `dist/cjs` for `require`, each with its own types, because TypeScript
 * reads a declaration file as the module format of the nearest package.json. `dist/web` is for browsers: one file without imports, its
 * types, and `worklet.js` for pages whose content security policy forbids blobs.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { bundleForBrowsers, workletSource } from './web-bundle.mjs';

const here = new URL('.', import.meta.url);
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(new URL('dist', here), { recursive: true, force: true });
for (const project of ['tsconfig.json', 'tsconfig.cjs.json', 'src/web'])
  execFileSync(process.execPath, [compiler, '-p', project], { cwd: fileURLToPath(here), stdio: 'inherit' });
writeFileSync(new URL('dist/cjs/package.json', here), '{ "type": "commonjs" }\n');

const worklet = await workletSource();
writeFileSync(new URL('dist/web/worklet.js', here), worklet);
const [entry, outfile] = ['src/web/index.ts', 'dist/web/index.js'].map((path) => fileURLToPath(new URL(path, here)));
await bundleForBrowsers({ entryPoints: [entry], outfile, format: 'esm' }, worklet);

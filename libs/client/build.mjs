/**
 * Compiles the package twice: `dist/esm` for `import`, `dist/cjs` for `require`, each with its own types, because TypeScript
 * reads a declaration file as the module format of the nearest package.json.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const here = new URL('.', import.meta.url);
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(new URL('dist', here), { recursive: true, force: true });
for (const project of ['tsconfig.json', 'tsconfig.cjs.json'])
  execFileSync(process.execPath, [compiler, '-p', project], { cwd: fileURLToPath(here), stdio: 'inherit' });
writeFileSync(new URL('dist/cjs/package.json', here), '{ "type": "commonjs" }\n');

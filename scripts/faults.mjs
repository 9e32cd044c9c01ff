/** Runs the fault matrix (test/faults) against the built service: all rows, or those whose names contain one of the arguments. */
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const outfile = join(root, 'node_modules/.cache/trunkline', `faults-${process.pid}.mjs`);
// `@app/*` and the imports of TypeScript files exist only for compilers.
await build({
  entryPoints: [join(root, 'test/faults/main.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  sourcemap: 'inline',
  logLevel: 'warning',
  outfile,
});
const child = spawn(process.execPath, ['--enable-source-maps', outfile, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
child.once('exit', (code) => {
  rmSync(outfile, { force: true });
  process.exitCode = code ?? 1;
});

/** Runs the fault matrix (test/faults) against the built service: all rows, or those whose names contain one of the arguments. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleOf } from './typescript-bundle.mjs';

const outfile = await bundleOf('test/faults/main.ts');
const child = spawn(process.execPath, ['--enable-source-maps', outfile, ...process.argv.slice(2)], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
});
child.once('exit', (code) => {
  rmSync(outfile, { force: true });
  process.exitCode = code ?? 1;
});

/** Runs a TypeScript module of this repository: `node scripts/run-typescript.mjs test/faults/main.ts [arguments]`. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleOf } from './typescript-bundle.mjs';

const [entry, ...args] = process.argv.slice(2);
const { folder, module } = await bundleOf(entry);
const child = spawn(process.execPath, ['--enable-source-maps', module, ...args], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
});
child.once('exit', (code) => {
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});

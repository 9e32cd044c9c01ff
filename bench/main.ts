import { run as api } from './api.js';
import { run as callSetup } from './call-setup.js';
import { run as pacing } from './pacing.js';

const BENCHES: Record<string, () => Promise<void>> = { api, 'call-setup': callSetup, pacing };

const names = process.argv.slice(2);
const unknown = names.filter((name) => !BENCHES[name]);
if (names.length === 0 || unknown.length > 0) {
  console.error(`npm run bench -- NAME…   with one or more of: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}
for (const name of names) await BENCHES[name]?.();

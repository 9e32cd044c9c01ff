import { parseArgs } from 'node:util';
import { run as analytics } from './analytics.js';
import { run as answeringMachine } from './answering-machine.js';
import { run as api } from './api.js';
import { run as callSetup } from './call-setup.js';
import { run as campaign } from './campaign.js';
import { run as gate } from './gate.js';
import { KNOWLEDGE_BENCHES, run as knowledge } from './knowledge.js';
import { run as pacing } from './pacing.js';
import { run as pipeline } from './pipeline.js';
import { run as postToInvite } from './post-to-invite.js';
import { run as retention } from './retention.js';
import { run as scale, SCALE_BENCHES } from './scale.js';
import { run as simulation } from './simulation.js';
import { run as sandboxCalls } from './sandbox-calls.js';
import { run as soak } from './soak.js';
import { run as voice } from './voice.js';
import { runLoad } from './voice-load.js';
import { run as voiceMemory } from './voice-memory.js';
import { run as voiceActivity } from './voice-activity.js';
import { run as webCalls } from './web-calls.js';
import { run as webhooks } from './webhooks.js';

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: 'string' },
    searched: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    threads: { type: 'string' },
    baseline: { type: 'string' },
    rows: { type: 'string' },
    tuning: { type: 'boolean' },
    'held-out': { type: 'boolean' },
  },
});
const { tuning: isTuning, 'held-out': isHeldOut, baseline, rows, ...numbers } = values;
const given = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)]));

const BENCHES: Record<string, (options: { baseline?: string; isHeldOut?: boolean }) => Promise<void>> = {
  analytics: () => analytics(given),
  'answering-machine': () => answeringMachine({ isTuning }),
  api,
  'call-setup': () => callSetup({ baseline }),
  campaign,
  gate: () => gate({ baseline, rows: rows?.split(',') }),
  knowledge: () => knowledge(),
  ...KNOWLEDGE_BENCHES,
  pacing: () => pacing(given),
  pipeline,
  'post-to-invite': () => postToInvite({ baseline }),
  retention,
  scale,
  ...SCALE_BENCHES,
  simulation,
  'sandbox-calls': () => sandboxCalls(given),
  soak,
  voice: () => (given.calls ? runLoad({ ...given, baseline }) : voice()),
  'voice-memory': () => voiceMemory(given),
  'voice-activity': () => voiceActivity({ isTuning }),
  'web-calls': () => webCalls(given),
  webhooks: () => webhooks({ baseline }),
};

const unknown = names.filter((name) => !BENCHES[name]);
if (names.length === 0 || unknown.length > 0) {
  console.error(`npm run bench -- NAME…   with one or more names: ${Object.keys(BENCHES).join(', ')}`);
  console.error(
    '  options of analytics: --calls 1000000 --searched 1000000; of call-setup, knowledge-small, post-to-invite and webhooks: --baseline OTHER/dist; of gate: --baseline OTHER --rows one,create; of pacing: --calls 200 --seconds 60 --threads 1; of voice: --calls 200 --seconds 12 --rounds 1 --baseline OTHER/dist; of web-calls: --seconds 600 --calls 100; of voice-activity and answering-machine: --tuning; of knowledge-meaning: --held-out',
  );
  process.exit(2);
}
for (const name of names) await BENCHES[name]?.({ baseline, isHeldOut });

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapsed } from 'node:timers/promises';
import { collectorOf } from '../apps/cli/src/supervisor/child-process.js';
import { table } from './table.js';
import { answer, certificateIn, LoadPhones } from './voice-load.js';
import { CYCLE_MS } from './voice-phone.js';
import type { VoiceServers } from './voice-server.js';
import { ask } from './voice.js';

/** In MB. */
export interface CallMemory {
  rss: number;
  /** Used by V8's heap. */
  heap: number;
  buffers: number;
  /** External memory that is not a buffer. */
  native: number;
}

const FIELDS = ['rss', 'heap', 'buffers', 'native'] as const;
/** Calls that load all code before the first measurement. */
const WARM_UP_CALLS = 20;
const STEPS = 2;
/** Of RSS, which changes with each garbage collection. */
const SAMPLES = 7;

/**
 * Memory of one process per live agent call: the calls of `voice --calls`, with recording, in steps of 100 after a warm-up.
 * Node has the options of `npm start`.
 */
export async function run({ calls = 100, rounds = 3 }: { calls?: number; rounds?: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-bench-'));
  const tls = certificateIn(folder);
  const server = fork(new URL('./voice-server.js', import.meta.url), [tls.cert, tls.key]);
  try {
    const [servers] = (await once(server, 'message')) as [VoiceServers];
    const measured: CallMemory[][] = [];
    for (let round = 0; round < rounds; round++) measured.push(await measure(servers, tls.cert, calls));
    const columns = Array.from({ length: STEPS }, (_, step) => `KB per call, ${step * calls} to ${(step + 1) * calls}`);
    table(
      ['', `MB with ${WARM_UP_CALLS} calls`, ...columns],
      FIELDS.map((field) => [
        field,
        ...[...Array(STEPS + 1).keys()].map((step) =>
          range(
            measured.map((at) =>
              step === 0 ? at[0]![field] : ((at[step]![field] - at[step - 1]![field]) * 1_024) / calls,
            ),
          ),
        ),
      ]),
    );
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
  process.exit();
}

/** @returns the memory after the warm-up and after each step */
async function measure(servers: VoiceServers, cert: string, calls: number): Promise<CallMemory[]> {
  const subject = fork(new URL('./voice-subject.js', import.meta.url), {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: cert },
    execArgv: ['--expose-gc', ...collectorOf('dialer')],
  });
  const phones = await LoadPhones.open(WARM_UP_CALLS + STEPS * calls);
  try {
    const measured: CallMemory[] = [];
    let first = 0;
    for (const added of [WARM_UP_CALLS, ...Array<number>(STEPS).fill(calls)]) {
      const ports = (await ask(subject, { do: 'open', calls: added, servers })) as number[];
      for (const [call, port] of ports.entries()) {
        // Spreads the conversations over their period.
        await elapsed(CYCLE_MS / added);
        await answer(subject, phones, first + call, port);
      }
      first += added;
      const samples: CallMemory[] = [];
      while (samples.length < SAMPLES) {
        await elapsed(CYCLE_MS / SAMPLES);
        samples.push((await ask(subject, { do: 'memory' })) as CallMemory);
      }
      measured.push(
        Object.fromEntries(
          FIELDS.map((field) => [field, median(samples.map((one) => one[field]))]),
        ) as unknown as CallMemory,
      );
    }
    return measured;
  } finally {
    subject.disconnect();
    await once(subject, 'exit');
    phones.close();
  }
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

function range(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return `${median(values).toFixed(0)} (${sorted[0]!.toFixed(0)}-${sorted.at(-1)!.toFixed(0)})`;
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as elapsed } from 'node:timers/promises';
import { ask, quantile, row, showRows } from './voice.js';
import { now, Phone } from './voice-phone.js';

const CALLS = 50;
const TALKERS = 10;
const TURNS = 5;
/** The pause after a sentence that ends a turn, by default. */
const POLICY_MS = 300;
const STEADY_MS = 8_000;

/**
 * Real calls over loopback to agents with the provider `pipeline`: phones in this process, agent sessions in a second process (which is
 * measured), instant vendors in a third.
 */
export async function run(): Promise<void> {
  const vendors = fork(new URL('./pipeline-server.js', import.meta.url));
  const subject = fork(new URL('./voice-subject.js', import.meta.url));
  const phones = await Promise.all(Array.from({ length: CALLS }, () => Phone.open()));
  const ticking = setInterval(() => phones.forEach((phone) => phone.tick()), 20);
  try {
    const [url] = (await once(vendors, 'message')) as [string];
    const ports = (await ask(subject, { do: 'open', calls: CALLS, pipelineUrl: url })) as number[];
    phones.forEach((phone, i) => phone.call(ports[i]!));
    for (const [call, phone] of phones.entries()) {
      const task = { do: 'answer', call, remotePort: phone.port, greeting: 'Hello.' } as const;
      await ask(subject, task);
    }
    await elapsed(2_000);
    const { overheads, silences } = await conversations(phones.slice(0, TALKERS));
    const percent = await cpuPerCall(subject);
    const [median, p95, silence] = [quantile(overheads, 0.5), quantile(overheads, 0.95), quantile(silences, 0.95)];
    showRows([
      row(
        `end of speech to first audio, p95 of ${overheads.length}`,
        `${p95.toFixed(0)} ms (p50 ${median.toFixed(0)})`,
        '<= 40 ms',
        p95 <= 40,
      ),
      row(`barge-in to silence, p95 of ${silences.length}`, `${silence.toFixed(0)} ms`, '<= 250 ms', silence <= 250),
      row(`CPU per call at ${CALLS}, without TLS`, `${percent.toFixed(2)} % of a core`, '<= 2 %', percent <= 2),
    ]);
    console.log(`  The first row is the time beyond the pause of ${POLICY_MS} ms that ends a turn.`);
  } finally {
    clearInterval(ticking);
    subject.disconnect();
    vendors.kill();
    await once(subject, 'exit');
  }
  process.exit();
}

/** Each phone asks a question, waits for the answer and interrupts it, several times. */
async function conversations(phones: readonly Phone[]) {
  const each = await Promise.all(phones.map((phone, index) => conversation(phone, index)));
  return { overheads: each.flatMap((one) => one.overheads), silences: each.flatMap((one) => one.silences) };
}

async function conversation(phone: Phone, index: number) {
  const overheads: number[] = [];
  const silences: number[] = [];
  // Spreads the users over the 20 ms period.
  await elapsed(index * 7);
  for (let turn = 0; turn < TURNS; turn++) {
    phone.listenAnew();
    await phone.speak(800);
    const endedAt = await phone.spoken();
    while (phone.heard.firstLoudAt === undefined) await elapsed(5);
    overheads.push(phone.heard.firstLoudAt - endedAt - POLICY_MS);
    // After the first words, which cannot be interrupted.
    await elapsed(1_500);
    const onsetAt = await phone.speak(800);
    await phone.spoken();
    silences.push(phone.heard.lastLoudAt - onsetAt);
    // The question that interrupted is answered as well.
    phone.listenAnew();
    while (phone.heard.firstLoudAt === undefined) await elapsed(5);
    while (now() - phone.heard.lastLoudAt < 1_000) await elapsed(20);
  }
  return { overheads, silences };
}

async function cpuPerCall(subject: Parameters<typeof ask>[0]): Promise<number> {
  await elapsed(1_000);
  await ask(subject, { do: 'cpu' });
  await elapsed(STEADY_MS);
  return ((await ask(subject, { do: 'cpu' })) as number) / CALLS;
}

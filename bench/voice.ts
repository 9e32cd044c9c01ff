import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { setTimeout as elapsed } from 'node:timers/promises';
import { table } from './table.js';
import { now, Phone } from './voice-phone.js';
import type { VoiceServers } from './voice-server.js';
import type { SubjectTask } from './voice-subject.js';

const CALLS = 50;
const OVERLAPS = 4;
const OVERLAP_CALLS = 10;
const ANSWERS = 10;
/** The interruption policy requires 200 ms of speech. */
const POLICY_MS = 200;
/** From the user's first packet to the agent's silence when the provider judges by the words, later. */
const HELD_WITHIN_MS = 250;
const TRIPS = 1_000;
const STEADY_MS = 8_000;
/** 60 ms of tone for each character. */
const GREETING = 'g'.repeat(400);

interface Row {
  what: string;
  measured: string;
  bar: string;
  holds: boolean;
}

/**
 * Real calls over loopback: phones in this process, agent sessions in a second process (which is measured), the sandbox server in a
 * third.
 */
export async function run(): Promise<void> {
  const serverProcess = fork(new URL('./voice-server.js', import.meta.url));
  const subject = fork(new URL('./voice-subject.js', import.meta.url));
  const phones = await Promise.all(Array.from({ length: CALLS }, () => Phone.open()));
  const ticking = setInterval(() => phones.forEach((phone) => phone.tick()), 20);
  try {
    const [servers] = (await once(serverProcess, 'message')) as [VoiceServers];
    const ports = (await ask(subject, { do: 'open', calls: CALLS, servers })) as number[];
    phones.forEach((phone, i) => phone.call(ports[i]!));
    const rows = [
      ...(await roundTrips(subject)),
      ...(await firstAudio(subject, phones)),
      ...(await overlaps(subject, phones)),
      ...(await steady(subject, phones)),
      ...(await judgeOverlaps(servers)),
    ];
    showRows(rows);
  } finally {
    clearInterval(ticking);
    subject.disconnect();
    serverProcess.kill();
    await once(subject, 'exit');
  }
  process.exit();
}

async function roundTrips(subject: ChildProcess): Promise<Row[]> {
  const { udp, bridge } = (await ask(subject, { do: 'round-trips', count: TRIPS })) as Record<string, number[]>;
  const [echo, through] = [quantile(udp!, 0.5), quantile(bridge!, 0.5)];
  return [
    row('bridge round trip p50', `${through.toFixed(2)} ms`, '<= UDP echo + 1 ms', through <= echo + 1),
    row(
      '  beside a UDP echo of the same run',
      `${(through / echo).toFixed(1)}x of ${echo.toFixed(2)} ms`,
      '<= 5x',
      through <= 5 * echo,
    ),
  ];
}

/** From the answer to the first packet with sound. The first call starts cold. */
async function firstAudio(subject: ChildProcess, phones: Phone[]): Promise<Row[]> {
  const times: number[] = [];
  for (const [call, phone] of phones.slice(0, ANSWERS).entries()) {
    phone.listenAnew();
    const answeredAt = await answer(subject, phones, call);
    while (phone.heard.firstLoudAt === undefined) await elapsed(5);
    times.push(phone.heard.firstLoudAt - answeredAt);
  }
  const [cold = Infinity, ...warm] = times;
  return [
    row('first audio after the answer, cold', `${cold.toFixed(0)} ms`, '<= 500 ms', cold <= 500),
    row(
      `  warm, p95 of ${warm.length}`,
      `${quantile(warm, 0.95).toFixed(0)} ms`,
      '<= 150 ms',
      quantile(warm, 0.95) <= 150,
    ),
  ];
}

/** The user interrupts the agent: time from the user's first packet to the agent's last packet, and audible length of the agent's turn. */
async function overlaps(subject: ChildProcess, phones: Phone[]): Promise<Row[]> {
  const measured = await Promise.all(
    phones.slice(0, OVERLAP_CALLS).map((phone, call) => overlapsOf(subject, phone, call)),
  );
  const delays = measured.flatMap((one) => one.delays);
  const errors = measured.flatMap((one) => one.errors);
  const p95 = quantile(delays, 0.95);
  const worst = Math.max(...errors.map(Math.abs));
  return [
    row(
      `barge-in to the last agent packet, p95 of ${delays.length}`,
      `${p95.toFixed(0)} ms`,
      `<= 120 + ${POLICY_MS} ms`,
      p95 <= 120 + POLICY_MS,
    ),
    row(
      `truncation against frames played, worst of ${errors.length}`,
      `${worst.toFixed(0)} ms`,
      '+-20 ms',
      worst <= 20,
    ),
  ];
}

/** The same with a provider that judges interruptions, in a process without other calls: the session holds the audio until then. */
async function judgeOverlaps(servers: VoiceServers): Promise<Row[]> {
  const subject = fork(new URL('./voice-subject.js', import.meta.url));
  const phones = await Promise.all(Array.from({ length: OVERLAP_CALLS }, () => Phone.open()));
  const ticking = setInterval(() => phones.forEach((phone) => phone.tick()), 20);
  try {
    const ports = (await ask(subject, { do: 'open', calls: OVERLAP_CALLS, servers })) as number[];
    phones.forEach((phone, i) => phone.call(ports[i]!));
    for (const call of phones.keys()) await answer(subject, phones, call, true);
    const measured = await Promise.all(phones.map((phone, call) => overlapsOf(subject, phone, call)));
    const delays = measured.flatMap((one) => one.delays);
    const worst = Math.max(...measured.flatMap((one) => one.errors).map(Math.abs));
    const p95 = quantile(delays, 0.95);
    const [what, bar] = [`barge-in to silence, judged by words, p95 of ${delays.length}`, `<= ${HELD_WITHIN_MS} ms`];
    return [
      row(what, `${p95.toFixed(0)} ms`, bar, p95 <= HELD_WITHIN_MS),
      row('  truncation against frames played, worst', `${worst.toFixed(0)} ms`, '+-20 ms', worst <= 20),
    ];
  } finally {
    clearInterval(ticking);
    subject.disconnect();
    await once(subject, 'exit');
  }
}

async function overlapsOf(subject: ChildProcess, phone: Phone, call: number) {
  const delays: number[] = [];
  const errors: number[] = [];
  for (let i = 0; i < OVERLAPS; i++) {
    if (i > 0) phone.listenAnew();
    while ((phone.heard.firstLoudAt ?? Infinity) > now() - 1_300) await elapsed(20);
    // Spreads the users over the 20 ms period.
    await elapsed(call * 7);
    const onsetAt = await phone.speak(500);
    while (now() - phone.heard.lastLoudAt < 400) await elapsed(20);
    delays.push(phone.heard.lastLoudAt - onsetAt);
    errors.push((await playedMs(subject, call)) - phone.heard.loudFrames * 20);
  }
  return { delays, errors };
}

/** Held audio is interrupted when the provider has judged. */
async function playedMs(subject: ChildProcess, call: number): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const [ms] = (await ask(subject, { do: 'interruptions', call })) as number[];
    if (ms !== undefined) return ms;
    await elapsed(20);
  }
  return Infinity;
}

/** All calls at once: CPU per call, and whether packets leave on time while other processes use the processors. */
async function steady(subject: ChildProcess, phones: Phone[]): Promise<Row[]> {
  for (const [call] of phones.entries()) {
    if (call >= ANSWERS) await answer(subject, phones, call);
  }
  await elapsed(1_000);
  await ask(subject, { do: 'cpu' });
  await elapsed(STEADY_MS);
  const percent = ((await ask(subject, { do: 'cpu' })) as number) / CALLS;
  const burners = Array.from({ length: 2 * cpus().length }, () => spawn(process.execPath, ['-e', 'for (;;);']));
  phones.forEach((phone) => phone.listenAnew());
  const from = now();
  await elapsed(STEADY_MS);
  const byClock = (CALLS * (now() - from)) / 20;
  const sent = phones.reduce((sum, phone) => sum + phone.received, 0);
  const expected = phones.reduce((sum, phone) => sum + phone.expected, 0);
  burners.forEach((burner) => burner.kill('SIGKILL'));
  // A frame of each call may fall on either side of the window.
  const share = Math.min(100, (100 * (sent + CALLS)) / Math.max(expected + CALLS, byClock));
  return [
    row(
      `CPU per call at ${CALLS}, VAD and recording, without TLS`,
      `${percent.toFixed(2)} % of a core`,
      '<= 0.5 %',
      percent <= 0.5,
    ),
    row(
      `RTP packets sent of those due, with ${burners.length} busy processes`,
      `${share.toFixed(2)} %`,
      '>= 99.9 %',
      share >= 99.9,
    ),
  ];
}

const answer = async (subject: ChildProcess, phones: Phone[], call: number, isJudged = false): Promise<number> =>
  (await ask(subject, { do: 'answer', call, remotePort: phones[call]!.port, greeting: GREETING, isJudged })) as number;

const asking = new WeakMap<ChildProcess, Promise<unknown>>();

export function showRows(rows: readonly Row[]): void {
  table(
    ['', 'measured', 'bar', ''],
    rows.map(({ what, measured, bar, holds }) => [what, measured, bar, holds ? 'ok' : 'MISSED']),
  );
}

/** Sequential requests: the responses carry no ids. */
export function ask(subject: ChildProcess, task: SubjectTask): Promise<unknown> {
  const before = asking.get(subject) ?? Promise.resolve();
  const answered = before.then(async () => {
    const reply = once(subject, 'message');
    subject.send(task);
    const [message] = (await reply) as [{ result: unknown }];
    return message.result;
  });
  asking.set(subject, answered);
  return answered;
}

export const row = (what: string, measured: string, bar: string, holds: boolean): Row => ({
  what,
  measured,
  bar,
  holds,
});

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

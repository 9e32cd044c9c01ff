/**
 * Starts a media thread with the priority `process.argv[2]`. Prints the warnings of the thread, and how many threads of this process run in
 * the real-time class SCHED_RR.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { MediaPool, serveMedia } from '../../dist/libs/telephony/src/index.js';

/** The field `policy` of /proc/PID/stat (proc_pid_stat(5)), counted from the end of the command's name. */
const POLICY = 41 - 3;
const SCHED_RR = '2';
const PORTS = { min: 12_400, max: 12_499 };
const quiet = { debug: () => undefined, warn: () => undefined };

if (isMainThread) await main(process.argv[2]);
else serve(workerData);

async function main(priority) {
  const entry = new URL(import.meta.url);
  const source = { entry, data: () => ({ workerData: priority }), execArgv: [] };
  const pool = await MediaPool.start({ threads: 1, source, ports: PORTS, log: quiet });
  const leg = await pool.open({ legId: 'a' }, { onDtmf() {}, onTimeout() {}, onLost() {} });
  const warnings = await leg.attach('warnings', undefined).done;
  console.log(JSON.stringify({ warnings, realTime: policies().filter((policy) => policy === SCHED_RR).length }));
  await pool.close();
}

function serve(priority) {
  let decide;
  const decided = priority === 'normal' ? [] : new Promise((resolve) => (decide = resolve));
  const log = { debug: () => decide?.([]), warn: (message, { error }) => decide?.([`${message}: ${error}`]) };
  const tasks = { warnings: () => Promise.resolve(decided) };
  serveMedia(parentPort, { priority, media: { bindAddress: '127.0.0.1' }, tasks, log });
}

function policies() {
  return readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[POLICY];
  });
}

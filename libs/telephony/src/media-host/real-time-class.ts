import { execFile } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const MIN_PRIORITY = '1';
const TIMEOUT_MS = 10_000;

/**
 * Moves the calling thread into the real-time scheduling class SCHED_RR (sched(7)), so that it preempts every normal thread of the machine.
 * Threads and processes that it starts are normal ones. Linux only; the process needs CAP_SYS_NICE or RLIMIT_RTPRIO >= 1. Node has no
 * function for it, so this runs `chrt` of util-linux; rejects with its error.
 */
export async function enterRealTimeClass(): Promise<void> {
  // Synchronous: a promise would read the link in another thread.
  const thread = basename(readlinkSync('/proc/thread-self'));
  await run('chrt', ['--reset-on-fork', '--rr', '--pid', MIN_PRIORITY, thread], { timeout: TIMEOUT_MS });
}

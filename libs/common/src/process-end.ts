import type { Log } from './log.js';

export type StopReason = 'SIGTERM' | 'SIGINT' | 'disconnect' | 'lost';

interface ProcessEnd {
  /** Milliseconds after which the process ends whether or not `close` is done: nothing may outlive its supervisor. */
  limitMs: (reason: StopReason) => number;
  /** Finishes what has been begun and gives everything back; may be called while the process is still starting. */
  close: (reason: StopReason) => Promise<void>;
  log: Log;
}

/** The parent process at the start. When it dies, this process gets another parent. */
const startedBy = process.ppid;

/** The supervisor has died; the `disconnect` event of its channel may still be missing. */
const isOrphan = (): boolean => process.send !== undefined && (!process.connected || process.ppid !== startedBy);

/**
 * Ends the process once: when it is asked to (SIGTERM, SIGINT), when the supervisor that started it is gone (`disconnect`),
 * or when the returned function is called. Exit code 0, or `code`; 1 when closing failed or took too long.
 * Called first of all, so that a supervisor that dies early is noticed, too.
 */
export function endOnSignal({ limitMs, close, log }: ProcessEnd): (reason: StopReason, code?: number) => void {
  let ending = false;
  const end = (reason: StopReason, code = 0): void => {
    if (ending) return;
    ending = true;
    log.info({ reason }, 'process stops');
    setTimeout(() => {
      log.error({ reason }, 'process did not stop in time');
      leaveProcess(1);
    }, limitMs(reason)).unref();
    close(reason).then(
      () => leaveProcess(code),
      (err: unknown) => {
        log.error({ err }, 'process did not stop cleanly');
        leaveProcess(1);
      },
    );
  };
  // Before the log's own listener, which would never come back: an event loop that ran empty, or an uncaught error.
  process.prependListener('exit', () => {
    if (isOrphan()) process.kill(process.pid, 'SIGKILL');
  });
  process.once('SIGTERM', () => end('SIGTERM'));
  process.once('SIGINT', () => end('SIGINT'));
  process.once('disconnect', () => end('disconnect'));
  return end;
}

/**
 * process.exit, also for a process whose supervisor is gone. The reader of its stdout is gone then, too, and the log's flush at
 * exit would repeat the broken write for ever (sonic-boom's flushSync does on EPIPE): such a process ends itself the hard way.
 */
export function leaveProcess(code: number): void {
  if (isOrphan()) process.kill(process.pid, 'SIGKILL');
  process.exit(code);
}

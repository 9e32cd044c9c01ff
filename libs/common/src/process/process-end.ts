import type { Log } from './log.js';

export type StopReason = 'SIGTERM' | 'SIGINT' | 'disconnect' | 'lost';

interface ProcessEnd {
  /** Milliseconds after which the process ends even if `close` is not done: no process may outlive its supervisor. */
  limitMs: (reason: StopReason) => number;
  /** Finishes running work and releases all resources; may be called while the process is still starting. */
  close: (reason: StopReason) => Promise<void>;
  log: Log;
}

/** The parent process at startup. When it dies, this process gets another parent. */
const startedBy = process.ppid;

/** The supervisor has died; the `disconnect` event of its channel may still be missing. */
const isOrphan = (): boolean => process.send !== undefined && (!process.connected || process.ppid !== startedBy);

/**
 * Ends the process once: on SIGTERM and SIGINT, when its supervisor is gone (`disconnect`), or when the returned function is called.
 * Exit code 0, or `code`; 1 when closing failed or took too long. Call it first, so that the early death of a supervisor is noticed.
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
  // Runs before the listener of the log, which would never return: after an empty event loop or an uncaught error.
  process.prependListener('exit', () => {
    if (isOrphan()) process.kill(process.pid, 'SIGKILL');
  });
  process.once('SIGTERM', () => end('SIGTERM'));
  process.once('SIGINT', () => end('SIGINT'));
  process.once('disconnect', () => end('disconnect'));
  return end;
}

/**
 * process.exit, also for a process whose supervisor is gone. Then the reader of its stdout is gone as well, and the log's flush at
 * exit would repeat the failing write forever (sonic-boom's flushSync does on EPIPE): such a process kills itself.
 */
export function leaveProcess(code: number): void {
  if (isOrphan()) process.kill(process.pid, 'SIGKILL');
  process.exit(code);
}

import type { Log } from './log.js';

export interface PeriodicTask {
  /** Resolves when a run that is under way has ended. */
  stop(): Promise<void>;
}

/** Runs `work` again `ms` after it ended, until stopped. A failure is logged once until it works again. */
export function runPeriodically(ms: number, work: () => Promise<void>, log: Log): PeriodicTask {
  let stopped = false;
  let failing = false;
  let timer: NodeJS.Timeout;
  let running: Promise<void> = Promise.resolve();

  const round = async (): Promise<void> => {
    try {
      await work();
      failing = false;
    } catch (err) {
      if (!failing) log.error({ err }, 'a repeated task failed and is tried again');
      failing = true;
    }
    if (!stopped) schedule();
  };
  const schedule = (): void => {
    timer = setTimeout(() => {
      running = round();
    }, ms);
  };
  schedule();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

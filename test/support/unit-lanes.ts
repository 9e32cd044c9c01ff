import { createLog, type PeriodicTask, runPeriodically } from '@app/common';

const EVERY_MS = 20;

/** In place of a queue and its scheduler: asks for units in some lanes at once and then periodically, each time until there are none. */
export class UnitLanes {
  private tasks: PeriodicTask[] = [];

  /** `next`: claims a unit and does it; false: there was none. */
  constructor(
    private readonly next: () => Promise<boolean>,
    private readonly lanes = 1,
    private readonly log = createLog({ level: 'silent', role: 'test' }),
    private readonly everyMs = EVERY_MS,
  ) {}

  start(): this {
    const drain = async (): Promise<void> => {
      const { tasks } = this;
      while (tasks === this.tasks && (await this.next()));
    };
    this.tasks = Array.from({ length: this.lanes }, () => {
      let pauseMs = 0;
      const pause = (): number => {
        const before = pauseMs;
        pauseMs = this.everyMs;
        return before;
      };
      return runPeriodically(pause, drain, this.log);
    });
    return this;
  }

  /** Resolves when the units at work are done. */
  async stop(): Promise<void> {
    const { tasks } = this;
    this.tasks = [];
    await Promise.all(tasks.map((task) => task.stop()));
  }
}

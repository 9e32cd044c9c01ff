import { jest } from '@jest/globals';

/** How Node names requests in flight: datagrams and streams being written, connections, DNS queries, file accesses. */
const IN_FLIGHT = /Req|Query|SendWrap|ConnectWrap|WriteWrap|ShutdownWrap/;
/** A datagram on loopback takes one turn of the event loop per hop; a test answers it within a few more. */
const QUIET_TURNS = 10;

/**
 * A virtual clock for `setTimeout`, `setInterval`, `Date` and `performance`; sockets stay real. Time advances to the next timer whenever
 * the process has no I/O in flight, so that waiting takes no time and machine load does not change results.
 */
export class VirtualTime {
  private running = true;
  private readonly ended: Promise<void>;

  private constructor() {
    jest.useFakeTimers({ doNotFake: ['clearImmediate', 'nextTick', 'queueMicrotask', 'setImmediate'] });
    this.ended = this.run();
  }

  static start(): VirtualTime {
    return new VirtualTime();
  }

  /** Restores the real clock; pending timers never fire. */
  async stop(): Promise<void> {
    this.running = false;
    await this.ended;
    jest.useRealTimers();
  }

  private async run(): Promise<void> {
    while (this.running) {
      await quiet();
      if (this.running && jest.getTimerCount() > 0) jest.advanceTimersToNextTimer();
    }
  }
}

async function quiet(): Promise<void> {
  for (let turns = 0; turns < QUIET_TURNS;) {
    await new Promise((resolve) => setImmediate(resolve));
    turns = process.getActiveResourcesInfo().some((name) => IN_FLIGHT.test(name)) ? 0 : turns + 1;
  }
}

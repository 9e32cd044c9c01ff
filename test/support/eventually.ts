/** How long tests wait for an event. Only the time to a failure grows with it: neighbours and slow machines may keep an event waiting. */
export const PATIENCE_MS = 90_000;
const LOOK_EVERY_MS = { least: 20, most: 100 };

/**
 * Polls `look` until `isWanted` accepts its result; for states without events, such as the number of open sockets or a row. Rejects after
 * `patienceMs` with the last result; the default is long, because neighbours may keep the machine busy. A long wait polls less often, and
 * leaves the processor to what it waits for.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  isWanted: (seen: T) => boolean,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const start = Date.now();
  for (;;) {
    const seen = await look();
    if (isWanted(seen)) return seen;
    const waitedMs = Date.now() - start;
    if (waitedMs > patienceMs) throw new Error(`it did not come to that: ${JSON.stringify(seen)}`);
    const pauseMs = Math.min(Math.max(waitedMs / 10, LOOK_EVERY_MS.least), LOOK_EVERY_MS.most);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Sockets and timers of this process, except the timer of `eventually`. */
export function openResources(): { sockets: number; timers: number } {
  const names = process.getActiveResourcesInfo();
  const count = (name: RegExp): number => names.filter((one) => name.test(one)).length;
  return { sockets: count(/^(?:UDP|TCP|TLS)/), timers: count(/^Timeout$/) };
}

const PATIENCE_MS = 45_000;
const LOOK_EVERY_MS = 20;

/**
 * Polls `look` until `fits` accepts its result; for states without events, such as the number of open sockets or a row. Rejects after
 * `patienceMs` with the last result; the default is long, because neighbours may keep the machine busy.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  isWanted: (seen: T) => boolean,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (isWanted(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`it did not come to that: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Sockets and timers of this process, except the timer of `eventually`. */
export function openResources(): { sockets: number; timers: number } {
  const names = process.getActiveResourcesInfo();
  const count = (name: RegExp): number => names.filter((one) => name.test(one)).length;
  return { sockets: count(/^(?:UDP|TCP|TLS)/), timers: count(/^Timeout$/) };
}

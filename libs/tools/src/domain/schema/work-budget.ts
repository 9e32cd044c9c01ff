/**
 * What checking one set of arguments may cost: steps of about 5 ns, so 10 ms and what an error takes to be told. `anyOf` in `anyOf`, schemas that refer to
 * themselves, `uniqueItems` and patterns multiply with the arguments; no limit on the schema alone would hold them.
 */
const MOST = 2_000_000;

class TooMuchWork extends Error {}

/** What it takes to tell of an error. */
export const STEPS_OF_ERROR = 100;

let left = 0;

/** Throws TooMuchWork when the steps of `bounded` are used up. */
export function spend(steps: number): void {
  if ((left -= steps) < 0) throw new TooMuchWork();
}

/** Runs what does not wait, so that nothing else spends in between. Undefined: it was too much. */
export function bounded<T>(work: () => T): T | undefined {
  left = MOST;
  try {
    return work();
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}

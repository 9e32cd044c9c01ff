/**
 * Steps of one bounded piece of work, about 5 ns each: 10 ms, and the time that reporting an error takes. `anyOf` in `anyOf`, schemas that
 * refer to themselves, `uniqueItems` and patterns multiply with the arguments, so no limit on the schema alone bounds them.
 */
const MOST_STEPS = 2_000_000;

class TooMuchWork extends Error {}

/** The cost of reporting one error. */
export const STEPS_OF_ERROR = 100;

let left = 0;

/** Takes steps from the work that `bounded` runs. Throws when they are used up. */
export function spend(steps: number): void {
  if ((left -= steps) < 0) throw new TooMuchWork();
}

/** Runs synchronous work, so that nothing else spends its steps. Undefined: the work exceeded its steps. */
export function bounded<T>(work: () => T): T | undefined {
  left = MOST_STEPS;
  try {
    return work();
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}

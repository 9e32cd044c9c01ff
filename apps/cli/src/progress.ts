/** One line per step, with the seconds it took. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    const result = await work();
    say(`${title} (${seconds(began)})`);
    return result;
  } catch (error) {
    say(`${title} failed`);
    throw error;
  }
}

export const say = (line: string): void => console.log(`  ${line}`);

export const seconds = (began: number): string => `${((performance.now() - began) / 1000).toFixed(1)} s`;

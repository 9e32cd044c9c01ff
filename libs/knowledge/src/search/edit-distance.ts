/** Words are at most 64 units long (see scanWords). */
const WIDTH = 65;
const rows = [new Uint8Array(WIDTH), new Uint8Array(WIDTH), new Uint8Array(WIDTH)] as const;

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn one word into the other (optimal string alignment);
 * any number above `most` when there are more than that.
 */
export function editDistance(a: Uint16Array, b: Uint16Array, most: number): number {
  let [before, last, row]: Uint8Array[] = [...rows];
  for (let j = 0; j <= b.length; j += 1) last![j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    row![0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last![j]! + 1, row![j - 1]! + 1, last![j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before![j - 2]! + 1);
      row![j] = cost;
      if (cost < least) least = cost;
    }
    if (least > most) return least;
    [before, last, row] = [last, row, before];
  }
  return last![b.length]!;
}

const CANDIDATES = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof CANDIDATES)[number];

const SAMPLE_CHARACTERS = 64 * 1024;
const SAMPLE_RECORDS = 200;

/** The delimiter that splits most records into the same number of cells; a comma if none does. */
export function delimiterOf(text: string): Delimiter {
  const declared = /^\ufeff?sep=([,;\t|])(?:\r\n?|\n)/i.exec(text)?.[1];
  if (declared !== undefined) return declared as Delimiter;
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const [best] = CANDIDATES.map((delimiter) => ({ delimiter, fit: fitOf(sample, delimiter) })).sort(
    (one, other) => other.fit - one.fit,
  );
  return best && best.fit > 0 ? best.delimiter : ',';
}

/**
 * The share of records with the most common number of delimiters, plus a small bonus for that number: `1,5;2,5;x`
 * uses semicolons.
 */
function fitOf(sample: string, delimiter: string): number {
  const counts = countsPerRecord(sample, delimiter);
  const times = new Map<number, number>();
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1);
  times.delete(0);
  const [commonest = 0, records = 0] = [...times].sort((one, other) => other[1] - one[1])[0] ?? [];
  return counts.length === 0 || records === 0 ? 0 : records / counts.length + Math.min(commonest, 50) / 1000;
}

/** Number of delimiters outside quotes, for each record that is not empty. */
function countsPerRecord(sample: string, delimiter: string): number[] {
  const counts: number[] = [];
  let [count, isQuoted, isEmpty] = [0, false, true];
  for (const character of sample) {
    if (character === '"') isQuoted = !isQuoted;
    if ((character === '\n' || character === '\r') && !isQuoted) {
      if (!isEmpty) counts.push(count);
      [count, isEmpty] = [0, true];
      if (counts.length >= SAMPLE_RECORDS) return counts;
    } else {
      if (character === delimiter && !isQuoted) count++;
      isEmpty = false;
    }
  }
  if (!isEmpty) counts.push(count);
  return counts;
}

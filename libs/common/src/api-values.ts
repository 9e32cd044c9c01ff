/** Money is counted in whole micro-USD (1 USD = 1,000,000), so that the lines of a call add up exactly. */
type Micros = number;

/** Micro-USD as the number of USD that the API shows. Exact: every amount we hold has at most 6 decimals. */
export const usd = (micros: Micros): number => micros / 1_000_000;

/** USD, as people write it in a file (`50`, `0.0125`), in micro-USD. */
export const microsOf = (dollars: number): Micros => Math.round(dollars * 1_000_000);

/** ISO 8601 with the offset spelled out, as Laravel writes it. */
export const isoTime = (date: Date): string => date.toISOString().replace('Z', '+00:00');

export const timeOrNull = (date: Date | null): string | null => (date ? isoTime(date) : null);

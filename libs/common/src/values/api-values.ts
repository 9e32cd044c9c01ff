import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';

/** Money is counted in whole micro-USD (1 USD = 1,000,000), so that the lines of a call add up exactly. */
type Micros = number;

/** Micro-USD as the number of USD in the API. Exact: stored amounts have at most 6 decimals. */
export const usd = (micros: Micros): number => micros / 1_000_000;

/** USD as written in a file (`50`, `0.0125`) in micro-USD. */
export const microsOf = (dollars: number): Micros => Math.round(dollars * 1_000_000);

/** ISO 8601 with an explicit offset, the format of Laravel. */
export const isoTime = (date: Date): string => `${date.toISOString().slice(0, -1)}+00:00`;

export const timeOrNull = (date: Date | null): string | null => (date ? isoTime(date) : null);

/** A time-ordered UUID (RFC 9562 §5.7): sorting by id is sorting by creation, which keeps list indexes small. */
export const newId = (): string => uuidv7();

/** A UUID (RFC 9562 §5.5) that is always the same for this id and this name. */
export const deriveId = (id: string, name: string): string => uuidv5(name, id);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (value: string): boolean => UUID.test(value);

/** The smallest id that newId can generate at a time: the first 48 bits are milliseconds. */
export function firstIdOf(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

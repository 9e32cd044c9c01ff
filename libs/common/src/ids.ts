import { v7 as uuidv7 } from 'uuid';

/** A time-ordered UUID (RFC 9562 §5.7): sorting by id is sorting by creation, which keeps list indexes small. */
export const newId = (): string => uuidv7();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (value: string): boolean => UUID.test(value);

/** The smallest id of newId that was made then: its first 48 bits are milliseconds. */
export function firstIdOf(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

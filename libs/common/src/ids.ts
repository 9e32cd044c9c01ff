import { v7 as uuidv7 } from 'uuid';

/** A time-ordered UUID (RFC 9562 §5.7): sorting by id is sorting by creation, which keeps list indexes small. */
export const newId = (): string => uuidv7();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (value: string): boolean => UUID.test(value);

/** The integer of a path parameter, or undefined when PostgreSQL could not hold it as an `integer` id. */
export function integerId(value: string): number | undefined {
  if (!/^[1-9]\d{0,9}$/.test(value)) return undefined;
  const id = Number(value);
  return id <= 2_147_483_647 ? id : undefined;
}

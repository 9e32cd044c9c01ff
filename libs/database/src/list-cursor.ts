/** A place between two rows of a list, and the direction in which to read on. */
export interface ListCursor {
  /** Time of the row beside it in micro-seconds since 1970: PostgreSQL's precision, which a Date has not. */
  micros: string;
  id: string;
  direction: 'older' | 'newer';
}

const CURSOR = /^([on])(-?\d{1,17})_([0-9a-f-]{36})$/;

/** Opaque to clients. */
export const writeCursor = ({ micros, id, direction }: ListCursor): string =>
  Buffer.from(`${direction === 'older' ? 'o' : 'n'}${micros}_${id}`).toString('base64url');

/** Undefined when it is not one of ours. */
export function readCursor(text: string): ListCursor | undefined {
  const match = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1'));
  const [, letter, micros, id] = match ?? [];
  if (!micros || !id || !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return undefined;
  return { micros, id, direction: letter === 'o' ? 'older' : 'newer' };
}

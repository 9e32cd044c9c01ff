/**
 * A form for a JSON value. What `write` returns for a state that was read equals what was read; a value for which that cannot hold has a
 * reason instead of a state, and stays JSON.
 */
export interface FormShape<State> {
  read(value: JsonObject): { state: State } | { reason: string };
  /** Null: the form is empty. */
  write(state: State): JsonObject | null;
}

export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Thrown while a value is read: the form has no field for it. */
class NotShown extends Error {}

export const notShown = (reason: string): never => {
  throw new NotShown(reason);
};

/** The state of `read`, or the reason that it gives with `notShown`. */
export function stateOr<State>(read: () => State): { state: State } | { reason: string } {
  try {
    return { state: read() };
  } catch (error) {
    if (error instanceof NotShown) return { reason: error.message };
    throw error;
  }
}

/** @throws NotShown for a key without a field */
export function onlyKeys(value: JsonObject, known: readonly string[], where: string): void {
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other !== undefined) notShown(`${where} uses “${other}”, which has no field here.`);
}

/** The text of a field; empty for an absent one. @throws NotShown for another type */
export function textIn(value: JsonObject, key: string, where: string): string {
  const { [key]: found } = value;
  if (found === undefined || found === null) return '';
  return typeof found === 'string' && found !== '' ? found : notShown(`“${key}” of ${where} cannot be shown.`);
}

/** The number of a field as text; empty for an absent one. @throws NotShown for another type */
export function numberIn(value: JsonObject, key: string, where: string): string {
  const { [key]: found } = value;
  if (found === undefined || found === null) return '';
  return typeof found === 'number' ? String(found) : notShown(`“${key}” of ${where} cannot be shown.`);
}

/** `key` with the typed text; absent where it is empty. */
export const given = (key: string, text: string): Record<string, string> => (text === '' ? {} : { [key]: text });

/** `key` with the typed number; text that is not a number is sent as typed, for the error of the API. */
export const givenNumber = (key: string, text: string): Record<string, number | string> => {
  const typed = text.trim();
  if (typed === '') return {};
  return { [key]: Number.isNaN(Number(typed)) ? typed : Number(typed) };
};

/** The lines of a text without blank ones. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Lines that `linesOf` reads back. @throws NotShown where it would not */
export const asLines = (texts: readonly unknown[], where: string): string =>
  texts
    .map((text) =>
      typeof text === 'string' && text !== '' && text.trim() === text && !text.includes('\n')
        ? text
        : notShown(`${where} has a value that does not fit on a line.`),
    )
    .join('\n');

/** The next key of a list of rows. */
export const nextKey = (rows: readonly { key: number }[]): number =>
  rows.reduce((highest, { key }) => Math.max(highest, key + 1), 0);

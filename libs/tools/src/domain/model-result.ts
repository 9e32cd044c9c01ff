/** Characters of JSON that a model is given: more costs it the thread of the conversation, and the caller time. */
export const RESULT_LENGTH = 8_000;

/**
 * A result whose JSON has at most 8,000 characters. What is too long becomes `{truncated: true, text}` with the beginning of its
 * text or JSON; short ones stay whole, long ones share what they leave.
 */
export function cappedResult(result: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(result).map(([name, value]) => ({ name, value, length: lengthOf(value) }));
  const names = fields.reduce((sum, { name }) => sum + lengthOf(name) + 2, 2);
  if (fields.reduce((sum, { length }) => sum + length, names) <= RESULT_LENGTH) return result;
  let room = RESULT_LENGTH - names;
  let left = fields.length;
  for (const field of fields.toSorted((a, b) => a.length - b.length)) {
    const share = Math.floor(room / left--);
    if (field.length > share) field.value = cut(field.value, share);
    room -= lengthOf(field.value);
  }
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

const lengthOf = (value: unknown): number => JSON.stringify(value).length;

/** The longest beginning that fits when it is escaped. */
function cut(value: unknown, length: number): { truncated: true; text: string } {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  let [fits, tooLong] = [0, Math.min(text.length, length)];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (lengthOf(beginning(text, middle)) <= length) fits = middle;
    else tooLong = middle;
  }
  return beginning(text, fits);
}

/** Half of a surrogate pair is left out. */
const beginning = (text: string, length: number): { truncated: true; text: string } => ({
  truncated: true,
  text: text.slice(0, length).replace(/[\ud800-\udbff]$/, ''),
});

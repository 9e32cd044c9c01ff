type ReadJson = { value: Record<string, unknown> } | { problem: string };

/** Parses a JSON object, or returns the problem and its place. */
export function readObject(text: string): ReadJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: sentenceOf(error, text) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'This must be a JSON object: { … }.' };
  return { value: value as Record<string, unknown> };
}

/** Browsers differ in their messages, and give the place as a line or as a number of characters. */
function sentenceOf(error: unknown, text: string): string {
  const said = error instanceof Error ? error.message : '';
  const what = said
    .replace(/^JSON\.parse: |^JSON Parse error: /, '')
    .replace(/ (?:in JSON )?at (?:position|line) .*$/s, '')
    .replace(/^Unexpected token (\S+), .* is not valid JSON$/s, 'Unexpected $1');
  return `${placeOf(said, text)}: ${what.replace(/\.$/, '')}.`;
}

function placeOf(said: string, text: string): string {
  const lineAndColumn = /line (\d+) column (\d+)/.exec(said);
  if (lineAndColumn) return `Line ${lineAndColumn[1]}, column ${lineAndColumn[2]}`;
  const position = /position (\d+)/.exec(said)?.[1];
  // Without a place: the text ends too early, or the message quotes the text around a wrong token.
  if (position === undefined) return 'This is not JSON';
  const before = text.slice(0, Number(position)).split('\n');
  return `Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

export const tidy = (value: unknown): string => JSON.stringify(value, null, 2);

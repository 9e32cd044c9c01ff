import { isJsonObject } from './form-or-json.js';
import type { ReadObject } from './json-text.js';

/** A value as YAML; texts of several lines stay readable. */
export async function yamlOf(value: unknown): Promise<string> {
  const { stringify } = await import('./yaml-library.js');
  return stringify(value, { lineWidth: 0 });
}

/** Parses an object in YAML, of which JSON is a part, or returns the problem and its place. */
export async function readYaml(text: string): Promise<ReadObject> {
  const { parseDocument } = await import('./yaml-library.js');
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) {
    const [start] = error.linePos ?? [];
    const what = error.message.replace(/ at line \d+, column \d+:[^]*$/, '');
    return { problem: start ? `Line ${start.line}, column ${start.col}: ${what}.` : `${what}.` };
  }
  let value: unknown;
  try {
    // Throws when aliases would make far more of the text than it is.
    value = document.toJS();
  } catch (failure) {
    return { problem: failure instanceof Error ? failure.message : String(failure) };
  }
  return isJsonObject(value) ? { value } : { problem: 'This must be an object: names with values.' };
}

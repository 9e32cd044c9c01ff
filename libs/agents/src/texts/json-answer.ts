import { readJson } from '@app/common';
/** Larger documents are not parsed: 100,000 characters are the limit of an answer. */
const MAX_LENGTH = 200_000;

/**
 * The JSON object in a model's answer; undefined when there is none. Models often put the document into a Markdown fence or between
 * sentences.
 */
export function jsonIn(text: string): Record<string, unknown> | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const trimmed = text.trim();
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/i.exec(trimmed)?.[1];
  const embraced = trimmed.slice(trimmed.indexOf('{'), trimmed.lastIndexOf('}') + 1);
  for (const candidate of [trimmed, fenced, embraced]) {
    const value = candidate === undefined ? undefined : parse(candidate);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

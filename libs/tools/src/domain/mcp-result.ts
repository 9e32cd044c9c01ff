import { hasInexactNumber } from '@app/common';
import { pgJson } from '@app/database';
import { isJsonObject, jsonLimitProblem } from '@app/json-schema';
import type { ActionError } from './tool.js';

/** More deeply nested results are not read, because later readers recurse. */
const EXTENT = { depth: 64, bytes: Infinity };
/** Items of `content`. */
const MAX_ITEMS = 100;
/** Characters of an error that are kept: a sentence, not a page. */
const ERROR_LENGTH = 500;

interface McpResult {
  content: readonly unknown[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
}

/**
 * The result of `tools/call` for the model: `{structured_content}` if there is one (its text repeats it), otherwise `{text}`. Images, audio and
 * binary files are dropped; `notes` count them.
 */
export function mcpResult(result: McpResult): { value: Record<string, unknown> } | { error: ActionError } {
  if (jsonLimitProblem(result, EXTENT))
    return { error: { code: 'unreadable_answer', message: 'The result of the MCP server is nested too deeply.' } };
  const { text, notes } = readContent(result.content);
  if (result.isError === true) {
    const said = text.trim().slice(0, ERROR_LENGTH);
    return {
      error: { code: 'tool_error', message: said === '' ? 'The tool reported an error without a text.' : said },
    };
  }
  const { structuredContent } = result;
  // The client package has read the numbers; the text of a result repeats them with all digits.
  const isExact = !hasInexactNumber(structuredContent);
  if (!isExact && text === '')
    return {
      error: {
        code: 'unreadable_answer',
        message: 'The MCP server returned a number with too many digits to be read exactly.',
      },
    };
  const read = isJsonObject(structuredContent) && isExact ? { structured_content: structuredContent } : { text };
  const value = notes.length === 0 ? read : { ...read, notes };
  return { value: JSON.parse(pgJson(value)) as Record<string, unknown> };
}

/** The texts of a result, and a note for each kind of content that has none. */
function readContent(content: readonly unknown[]): { text: string; notes: string[] } {
  const texts: string[] = [];
  const dropped = new Map<string, number>();
  for (const item of content.slice(0, MAX_ITEMS)) {
    const text = textOf(item);
    if (text === undefined) dropped.set(kindOf(item), (dropped.get(kindOf(item)) ?? 0) + 1);
    else texts.push(text);
  }
  const notes = [...dropped].map(
    ([kind, count]) => `${count} ${kind} ${count === 1 ? 'item was' : 'items were'} dropped.`,
  );
  if (content.length > MAX_ITEMS) notes.push(`${content.length - MAX_ITEMS} more items were dropped.`);
  return { text: texts.join('\n'), notes };
}

function textOf(item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const { type, text, resource, uri, name } = item;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource' && isJsonObject(resource) && typeof resource['text'] === 'string') return resource['text'];
  return type === 'resource_link' && typeof uri === 'string'
    ? `${typeof name === 'string' ? name : 'Link'}: ${uri}`
    : undefined;
}

const KINDS = ['image', 'audio', 'resource'];

const kindOf = (item: unknown): string => {
  const type = isJsonObject(item) ? item['type'] : undefined;
  return KINDS.includes(type as string) ? (type as string) : 'unknown';
};

import type { Response } from 'express';

/**
 * Comma-separated names of unknown body fields and query parameters, which are ignored: `recrod`, `webhook_actions.0.foo`.
 * Characters other than letters, digits, `_`, `-` and `.` are percent-encoded.
 */
export const IGNORED_FIELDS_HEADER = 'Trunkline-Ignored-Fields';
/** The end of a truncated list or name. */
const MORE = '...';
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 100;

/** The response of a body or query: pipes can access neither request nor response. */
const responses = new WeakMap<object, Response>();

/** Reports ignored fields of `content` in the header of `response`. */
export function trackIgnoredFields(content: unknown, response: Response): void {
  if (isObject(content)) responses.set(content, response);
}

/** Reports fields of a tracked `sent` that its DTO `read` lacks. */
export function reportIgnoredFields(sent: unknown, read: unknown): void {
  const response = isObject(sent) ? responses.get(sent) : undefined;
  if (response) addIgnoredFields(response, ignoredFieldNames(sent, read));
}

/** Adds names to the header, which may already contain names of query parameters. */
export function addIgnoredFields(response: Response, names: readonly string[]): void {
  if (names.length === 0 || response.headersSent) return;
  const earlier = response.getHeader(IGNORED_FIELDS_HEADER);
  const all = [
    ...(typeof earlier === 'string' ? earlier.split(', ') : []),
    ...names.slice(0, MAX_NAMES + 1).map(headerSafe),
  ];
  response.setHeader(
    IGNORED_FIELDS_HEADER,
    (all.length > MAX_NAMES ? [...all.slice(0, MAX_NAMES), MORE] : all).join(', '),
  );
}

/** Paths of the outermost fields that were sent but not read; at most one more than the header shows. */
export function ignoredFieldNames(sent: unknown, read: unknown, path = ''): string[] {
  const names: string[] = [];
  if (!isObject(sent) || !isObject(read) || sent === read || !isDtoInstance(read)) return names;
  for (const [name, value] of Object.entries(sent)) {
    if (names.length > MAX_NAMES) break;
    if (Object.hasOwn(read, name))
      names.push(...ignoredFieldNames(value, (read as Record<string, unknown>)[name], `${path}${name}.`));
    else names.push(`${path}${name}`);
  }
  return names.slice(0, MAX_NAMES + 1);
}

/** Plain objects are free-form JSON, such as `metadata`: all of their fields are kept. */
const isDtoInstance = (read: object): boolean => Object.getPrototypeOf(read) !== Object.prototype;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function headerSafe(name: string): string {
  const cut = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}${MORE}` : name;
  // A lone surrogate, which truncation may leave, cannot be encoded.
  return encodeURIComponent(cut.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll(/[!'()*~]/g, encodeRest);
}

const encodeRest = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

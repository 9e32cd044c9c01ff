import type { Response } from 'express';

/**
 * Names of body fields and query parameters that the service does not know and ignored, separated by commas: `recrod`,
 * `webhook_actions.0.foo`. Characters other than letters, digits, `_`, `-` and `.` are percent-encoded.
 */
export const IGNORED_FIELDS_HEADER = 'Trunkline-Ignored-Fields';
/** Stands at the end of a list that was cut. */
const MORE = '...';
const MOST_NAMES = 20;
const LONGEST_NAME = 100;

/** The response that a body or a query will be answered with: pipes know neither request nor response. */
const responses = new WeakMap<object, Response>();

/** Fields of `content` that the service ignores are named in the headers of `response`. */
export function watchIgnored(content: unknown, response: Response): void {
  if (isObject(content)) responses.set(content, response);
}

/** Compares what was sent with what was read of it. */
export function reportIgnored(sent: unknown, read: unknown): void {
  const response = isObject(sent) ? responses.get(sent) : undefined;
  if (response) addIgnored(response, namesIgnored(sent, read));
}

/** Adds names to the header; a request has a body and a query. */
export function addIgnored(response: Response, names: readonly string[]): void {
  if (names.length === 0 || response.headersSent) return;
  const earlier = response.getHeader(IGNORED_FIELDS_HEADER);
  const all = [
    ...(typeof earlier === 'string' ? earlier.split(', ') : []),
    ...names.slice(0, MOST_NAMES + 1).map(headerSafe),
  ];
  response.setHeader(
    IGNORED_FIELDS_HEADER,
    (all.length > MOST_NAMES ? [...all.slice(0, MOST_NAMES), MORE] : all).join(', '),
  );
}

/** Paths of what was sent and not read, the outermost only; at most one more than are shown. */
export function namesIgnored(sent: unknown, read: unknown, path = ''): string[] {
  const names: string[] = [];
  if (!isObject(sent) || !isObject(read) || sent === read || !isOfClass(read)) return names;
  for (const [name, value] of Object.entries(sent)) {
    if (names.length > MOST_NAMES) break;
    if (Object.hasOwn(read, name))
      names.push(...namesIgnored(value, (read as Record<string, unknown>)[name], `${path}${name}.`));
    else names.push(`${path}${name}`);
  }
  return names.slice(0, MOST_NAMES + 1);
}

/** Plain objects are the sender's own, such as `metadata`: all of their fields are kept. */
const isOfClass = (read: object): boolean => Object.getPrototypeOf(read) !== Object.prototype;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function headerSafe(name: string): string {
  const cut = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}${MORE}` : name;
  // Half a surrogate pair, which cutting may leave, cannot be encoded.
  return encodeURIComponent(cut.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll(/[!'()*~]/g, encodeRest);
}

const encodeRest = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

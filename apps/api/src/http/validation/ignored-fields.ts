import { type CodedProblem, InvalidFields, withCode } from '@app/common';
import type { Request, Response } from 'express';
import { type Dto, meantField } from './known-fields.js';

/**
 * Comma-separated names of unknown body fields and query parameters, which are ignored: `recrod`, `webhook_actions.0.foo`.
 * Characters other than letters, digits, `_`, `-` and `.` are percent-encoded.
 */
export const IGNORED_FIELDS_HEADER = 'Trunkline-Ignored-Fields';
/** The end of a truncated list or name. */
const MORE = '...';
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 100;

/** What a successful request did not do, or left in a state that may surprise. */
export interface Warning {
  code: string;
  field: string | null;
  message: string;
}

interface IgnoredField {
  name: string;
  /** Of the body or the query; undefined: the route reads neither. */
  dto: Dto | undefined;
}

/** The response of a body or query: pipes can access neither request nor response. */
const responses = new WeakMap<object, Response>();
/** Of the responses to requests with ignored fields. */
const ignoredBy = new WeakMap<Response, IgnoredField[]>();

/** Reports ignored fields of `content` in `response`. */
export function trackIgnoredFields(content: unknown, response: Response): void {
  if (isObject(content)) responses.set(content, response);
}

/** Reports fields of a tracked `sent` that its DTO `read` lacks. @returns the error of a request that asks for one */
export function reportIgnoredFields(sent: unknown, read: unknown, dto: Dto | undefined): InvalidFields | undefined {
  const response = isObject(sent) ? responses.get(sent) : undefined;
  return response && addIgnoredFields(response, ignoredFieldNames(sent, read), dto);
}

/**
 * Adds names to the header, which may already contain names of query parameters, and to the warnings of the body.
 * @returns the error of a request that asks for one
 */
export function addIgnoredFields(
  response: Response,
  names: readonly string[],
  dto: Dto | undefined = response.req.bodyDto,
): InvalidFields | undefined {
  if (names.length === 0 || response.headersSent) return undefined;
  const fields = [...(ignoredBy.get(response) ?? []), ...names.map((name) => ({ name, dto }))];
  ignoredBy.set(response, fields.slice(0, MAX_NAMES + 1));
  const shown = fields.slice(0, MAX_NAMES).map(({ name }) => headerSafe(name));
  response.setHeader(IGNORED_FIELDS_HEADER, [...shown, ...(fields.length > MAX_NAMES ? [MORE] : [])].join(', '));
  return isStrict(response.req) ? refusalOf(fields.slice(0, MAX_NAMES)) : undefined;
}

/** RFC 7240 §2: names are case-insensitive, a value may be in quotes; §4.4: handling. */
const STRICT = /(?:^|,)\s*handling\s*=\s*(?:strict|"strict")\s*(?:[,;]|$)/i;

/** Whether unknown fields are errors of this request. */
export const isStrict = ({ headers: { prefer } }: Request): boolean =>
  prefer !== undefined && STRICT.test(String(prefer));

/** The warnings about ignored fields; undefined: none were ignored. */
export function ignoredFieldWarnings(response: Response): Warning[] | undefined {
  const fields = ignoredBy.get(response);
  if (!fields) return undefined;
  const warnings: Warning[] = fields.slice(0, MAX_NAMES).map((field) => ({
    code: 'unknown_field',
    field: shortened(field.name),
    message: `The field ${shortened(field.name)} is unknown and was ignored.${suggestion(field)}`,
  }));
  if (fields.length > MAX_NAMES)
    warnings.push({ code: 'unknown_field', field: null, message: 'More fields are unknown and were ignored.' });
  return warnings;
}

function refusalOf(fields: readonly IgnoredField[]): InvalidFields {
  const problems = fields.map((field): [string, CodedProblem[]] => {
    const name = shortened(field.name);
    return [name, [withCode('unknown_field', `The field ${name} is unknown.${suggestion(field)}`)]];
  });
  return new InvalidFields(Object.fromEntries(problems));
}

function suggestion({ name, dto }: IgnoredField): string {
  const meant = meantField(dto, name);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
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

const shortened = (name: string): string =>
  name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}${MORE}` : name;

/** A lone surrogate, which truncation may leave, cannot be encoded. */
const headerSafe = (name: string): string =>
  encodeURIComponent(shortened(name).replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll(/[!'()*~]/g, encodeRest);

const encodeRest = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

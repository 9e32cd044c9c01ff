import { nearest } from './nearest-name.js';
import { codeOf, type FieldProblem, InvalidFields, messageOf, withCode } from '@app/common';
import type { Request } from 'express';
import { namesAt } from './known-fields.js';

/** The error with the unknown field of the body that each missing field may be: `Did you mean to_number instead of toNumber?` */
export function withMisspelledFields(error: InvalidFields, { body, bodyDto }: Request): InvalidFields {
  const entries = Object.entries(error.problems).map(([field, problems]): [string, FieldProblem[]] => {
    if (!error.codes[field]?.includes('missing')) return [field, problems];
    const path = field.split('.');
    const name = path.pop() ?? '';
    const known = namesAt(bodyDto, path);
    if (!known.includes(name)) return [field, problems];
    const unknown = keysAt(body, path).filter((key) => !known.includes(key));
    const similar = nearest(name, unknown);
    if (similar === undefined) return [field, problems];
    const hint = `Did you mean ${name} instead of ${similar}?`;
    return [
      field,
      problems.map((one) => (codeOf(one) === 'missing' ? withCode('missing', `${messageOf(one)} ${hint}`) : one)),
    ];
  });
  return new InvalidFields(Object.fromEntries(entries));
}

function keysAt(value: unknown, path: readonly string[]): string[] {
  const inner = path.reduce<unknown>((outer, key) => {
    const isInside = typeof outer === 'object' && outer !== null && Object.hasOwn(outer, key);
    return isInside ? (outer as Record<string, unknown>)[key] : undefined;
  }, value);
  return typeof inner === 'object' && inner !== null ? Object.keys(inner) : [];
}

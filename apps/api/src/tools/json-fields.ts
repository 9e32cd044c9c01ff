import type { FieldErrors } from '@app/common';
import { type GivenHeader, schemaProblems } from '@app/tools';
import { ValidateParts } from '../http/validators.js';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectProblems = (value: unknown, property: string): FieldErrors =>
  isObject(value) ? {} : { [property]: [`The ${property} field must be an object.`] };

/** A free-form JSON object. */
export const IsJsonObject = (): PropertyDecorator => ValidateParts('isJsonObject', objectProblems);

/** The JSON Schema of a tool's input; errors have their path in the schema. */
export const IsToolSchema = (): PropertyDecorator => ValidateParts('isToolSchema', (value) => schemaProblems(value));

/** Headers by name: a value, or `{value, secret}`. */
export const IsHeaders = (): PropertyDecorator =>
  ValidateParts('isHeaders', (value, property) => {
    if (!isObject(value)) return objectProblems(value, property);
    const wrong = Object.keys(value).filter((name) => !isGivenHeader(value[name]));
    return Object.fromEntries(
      wrong.map((name) => {
        const path = `${property}.${name}`;
        return [path, [`The ${path} field must be a string, or an object of value (string) and secret (boolean).`]];
      }),
    );
  });

function isGivenHeader(given: unknown): given is GivenHeader {
  if (typeof given === 'string') return true;
  if (!isObject(given)) return false;
  return typeof given['value'] === 'string' && ['undefined', 'boolean'].includes(typeof given['secret']);
}

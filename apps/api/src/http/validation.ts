import { type FieldErrors, InvalidFields } from '@app/common';
import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';

/** Context of a constraint that knows more than one sentence: the errors of each element of its value. */
export interface ElementErrors {
  elementErrors: (property: string, value: unknown) => FieldErrors;
}

/** Bodies and queries become their DTOs: unknown fields are dropped, wrong ones are 422 with all that is wrong. */
export const validationPipe = (): ValidationPipe =>
  new ValidationPipe({
    transform: true,
    whitelist: true,
    stopAtFirstError: true,
    exceptionFactory: (errors) => new InvalidFields(fieldErrors(errors)),
  });

/** class-validator's tree as `{ 'post_call_webhook_headers.0.key': ['…'] }`. */
export function fieldErrors(errors: readonly ValidationError[], path = ''): FieldErrors {
  const fields = errors.map((error) => {
    const property = `${path}${error.property}`;
    const own = Object.entries(error.constraints ?? {}).map(([name, message]) => {
      const context = error.contexts?.[name] as ElementErrors | undefined;
      return context?.elementErrors(property, error.value) ?? { [property]: [placed(message, path, property)] };
    });
    return Object.assign({}, fieldErrors(error.children ?? [], `${property}.`), ...own) as FieldErrors;
  });
  return Object.assign({}, ...fields) as FieldErrors;
}

/** Inside a list the whole path names the field, not its last part alone. */
const placed = (message: string, path: string, property: string): string =>
  path === '' ? message : message.replace(/^The .+? field/, `The ${property} field`);

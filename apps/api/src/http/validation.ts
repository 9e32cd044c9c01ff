import { type FieldErrors, InvalidFields } from '@app/common';
import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { reportIgnored } from './ignored-fields.js';

/** Context of a constraint that knows more than one sentence: the errors of each element of its value. */
export interface ElementErrors {
  elementErrors: (property: string, value: unknown) => FieldErrors;
}

/** What was read of a body before it turned out to be wrong. */
const readBefore = new WeakMap<Error, object>();

/**
 * Bodies and queries become their DTOs: wrong fields are 422 with all that is wrong; unknown ones are dropped, and named in a header,
 * also of a 422, where a typing error may be the reason.
 */
class ReportingPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      stopAtFirstError: true,
      validationError: { target: true },
      exceptionFactory: (errors) => {
        const problem = new InvalidFields(fieldErrors(errors));
        if (errors[0]?.target) readBefore.set(problem, errors[0].target);
        return problem;
      },
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    try {
      const read: unknown = await super.transform(value, metadata);
      reportIgnored(value, read);
      return read;
    } catch (error) {
      const read = error instanceof InvalidFields ? readBefore.get(error) : undefined;
      if (read) reportIgnored(value, read);
      throw error;
    }
  }
}

export const validationPipe = (): ValidationPipe => new ReportingPipe();

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

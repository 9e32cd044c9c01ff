import { type FieldErrors, InvalidFields, withCode, wrongNumber } from '@app/common';
import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { codeOfConstraint } from './constraint-codes.js';
import type { ElementErrors } from './element-errors.js';
import { FIELD } from './field-name.js';
import { holdFields } from './held-fields.js';
import { reportIgnoredFields } from './ignored-fields.js';
import { keepValidationRules } from './validation-rules.js';

keepValidationRules();

/** The DTO of an invalid body or query. */
const invalidDto = new WeakMap<Error, object>();

/**
 * Converts bodies and queries to their DTOs. Invalid fields return 422 with all errors. Unknown fields are dropped and listed in a header,
 * also of a 422: a misspelled name may be the reason. They are errors if the request prefers strict handling.
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
        if (errors[0]?.target) invalidDto.set(problem, errors[0].target);
        return problem;
      },
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const release = holdFields(value, metadata.type === 'body' ? metadata.metatype : undefined);
    try {
      const read: unknown = await super.transform(value, metadata).finally(release);
      const refusal = reportIgnoredFields(value, read, metadata.metatype);
      if (refusal) throw refusal;
      return read;
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      const read = invalidDto.get(error);
      const refusal = read && reportIgnoredFields(value, read, metadata.metatype);
      if (!refusal) throw error;
      throw new InvalidFields({ ...error.problems, ...refusal.problems });
    }
  }
}

export const validationPipe = (): ValidationPipe => new ReportingPipe();

/** class-validator's tree as `{ 'post_call_webhook_headers.0.key': ['…'] }`. */
function fieldErrors(errors: readonly ValidationError[], path = ''): FieldErrors {
  const fields = errors.map((error) => {
    const property = `${path}${error.property}`;
    const messages = Object.entries(error.constraints ?? {}).map(([name, message]) => {
      const context = error.contexts?.[name] as ElementErrors | undefined;
      if (context) return context.elementErrors(property, error.value);
      const code = codeOfConstraint(name, error);
      const sentence = sentenceOn(message, path, error.property);
      const isNumber = name === 'isE164' && typeof error.value === 'string';
      return { [property]: [isNumber ? wrongNumber(code, sentence, error.value as string) : withCode(code, sentence)] };
    });
    return Object.assign({}, fieldErrors(error.children ?? [], `${property}.`), ...messages) as FieldErrors;
  });
  return Object.assign({}, ...fields) as FieldErrors;
}

/** A message with its field: in words, or with the whole path inside of objects and lists. */
const sentenceOn = (message: string, path: string, property: string): string =>
  message.replace(FIELD, path === '' ? property.replaceAll('_', ' ') : `${path}${property}`);

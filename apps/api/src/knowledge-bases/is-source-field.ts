import { SOURCE_TYPES, type SourceType } from '@app/knowledge';
import { ValidateBy, type ValidationArguments } from 'class-validator';

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/**
 * A field that one source type needs and the others must not have. `problem`: what is wrong with a value that is there, as a
 * sentence.
 */
export function IsSourceField(
  sourceType: SourceType,
  problem: (value: unknown) => string | undefined,
): PropertyDecorator {
  const sentence = ({ value, object, property }: ValidationArguments): string | undefined => {
    const { source_type: given } = object as { source_type?: unknown };
    const name = property.replaceAll('_', ' ');
    if (given === sourceType) {
      if (isBlank(value)) return `The ${name} field is required when source type is ${sourceType}.`;
      return problem(value);
    }
    if (isBlank(value) || !SOURCE_TYPES.some((known) => known === given)) return undefined;
    return `The ${name} field is prohibited unless source type is ${sourceType}.`;
  };
  return ValidateBy({
    name: 'isSourceField',
    validator: {
      validate: (_value: unknown, args) => args === undefined || sentence(args) === undefined,
      defaultMessage: (args) => (args && sentence(args)) ?? '',
    },
  });
}

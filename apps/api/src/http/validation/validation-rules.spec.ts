import { describe, expect, it } from '@jest/globals';
import { getMetadataStorage, IsInt, IsString, validateSync } from 'class-validator';
import { keepValidationRules } from './validation-rules.js';

class Named {
  @IsString()
  name: unknown;
}

class Counted extends Named {
  @IsInt({ groups: ['count'] })
  count: unknown;
}

const invalid = (object: object, groups?: string[]): string[] =>
  validateSync(object, groups ? { groups } : {})
    .map(({ property }) => property)
    .toSorted();

describe('keepValidationRules', () => {
  it('keeps the results of validations, with inherited rules and with groups', () => {
    const validations = (): string[][] => [
      invalid(Object.assign(new Named(), { name: 1 })),
      invalid(Object.assign(new Counted(), { name: 1, count: 'x' })),
      invalid(Object.assign(new Counted(), { name: 'a', count: 'x' }), ['count']),
      invalid(Object.assign(new Counted(), { name: 1, count: 'x' }), ['other']),
    ];
    const before = validations();
    keepValidationRules();
    expect([validations(), validations()]).toEqual([before, before]);
    expect(before).toEqual([['name'], ['count', 'name'], ['count'], []]);
  });

  it('asks class-validator for the rules of a class once', () => {
    const asked: (string[] | undefined)[] = [];
    const storage = Object.assign(Object.create(getMetadataStorage()) as ReturnType<typeof getMetadataStorage>, {
      getTargetValidationMetadatas: (...[, , , , groups]: [unknown, unknown, unknown, unknown, string[]?]) => {
        asked.push(groups);
        return [];
      },
    });
    keepValidationRules(storage);
    for (let n = 0; n < 3; n++) storage.getTargetValidationMetadatas(Named, '', false, false);
    storage.getTargetValidationMetadatas(Named, '', false, false, ['count']);
    expect(asked).toEqual([undefined, ['count']]);
  });
});

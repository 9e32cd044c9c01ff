import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { ErrorCode } from '../values/error-codes.js';
import {
  API_WORDS,
  codeOfIssue,
  coded,
  inWords,
  language,
  list,
  name,
  node,
  reportMissing,
  text,
  whole,
} from './field-schemas.js';

describe('the code of a fault of a schema', () => {
  const either = z.union([z.string().max(3), node({ append: text(3) })]);
  const needy = node({ kind: z.string() }).superRefine((_, context) => reportMissing(context, 'options'));
  it.each<[ErrorCode, z.ZodType, unknown]>([
    ['missing', name, undefined],
    ['missing', z.enum(['a', 'b']), undefined],
    ['missing', needy, { kind: 'a' }],
    ['wrong_type', name, 5],
    ['wrong_type', list(name), 'a'],
    ['wrong_type', either, 5],
    ['too_short', name, ''],
    ['too_long', text(2), 'abc'],
    ['too_long', either, 'abcd'],
    ['too_many', z.array(name).max(1), ['a', 'b']],
    ['too_few', z.array(name).min(1), []],
    ['out_of_range', whole(1, 5), 6],
    ['out_of_range', whole(1, 5), 0],
    ['invalid_choice', z.enum(['a', 'b']), 'c'],
    ['invalid_format', z.string().regex(/^a/), 'b'],
    ['invalid_format', language, '??'],
    ['unknown_field', node({}), { x: 1 }],
    ['duplicate', z.string().refine(() => false, coded('duplicate', 'is there twice')), 'a'],
    ['invalid', z.string().refine(() => false, 'is not liked'), 'a'],
  ])('is %s', (code, schema, value) => {
    const [issue] = schema.safeParse(value, inWords(API_WORDS)).error?.issues ?? [];
    expect(issue && codeOfIssue(issue)).toBe(code);
  });
});

import { customProblems, type CustomPattern, MAX_CUSTOM, SECRET_KINDS } from '@app/privacy';
import { z } from 'zod';
import { flag, node, text } from '@app/common/field-schemas';

const kind = z
  .string()
  .superRefine((value, context) => {
    if (SECRET_KINDS.some((one) => one === value)) return;
    const message =
      value === 'name'
        ? 'is not available: names need a text model, and no release finds them yet'
        : `must be one of ${SECRET_KINDS.join(', ')}`;
    context.addIssue({ code: 'custom', message });
  })
  .meta({ enum: [...SECRET_KINDS] });

const kinds = z
  .array(kind, 'must be a list of kinds')
  .max(SECRET_KINDS.length, `must not be more than ${SECRET_KINDS.length}`)
  .transform((given) => SECRET_KINDS.filter((one) => given.includes(one)));

const custom = z
  .array(
    node({
      name: text(32).describe('Name, which stands in the place of what it finds.'),
      pattern: text(512).describe('Regular expression without look-around and back-references.'),
    }),
    'must be a list of patterns',
  )
  .max(MAX_CUSTOM, `must not be more than ${MAX_CUSTOM}`)
  .superRefine((given: CustomPattern[], context) => {
    for (const { index, key, message } of customProblems(given))
      context.addIssue({ code: 'custom', path: [index, key], message });
  });

/** What is removed from everything that is stored about calls. Replaces the stored settings as a whole. */
export const redaction = node({
  kinds: kinds
    .default([...SECRET_KINDS])
    .describe(`Kinds of secrets: ${SECRET_KINDS.join(', ')}; absent: all of them.`),
  custom: custom.default([]).describe('Patterns of your own.'),
  audio: flag.default(true).describe('Whether recordings are silent where a secret was said or pressed.'),
}).nullish();

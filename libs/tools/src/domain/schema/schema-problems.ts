import type { FieldErrors } from '@app/common';
import { readSchema } from './read-schema.js';

/**
 * What is wrong with the schema of a tool's input, by field, such as `parameters.properties.when.pattern`; empty when it can be
 * used. It must be that of an object (draft 2020-12, 2019-09 or 07), keep SCHEMA_BYTES, _DEPTH, _NODES and _PROPERTIES, refer to
 * its own `$defs` and `definitions` only, and have patterns without look-around and back-references. Unknown keywords assert
 * nothing. Takes no longer than a few milliseconds, whatever it is given.
 */
export const schemaProblems = (schema: unknown): FieldErrors => readSchema(schema).problems;

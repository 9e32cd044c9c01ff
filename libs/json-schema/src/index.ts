export { argumentProblems } from './argument-validator.js';
export { isJsonObject, jsonLimitProblem, type JsonSchema, SCHEMA_BYTES } from './limits.js';
export { schemaProblems } from './read-schema.js';

export { argumentProblems } from './argument-validator.js';
export { isJsonObject, jsonLimitProblem, type JsonSchema, SCHEMA_BYTES } from './limits.js';
export { schemaFaults, schemaProblems } from './read-schema.js';

export { type ActionHeader, MASK, openActionHeaders, sealActionHeaders } from './action-headers.js';
export * from './agent-tools.js';
export * from './limits.js';
export { PLACEHOLDER, type Placeholder, placeholderOf } from './placeholders.js';
export { argumentProblems } from './schema/argument-problems.js';
export { schemaProblems } from './schema/schema-problems.js';
export * from './tool.js';
export type * from './run/invocation.js';

// `@app/client` of the console: the types of the API, and what needs neither Node nor a client of its own.
export type { components } from './generated/api-types.js';
export { IGNORED_FIELDS_HEADER, ignoredFields, ignoredFieldText } from './ignored-fields.js';

// `@app/client` for the console: the API types and the functions that run in a browser.
export type { components } from './generated/api-types.js';
export { IGNORED_FIELDS_HEADER, ignoredFields, ignoredFieldText } from './ignored-fields.js';

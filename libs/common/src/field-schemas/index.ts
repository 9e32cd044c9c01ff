export { flag, language, list, name, node, rate, report, sipToken, text, whole } from './field-schemas.js';

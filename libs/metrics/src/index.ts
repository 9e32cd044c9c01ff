export * from './health-server.js';
export * from './metrics.js';
export { mistypedNames, warnOfMistypedNames } from './mistyped-names.js';

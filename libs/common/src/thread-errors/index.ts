export { describeError, type ErrorDescription, rebuildError } from './thread-errors.js';

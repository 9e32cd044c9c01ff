export * from './api-tokens.js';
export * from './apply-workspace.js';
export * from './destination-allowed.js';
export * from './dialled-numbers.js';
export * from './e164.js';
export * from './scopes.js';
export { isPlausibleToken, newToken } from './token.js';
export * from './token-lookup.js';
export { WorkspaceError, type WorkspaceLine } from './workspace-file.js';

export * from './api-tokens.js';
export * from './apply-workspace.js';
export * from './destination-allowed.js';
export * from './dial-trunk.js';
export * from './dialled-numbers.js';

export * from './e164.js';
export * from './scopes.js';
export { isPlausibleToken, newToken } from './token.js';
export * from './token-lookup.js';
export * from './trunk-health.js';
export * from './trunk-list.js';
export * from './trunk-pings.js';
export * from './trunk-view.js';
export { WorkspaceError, type WorkspaceLine } from './workspace-file.js';

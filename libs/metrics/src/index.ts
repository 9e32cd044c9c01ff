export * from './health-server.js';
export * from './metrics.js';

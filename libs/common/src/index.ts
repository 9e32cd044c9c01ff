export * from './env.js';
export * from './errors.js';
export * from './ids.js';
export * from './log.js';
export * from './money.js';
export * from './seal.js';

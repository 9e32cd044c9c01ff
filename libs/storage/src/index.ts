export * from './disk-storage.js';
export * from './open-storage.js';
export * from './storage.js';

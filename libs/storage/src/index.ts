export * from './disk-storage.js';
export * from './open-storage.js';
export * from './skip-list.js';
export { makePrivateFolder } from './private-folders.js';
export * from './s3-storage.js';
export * from './storage.js';
export * from './try-storage.js';
export { openUploadFolder, PART, REMOVE_PARTS_MS, removeLeftParts, uploadFolder } from './upload-folder.js';
export { StorageModule } from './storage.module.js';

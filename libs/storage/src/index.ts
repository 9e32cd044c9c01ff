export { copyFolder, DiskStorage } from './disk-storage.js';
export { openStorage, storageFolder } from './open-storage.js';
export { SkipList } from './skip-list.js';
export { makePrivateFolder } from './private-folders.js';
export { type ByteRange, StorageUnavailable, Storage } from './storage.js';
export { tryStorage, checkStorage } from './check-storage.js';
export { openUploadFolder, PART, REMOVE_PARTS_MS, removeLeftParts, uploadFolder } from './upload-folder.js';
export { StorageModule } from './storage.module.js';

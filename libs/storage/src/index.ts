export { copyFolder, DiskStorage } from './disk-storage.js';
export { checkStorage, openStorage, storageFolder, tryStorage } from './open-storage.js';
export {
  makePrivateFolder,
  openUploadFolder,
  PART,
  REMOVE_PARTS_MS,
  removeLeftParts,
  uploadFolder,
} from './private-folders.js';
export { StorageModule } from './storage.module.js';
export { type ByteRange, SkipList, Storage, StorageUnavailable } from './storage.js';

import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { Global, Module } from '@nestjs/common';
import { openStorage } from './open-storage.js';
import { Storage } from './storage.js';

/** Provides `Storage`, the files of STORAGE_URL: a folder or an S3 bucket. */
@Global()
@Module({
  providers: [{ provide: Storage, inject: [ENV], useFactory: (env: Env) => openStorage(env) }],
  exports: [Storage],
})
export class StorageModule {}

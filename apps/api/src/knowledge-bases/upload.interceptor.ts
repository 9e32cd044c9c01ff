import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { trackIgnoredFields } from '../http/ignored-fields.js';
import { receiveForm } from './receive-form.js';
import { Staging } from './staged-file.js';
import { UploadFolder } from './upload-folder.js';
import { ConcurrencyLimit } from '../http/concurrency-limit.js';

const MOST_PER_ACCOUNT = 4;

/** Limits uploads. Each holds a connection, 64 KB of buffers and disk space. */
@Injectable()
export class UploadLimit extends ConcurrencyLimit {
  constructor() {
    super({
      most: 16,
      mostPerAccount: MOST_PER_ACCOUNT,
      accountIsFull: `Only ${MOST_PER_ACCOUNT} files can be uploaded at once. Wait for one to finish.`,
      processIsFull: 'Too many uploads at the moment. Try again.',
    });
  }
}

/** Makes `request.body` of a form, with the file as `file`; JSON passes. No file outlives its request. */
@Injectable()
export class UploadInterceptor implements NestInterceptor {
  constructor(
    private readonly limit: UploadLimit,
    private readonly folder: UploadFolder,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!request.is('multipart/form-data')) return next.handle();
    const response = http.getResponse<Response>();
    const release = this.limit.acquire(request.user?.accountId ?? 0, response);
    const staging = new Staging(this.folder.path);
    try {
      await receiveForm(request, response, staging);
      trackIgnoredFields(request.body, response);
      const { file } = staging;
      if (file) Object.assign(request.body as object, { file });
      return of(await lastValueFrom(next.handle()));
    } finally {
      await staging.discard();
      release();
    }
  }
}

import { FILE_BYTES, fileTypeOf, SELECTED_AT_MOST } from '@app/knowledge';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { type FormRules, UploadsService } from '../http/uploads/uploads.service.js';

const FORM: FormRules = {
  fileBytes: FILE_BYTES,
  tooLarge: 'The file field must not be greater than 10 MB (10,485,760 bytes).',
  // Fits a text of 500,000 characters in UTF-8.
  fieldBytes: 2_097_152,
  // `agent_ids` is repeated; one too many is reported as such.
  fields: 10 + SELECTED_AT_MOST + 1,
  typeOf: fileTypeOf,
};

/** Reads a form into `request.body`, with the file as `file`; skips JSON. */
@Injectable()
export class UploadInterceptor implements NestInterceptor {
  constructor(private readonly uploads: UploadsService) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!request.is('multipart/form-data')) return next.handle();
    const handle = (): Promise<unknown> => {
      readIds(request.body as FormFields);
      return lastValueFrom(next.handle());
    };
    return of(await this.uploads.receive(request, http.getResponse<Response>(), FORM, handle));
  }
}

type FormFields = Record<string, unknown>;

/** Form fields are texts: the ids in `agent_ids`, one text or several, become integers. Other values are left to the validation. */
function readIds(fields: FormFields): void {
  const { agent_ids: sent } = fields;
  if (sent === undefined || sent === '') return;
  fields.agent_ids = [sent]
    .flat()
    .map((id: unknown) => (typeof id === 'string' && /^\d{1,10}$/.test(id) ? Number(id) : id));
}

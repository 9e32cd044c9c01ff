import { isUuid, NotFound } from '@app/common';
import { applyDecorators, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiParam, ApiQuery } from '@nestjs/swagger';

/** A malformed id gets the 404 of an unknown one. */
@Injectable()
export class CallIdPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!isUuid(value)) throw new NotFound('Call');
    return value;
  }
}

/** The path parameter of routes below `calls/:callId`. */
export const ApiCallId = (): MethodDecorator =>
  ApiParam({ name: 'callId', description: 'The `call_id` of the call.', schema: { type: 'string', format: 'uuid' } });

/** The parameters of a link that CallLinks signed. */
export const ApiSignedLink = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({ name: 'signature', description: 'Proof that the service made the link.', schema: { type: 'string' } }),
    ApiQuery({ name: 'expires', description: 'When the link dies, in Unix seconds.', schema: { type: 'integer' } }),
    ApiCallId(),
  );

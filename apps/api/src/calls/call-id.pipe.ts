import { isUuid, NotFound } from '@app/common';
import { Injectable, type PipeTransform } from '@nestjs/common';

/** A malformed id is answered like one that does not exist. */
@Injectable()
export class CallIdPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!isUuid(value)) throw new NotFound('Call');
    return value;
  }
}

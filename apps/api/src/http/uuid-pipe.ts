import { isUuid, NotFound } from '@app/common';
import type { PipeTransform } from '@nestjs/common';

/** The id of a record in the path, told by `what` ("Webhook delivery"): a malformed one is answered like one that does not exist. */
export class UuidPipe implements PipeTransform<string, string> {
  constructor(private readonly what: string) {}

  transform(value: string): string {
    if (!isUuid(value)) throw new NotFound(this.what);
    return value;
  }
}

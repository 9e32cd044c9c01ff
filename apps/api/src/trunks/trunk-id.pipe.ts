import { NotFound } from '@app/common';
import { Injectable, type PipeTransform } from '@nestjs/common';

const MAX_ID = 2_147_483_647;

/** A malformed id is answered like one that does not exist. */
@Injectable()
export class TrunkIdPipe implements PipeTransform<string, number> {
  transform(value: string): number {
    const id = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : 0;
    if (id < 1 || id > MAX_ID) throw new NotFound('Trunk');
    return id;
  }
}

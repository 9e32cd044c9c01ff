import { isUuid, NotFound } from '@app/common';
import { createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { Request } from 'express';

/** The largest `integer` of PostgreSQL, which the ids of records have. */
export const MAX_RECORD_ID = 2_147_483_647;

/**
 * The integer id of a record in the path. A malformed id is the same 404 as an unknown one; `what` names the record there ("Agent").
 * Not a pipe: the global validation pipe runs first and turns `01`, `1e0` and `0x1` into 1.
 */
export const PathId = (name: string, what: string): ParameterDecorator =>
  createParamDecorator((_data: unknown, context: ExecutionContext): number => {
    const { params } = context.switchToHttp().getRequest<Request>();
    const id = parseRecordId(String(params[name]));
    if (id === undefined) throw new NotFound(what);
    return id;
  })();

/** Undefined when no record can have this id. */
export function parseRecordId(text: string): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return id < 1 || id > MAX_RECORD_ID ? undefined : id;
}

/** The UUID of a record in the path. A malformed id is the same 404 as an unknown one; `what` names the record there. */
export class UuidPipe implements PipeTransform<string, string> {
  constructor(private readonly what: string) {}

  transform(value: string): string {
    if (!isUuid(value)) throw new NotFound(this.what);
    return value;
  }
}

import { NotFound } from '@app/common';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

const MAX_ID = 2_147_483_647;

/**
 * The id of a record in the path, told by `what` ("Agent") when it is malformed: 404, as one that does not exist. Not a pipe: the
 * global one has made 1 of `01`, `1e0` and `0x1` before.
 */
export const PathId = (name: string, what: string): ParameterDecorator =>
  createParamDecorator((_data: unknown, context: ExecutionContext): number => {
    const { params } = context.switchToHttp().getRequest<Request>();
    const id = readId(String(params[name]));
    if (id === undefined) throw new NotFound(what);
    return id;
  })();

/** Undefined for what no record can have. */
export function readId(text: string): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return id < 1 || id > MAX_ID ? undefined : id;
}

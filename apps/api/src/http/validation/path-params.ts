import { isUuid, NotFound } from '@app/common';
import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  Param,
  type PipeTransform,
} from '@nestjs/common';
import { ApiHeader, ApiParam, ApiQuery } from '@nestjs/swagger';
import type { Request } from 'express';

/** Record ids are PostgreSQL `integer` columns. */
export const MAX_RECORD_ID = 2_147_483_647;

/**
 * The integer id of a record in the path. A malformed id returns the same 404 as an unknown one; `recordName` appears in the message ("Agent").
 * Not a pipe: the global validation pipe runs first and turns `01`, `1e0` and `0x1` into 1.
 */
export const PathId = (name: string, recordName: string): ParameterDecorator =>
  createParamDecorator((_data: unknown, context: ExecutionContext): number => {
    const { params } = context.switchToHttp().getRequest<Request>();
    const id = parseRecordId(String(params[name]));
    if (id === undefined) throw new NotFound(recordName);
    return id;
  })();

/** Undefined for text that cannot be a record id. */
export function parseRecordId(text: string): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return id < 1 || id > MAX_RECORD_ID ? undefined : id;
}

/** The UUID of a record in the path. A malformed id returns the same 404 as an unknown one; `recordName` appears in the message. */
export class UuidPipe implements PipeTransform<string, string> {
  constructor(private readonly recordName: string) {}

  transform(value: string): string {
    if (!isUuid(value)) throw new NotFound(this.recordName);
    return value;
  }
}

export const AgentId = (): ParameterDecorator => PathId('agent_id', 'Agent');
export const KnowledgeBaseId = (): ParameterDecorator => PathId('id', 'Knowledge base');

const schema = { type: 'integer', minimum: 1 } as const;

/** Swagger UI prefills agent 1, the agent of the demo workspace. */
export const ApiAgentId = (): ClassDecorator & MethodDecorator =>
  ApiParam({
    name: 'agent_id',
    description: 'ID of the agent, active or inactive.',
    schema: { ...schema, example: 1 },
  });

export const ApiKnowledgeBaseId = (): MethodDecorator =>
  ApiParam({ name: 'id', description: 'The `id` of the knowledge base.', schema });

/** The header that makes retries of a creation safe. */
export const ApiIdempotencyKey = (): MethodDecorator =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes retries safe for 24 hours. A request with the same key and body returns the first response (with `Idempotent-Replayed: true`) and creates nothing. A request with the same key and another body returns 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  });

/** The id of the call in the path. */
export const CallId = (): ParameterDecorator => Param('callId', new UuidPipe('Call'));

/** The path parameter of routes below `calls/:callId`. */
export const ApiCallId = (): MethodDecorator =>
  ApiParam({ name: 'callId', description: 'The `call_id` of the call.', schema: { type: 'string', format: 'uuid' } });

/** The parameters of a link signed by CallLinksService. */
export const ApiSignedLink = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({ name: 'signature', description: 'Signature of the link.', schema: { type: 'string' } }),
    ApiQuery({ name: 'expires', description: 'Expiry of the link in Unix seconds.', schema: { type: 'integer' } }),
    ApiCallId(),
  );

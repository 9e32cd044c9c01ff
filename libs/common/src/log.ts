import { AsyncLocalStorage } from 'node:async_hooks';
import { pino, type Logger } from 'pino';

export type Log = Logger;

/** Lines are written together: at the latest after this time, and as soon as there are so many bytes of them. */
const GATHERED_MS = 50;
const GATHERED_BYTES = 4_096;

/** Ids that every log line written while a request, job or call is handled carries. */
interface LogScope {
  request_id?: string;
  call_id?: string;
  account_id?: number;
  trace_id?: string;
}

const scope = new AsyncLocalStorage<LogScope>();

export const withLogScope = <T>(ids: LogScope, work: () => T): T => scope.run({ ...scope.getStore(), ...ids }, work);

/** Something about the work under way that was not known when its scope began. */
export function addToLogScope(ids: LogScope): void {
  Object.assign(scope.getStore() ?? {}, ids);
}

/**
 * JSON lines on stdout, written asynchronously (synchronous request logging costs 20-30 % of the request rate) and several at once,
 * because each write wakes a thread; a process that ends writes what it still has. Only SIGKILL takes the last 50 ms along.
 * Messages are constant sentences; whatever varies goes into fields, and personal data into none.
 */
export function createLog(options: { level: string; role: string }): Log {
  return pino(
    {
      level: options.level,
      base: { role: options.role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // A copy: pino writes the fields of the line into it.
      mixin: () => ({ ...scope.getStore() }),
      serializers: { err: plainError },
      redact: { paths: ['authorization', '*.authorization', 'token', '*.token', 'password', '*.password'] },
    },
    pino.destination({ fd: 1, sync: false, minLength: GATHERED_BYTES, periodicFlush: GATHERED_MS }),
  );
}

/** A database error carries its client, connection and settings: only the fields of the error itself are written. */
function plainError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    type: name,
    message,
    stack,
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: plainError(cause) }),
  };
}

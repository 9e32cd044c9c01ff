import { AsyncLocalStorage } from 'node:async_hooks';
import { pino, type Logger } from 'pino';

export type Log = Logger;

/** Lines are written in batches: after this time, or as soon as a batch has so many bytes. */
const GATHERED_MS = 50;
const GATHERED_BYTES = 4_096;

/** Ids in every log line of a request, job or call. */
interface LogScope {
  request_id?: string;
  call_id?: string;
  account_id?: number;
  trace_id?: string;
}

const scope = new AsyncLocalStorage<LogScope>();

export const withLogScope = <T>(ids: LogScope, work: () => T): T => scope.run({ ...scope.getStore(), ...ids }, work);

/** Adds ids that were unknown when the current scope began. */
export function addToLogScope(ids: LogScope): void {
  Object.assign(scope.getStore() ?? {}, ids);
}

/**
 * JSON lines on stdout, written asynchronously (synchronous request logging costs 20-30 % of the request rate) and in batches,
 * because each write wakes a thread. An ending process flushes its last lines; only SIGKILL loses those of the last 50 ms.
 * Messages are constant sentences, variable data goes into fields, and personal data is never logged.
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

/** Only the fields of the error itself: a database error also references its client, connection and settings. */
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

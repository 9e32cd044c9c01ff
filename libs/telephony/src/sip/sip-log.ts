/** Constant sentences with fields; never header values, numbers or bodies. */
export interface SipLog {
  debug(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
}

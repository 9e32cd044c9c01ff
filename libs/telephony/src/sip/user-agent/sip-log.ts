/** Constant sentences with fields, without header values, numbers and bodies. */
export interface SipLog {
  debug(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
}

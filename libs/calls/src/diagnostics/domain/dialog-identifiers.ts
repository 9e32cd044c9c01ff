/** Tags of From, To, Replaces (RFC 3891, also escaped in a URI) and the branches of Via; a header may be folded. */
const IDENTIFIER = /((?:;|%3B)\s*(?:(?:to-|from-)?tag|branch)\s*(?:=|%3D)\s*)([^\s;,<>&?"]+)/gi;

/**
 * The message without the identifiers that match further messages to its dialog or transaction. As many stars, so that lengths stay
 * correct.
 */
export function maskDialogIdentifiers(message: Buffer): Buffer {
  const text = message.toString('latin1');
  const masked = text.replace(IDENTIFIER, (_all, name: string, value: string) => name + '*'.repeat(value.length));
  return Buffer.from(masked, 'latin1');
}

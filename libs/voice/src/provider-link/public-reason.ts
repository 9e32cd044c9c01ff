const MAX_LENGTH = 400;

/**
 * Vendors repeat keys, account names and words of the conversation in their messages: keys by their prefix or their length, identifiers of
 * organisations, addresses, and telephone numbers. Names of models, which have hyphens and dates, remain.
 */
const PRIVATE = [
  /\b(?:sk|pk|rk)[-_][\w*-]{4,}/gi,
  /\bAIza[\w-]{10,}/g,
  /\bBearer\s+\S+/gi,
  /\b(?:org|proj|acct|user)[-_][A-Za-z0-9]{8,}/g,
  /\b[A-Za-z0-9]{28,}\b/g,
  /[^\s@"'<>]+@[^\s@"'<>]+\.[^\s@"'<>.,;]+/g,
  /\+\d[\d\s().-]{6,}\d/g,
  /(?<![\w.-])\d[\d ()]{8,}\d(?![\w-])/g,
];

/** The reason of a failure as it may be stored with a call: without keys and personal data, and not too long. */
export function publicReason(reason: string): string {
  const text = PRIVATE.reduce((rest, pattern) => rest.replace(pattern, '…'), reason);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}

/**
 * What the chunks of a vendor's stream say by themselves. The packages drop a whole chunk when one of its fields has another form, and
 * with it the end of the answer or its usage.
 */

/** Tokens; undefined: not reported. */
export interface RawUsage {
  input?: number;
  cached?: number;
  output?: number;
}

/** Why the vendor ended the answer: chat completions, Gemini, Anthropic. */
export function reasonIn(chunk: unknown): string | undefined {
  const reasons = [
    valueAt(chunk, 'choices', 0, 'finish_reason'),
    valueAt(chunk, 'candidates', 0, 'finishReason'),
    valueAt(chunk, 'delta', 'stop_reason'),
  ];
  return reasons.find((reason): reason is string => typeof reason === 'string');
}

/** A chunk that reports an error in a form that the package does not know. */
export function errorIn(chunk: unknown): unknown {
  const error = valueAt(chunk, 'error');
  if (error !== undefined && error !== null) return error;
  const isError = valueAt(chunk, 'object') === 'error' || valueAt(chunk, 'type') === 'error';
  return isError ? chunk : undefined;
}

export function usageIn(chunk: unknown): RawUsage {
  // Anthropic reports the input at the beginning, in the message.
  const usage = valueAt(chunk, 'usage') ?? valueAt(chunk, 'message', 'usage') ?? valueAt(chunk, 'usageMetadata');
  const count = (...path: string[]): number | undefined => {
    const value = valueAt(usage, ...path);
    return typeof value === 'number' && value > 0 ? value : undefined;
  };
  const cached = count('prompt_tokens_details', 'cached_tokens') ?? count('cachedContentTokenCount');
  const read = count('cache_read_input_tokens');
  return {
    // Anthropic counts what it read from the cache, or wrote there, apart from the rest.
    input:
      count('prompt_tokens') ??
      count('promptTokenCount') ??
      sum(count('input_tokens'), read, count('cache_creation_input_tokens')),
    cached: cached ?? read,
    output:
      count('completion_tokens') ??
      count('output_tokens') ??
      sum(count('candidatesTokenCount'), count('thoughtsTokenCount')),
  };
}

const sum = (...counts: (number | undefined)[]): number | undefined =>
  counts.reduce((total, count) => (count === undefined ? total : (total ?? 0) + count), undefined);

function valueAt(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const name of path)
    found = typeof found === 'object' && found !== null ? (found as Record<string | number, unknown>)[name] : undefined;
  return found;
}

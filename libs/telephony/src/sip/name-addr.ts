import { afterQuoted, parseParams, unquote } from './header-params.js';

/** The value of From, To, Contact, Route and the like. */
export interface NameAddr {
  displayName?: string;
  uri: string;
  params: ReadonlyMap<string, string>;
}

/** Reads `"Bob" <sip:bob@host;lr>;tag=1`, or the bare form, whose parameters belong to the header (RFC 3261 §20.10). */
export function parseNameAddr(value: string): NameAddr | undefined {
  const open = openingBracket(value);
  if (open < 0) {
    const semicolon = value.indexOf(';');
    const uri = (semicolon < 0 ? value : value.slice(0, semicolon)).trim();
    if (uri === '' || uri.includes(' ')) return undefined;
    return { uri, params: parseParams(semicolon < 0 ? '' : value.slice(semicolon + 1)) };
  }
  const close = value.indexOf('>', open);
  if (close < 0) return undefined;
  const displayName = unquote(value.slice(0, open).trim());
  const semicolon = value.indexOf(';', close);
  return {
    ...(displayName === '' ? {} : { displayName }),
    uri: value.slice(open + 1, close).trim(),
    params: parseParams(semicolon < 0 ? '' : value.slice(semicolon + 1)),
  };
}

function openingBracket(value: string): number {
  const quote = value.indexOf('"');
  const open = value.indexOf('<');
  if (quote < 0 || (open >= 0 && open < quote)) return open;
  return value.indexOf('<', afterQuoted(value, quote));
}

/** The tag of a From or To value. */
export function tagOf(value: string | undefined): string | undefined {
  if (value === undefined || !/;\s*tag\s*=/i.test(value)) return undefined;
  return parseNameAddr(value)?.params.get('tag') || undefined;
}

import type { VariableDeclaration, VariableValue } from '@app/agents';

/** In bytes of UTF-8. */
const MAX_VALUE_BYTES = 256;
/** RFC 7433 §4.1. */
const HEX = /^((?:[0-9a-f]{2})+)\s*(?:;.*)?;\s*encoding\s*=\s*hex\b/i;
const CONTROL = /\p{Cc}/u;

/** The wanted headers of an INVITE. */
interface ReadHeaders {
  /** By the names that the trunk gives them. Written by the caller: data, never instructions. */
  values: Record<string, string>;
  /** Headers that were there and cannot be kept. */
  dropped: string[];
}

/** @param wanted header -> name; null: none. @param headerOf the first header of that name in the INVITE */
export function readInboundHeaders(
  wanted: Readonly<Record<string, string>> | null,
  headerOf: (name: string) => string | undefined,
): ReadHeaders {
  const kept: [name: string, value: string][] = [];
  const dropped: string[] = [];
  for (const [header, name] of Object.entries(wanted ?? {})) {
    const written = headerOf(header)?.trim();
    if (!written) continue;
    const value = header.toLowerCase() === 'user-to-user' ? userData(written) : written;
    if (Buffer.byteLength(value) > MAX_VALUE_BYTES || CONTROL.test(value) || value.includes('\uFFFD'))
      dropped.push(header);
    else kept.push([name, value]);
  }
  return { values: Object.fromEntries(kept), dropped };
}

/** The data of User-to-User, which may be written in hexadecimal digits (RFC 7433 §4.1). */
function userData(written: string): string {
  const [, digits] = HEX.exec(written) ?? [];
  return digits === undefined ? written : Buffer.from(digits, 'hex').toString('utf8');
}

/** The values that the agent declares as variables. One that is longer than its variable may be is left out. */
export function declaredValues(
  values: Readonly<Record<string, string>>,
  declared: readonly VariableDeclaration[],
): Record<string, VariableValue> {
  return Object.fromEntries(
    declared.flatMap(({ name, max_length: longest }) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      return value === undefined || value.length > longest ? [] : [[name, value]];
    }),
  );
}

import { type Encryption, type FieldProblem, InvalidFields, withCode } from '@app/common';
import { isSameOrigin } from '@app/egress';
import { headerProblems, MASK } from '@app/webhooks';
import { type ActionHeader, actionHeaders } from '../domain/action-headers.js';
import type { GivenHeader } from '../domain/tool.js';

/** Differs from other contexts, so an encrypted list cannot be moved to a place that shows or sends it. */
const CONTEXT = 'mcp-headers';

/** Set by the MCP client. */
const OURS = /^(?:accept|content-type|last-event-id|mcp-.*)$/i;

/** null: there are no headers. */
export const encryptMcpHeaders = (encryption: Encryption, headers: readonly ActionHeader[]): Buffer | null =>
  headers.length === 0 ? null : encryption.encrypt(JSON.stringify(headers), CONTEXT);

/** Throws when the headers were encrypted with another SECRET_KEY. */
export const decryptMcpHeaders = (encryption: Encryption, encrypted: Buffer | null): ActionHeader[] =>
  encrypted === null ? [] : (JSON.parse(encryption.decrypt(encrypted, CONTEXT)) as ActionHeader[]);

interface StoredHeaders {
  url: string;
  headers: ActionHeader[];
}

/**
 * The headers of a server at `url`; masks are replaced by stored values, and absent headers stay as they are stored. A server that moves to
 * another origin needs all values anew: otherwise a client that may change it could send its secrets to a host of its choice.
 * @throws InvalidFields
 */
export function mcpHeaders(
  url: string,
  given: Record<string, GivenHeader> | null | undefined,
  stored: StoredHeaders | undefined,
): ActionHeader[] {
  const moves = stored !== undefined && !isSameOrigin(stored.url, url);
  if (given === undefined && stored) {
    if (!moves || stored.headers.length === 0) return stored.headers;
    throw new InvalidFields({
      headers: [withCode('missing', 'The headers must be given anew: the server moves to another host.')],
    });
  }
  const errors: [string, FieldProblem][] = [];
  const headers = actionHeaders({ headers: given ?? null }).map((header) => {
    if (header.value !== MASK) return header;
    const kept = stored?.headers.find(({ key }) => key.toLowerCase() === header.key.toLowerCase());
    if (kept && !moves) return { ...kept, key: header.key };
    const problem = kept
      ? 'The value must be given anew: the server moves to another host.'
      : `The value ${MASK} stands for a stored value, and there is none.`;
    errors.push([`headers.${header.key}`, withCode('missing', problem)]);
    return header;
  });
  for (const { place, problem } of headerProblems(headers))
    errors.push([place ? `headers.${headers[place.index]?.key}` : 'headers', problem]);
  for (const { key } of headers)
    if (OURS.test(key))
      errors.push([`headers.${key}`, withCode('not_allowed', `The header ${key} is set by the service.`)]);
  if (errors.length === 0) return headers;
  throw new InvalidFields(Object.fromEntries(errors.map(([field, problem]) => [field, [problem]])));
}
